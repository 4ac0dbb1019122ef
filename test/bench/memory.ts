/**
 * Measures the memory of the installed app on the stand-in for Electron: main process, sandbox and
 * window. Flags: --minutes N (0) after which it is measured again, while a payment of the sandbox
 * is delivered each second.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connectLocalSocket } from '../../src-main/bridge/local-socket-client.ts'
import { localSocketPath } from '../../src-main/bridge/local-socket.ts'
import { openPage } from '../e2e/pages/frame.ts'
import { launchStandIn } from '../stand-in/launch.ts'
import { type Figure, writeStats } from './lib/stats.ts'
import { megabytes, processTree, residentBytes } from './lib/processes.ts'

const { values: flags } = parseArgs({ options: { minutes: { type: 'string', default: '0' } } })
const minutes = Number(flags.minutes)

/** After this time the garbage of the start has been collected. */
const settleMs = 20_000
const sandboxTarget = 350

type Network = 'sandbox' | 'mainnet'

async function startOn(network: Network, dataDirectory: string) {
  const app = launchStandIn({
    dataDirectory,
    args: ['--receiver-port', '0', '--sandbox-port', '0'],
    env: { TONDESK_CHECK_OUTPUT: '0' },
    // The main process of the installed app has no Node flags either.
    nodeFlags: [],
  })
  await app.ready
  const client = await connectLocalSocket(localSocketPath(dataDirectory))
  if (client === null) throw new Error('The local socket does not answer.')
  const ask = async <T>(name: string, input?: unknown) => {
    const envelope = await client.request(name, input)
    if (!envelope.ok) throw new Error(`${name}: ${envelope.error.message}`)
    return envelope.data as T
  }
  const page = await app.page()
  await openPage(page, 'overview')
  const status = async () => (await ask<{ status: string }>('sandbox.state')).status
  while (network === 'sandbox' && (await status()) !== 'running') await wait(100)
  return { app, ask, page, dispose: () => client.dispose() }
}

/**
 * Resident memory by part. The window is the largest of Chromium's renderers; the rest of Chromium
 * does not belong to the app.
 */
function measure(pid: number) {
  const tree = processTree(pid)
  const of = (part: string) =>
    tree
      .filter(({ commandLine }) => commandLine.includes(part))
      .map((each) => residentBytes(each.pid))
      .reduce((most, bytes) => Math.max(most, bytes), 0)
  return {
    main: residentBytes(pid),
    sandbox: of('sandbox-process.js'),
    window: of('--type=renderer'),
  }
}

function figuresOf(when: string, { main, sandbox, window }: ReturnType<typeof measure>): Figure[] {
  const below = (bytes: number, megabyte: number) => ({
    wanted: `< ${megabyte} MB`,
    met: bytes < megabyte * 1024 * 1024,
  })
  return [
    // This process contains Playwright, with which the stand-in shows its windows.
    { name: `main process with Playwright, ${when}`, value: megabytes(main) },
    { name: `sandbox, ${when}`, value: megabytes(sandbox), ...below(sandbox, sandboxTarget) },
    { name: `window, ${when}`, value: megabytes(window) },
  ]
}

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
const figures: Figure[] = []
try {
  const first = await startOn('sandbox', directory)
  await wait(settleMs)
  figures.push(...figuresOf('after the start on the sandbox', measure(first.app.processId)))
  if (minutes > 0) {
    await first.ask('sandbox.doStep', { step: 'webhook' })
    await first.ask('sandbox.doStep', { step: 'account' })
    await openPage(first.page, 'inspector')
    const end = performance.now() + minutes * 60_000
    for (let sent = 1; performance.now() < end; sent += 1) {
      await first.ask('sandbox.doStep', { step: 'payment' })
      await wait(1000)
      if (sent % 60 === 0) {
        const { main, sandbox, window } = measure(first.app.processId)
        process.stderr.write(
          `${sent} payments: main ${megabytes(main)}, sandbox ${megabytes(sandbox)}, window ${megabytes(window)}\n`,
        )
      }
    }
    figures.push(...figuresOf(`after ${minutes} minutes of payments`, measure(first.app.processId)))
  }
  await first.ask('network.select', { id: 'mainnet' })
  first.dispose()
  await first.app.ask('quit')
  await first.app.exit

  const second = await startOn('mainnet', directory)
  await wait(settleMs)
  const other = measure(second.app.processId)
  figures.push(
    {
      name: 'main process with Playwright, after a start on Mainnet',
      value: megabytes(other.main),
    },
    {
      name: 'sandbox, after a start on Mainnet',
      value: other.sandbox === 0 ? 'not started' : megabytes(other.sandbox),
      wanted: 'not started',
      met: other.sandbox === 0,
    },
    { name: 'window, after a start on Mainnet', value: megabytes(other.window) },
  )
  second.dispose()
  await second.app.ask('quit')
  await second.app.exit
  writeStats(`memory: resident, ${settleMs / 1000} s after each start`, figures)
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
process.exit(figures.every(({ met }) => met !== false) ? 0 : 1)
