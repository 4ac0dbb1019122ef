import { fstatSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import type { ReadyLine, Sandbox } from '../sandbox/sandbox.ts'
import type { SandboxConfig } from '../sandbox/start-options.ts'
import { appVersion } from '../app/version.ts'
import { type CommandBody, type Invocation, exitCodes, usageError } from './command.ts'
import * as read from './options.ts'
import { aborted, isClosed, writeEvent } from './terminal.ts'

export const sandbox: CommandBody = {
  options: {
    port: read.text('N', 'port to listen on, 0 for any (default: the last port, or from 4810 on)'),
    ephemeral: read.flag('store nothing: use a temporary directory'),
    seed: read.text('TEXT', 'seed from which a new chain is created'),
    clock: read.text(
      'real|virtual',
      'a virtual clock moves only when you advance it (default: unchanged; real for a new chain)',
    ),
    now: read.text('TIME', 'start of a new chain’s virtual clock, ISO 8601 (default: now)'),
    activity: read.text(
      'N',
      'background activity in steps per minute, 0 to 600 (default: unchanged; 0 for a new chain)',
    ),
    'allow-host': read.text(
      'HOST,…',
      'also deliver webhooks to these hosts (default: this computer only)',
    ),
    'keys-file': read.text('FILE', 'JSON file with apiKey, invoicesToken or controlKey'),
    'with-parent': read.flag('stop when the parent process ends or standard input (a pipe) closes'),
    json: read.jsonOption,
  },
  detail: [
    'Two networks with their webhooks, the query API and the invoices API on one port of 127.0.0.1,\nwith a real TVM. The sandbox needs no internet, keys or money. Its data is in the folder `sandbox` of\nthe data directory, which the app’s own sandbox uses too: only one can run at a time. Ctrl-C stops it.',
    'The keys are random for each data directory and stored in its keys.json. Set others with\n--keys-file or with TONDESK_SANDBOX_API_KEY, TONDESK_SANDBOX_INVOICES_TOKEN and\nTONDESK_SANDBOX_CONTROL_KEY, never as arguments, because other programs can read them.',
    'With --json the first line is {"event":"ready","queryUrl":...,"apiKey":...,"usdtMaster":...,"wallets":[...]}.',
  ],
  outlivesReader: true,
  async run(invocation) {
    const running = await start(invocation)
    let drained = false
    try {
      await announce(running.ready, invocation)
      const { options, stop } = invocation
      await Promise.race([aborted(stop), ...(options['with-parent'] ? [parentGone()] : [])])
    } finally {
      drained = await isClosed(running.dispose(), invocation.terminal)
      if (!drained) invocation.terminal.note('Stopped before closing was complete.')
    }
    return drained ? exitCodes.ok : exitCodes.failed
  },
}

async function start({ dataDirectory, isDirectoryGiven, options }: Invocation): Promise<Sandbox> {
  // The sandbox is loaded on demand: no other command needs the TVM and the TON libraries.
  const { createSandbox } = await import('../sandbox/sandbox.ts')
  const { OptionError, readStartOptions } = await import('../sandbox/start-options.ts')
  const { SandboxError, optionCodes, sandboxCodes } = await import('../sandbox/errors.ts')
  const ephemeral = options['ephemeral'] === true
  if (ephemeral && isDirectoryGiven) {
    throw usageError('--ephemeral and --data-dir cannot be combined.')
  }
  let config: SandboxConfig
  try {
    config = readStartOptions(options, process.env)
  } catch (error) {
    if (error instanceof OptionError || error instanceof SandboxError)
      throw usageError(error.message)
    throw error
  }
  try {
    return await createSandbox({
      ...config,
      version: appVersion,
      ...(ephemeral ? { ephemeral } : { dataDirectory: join(dataDirectory, 'sandbox') }),
    })
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    if (optionCodes.includes(error.code)) throw usageError(error.message)
    const code = error.code === sandboxCodes.held ? appCodes.dataDirectoryHeld : error.code
    throw new AppError(code, error.message, { cause: error })
  }
}

const parentLookMs = 500

/** Resolves when standard input closes. Only a pipe closes with the parent; a terminal or file does not. */
function parentGone(): Promise<void> {
  return new Promise((resolve) => {
    const parent = process.ppid
    setInterval(() => {
      if (!isRunning(parent)) resolve()
    }, parentLookMs).unref()
    if (isPipe(0)) process.stdin.on('error', resolve).on('close', resolve).resume()
  })
}

/** A process whose parent ends gets another parent id; on Windows the id stays. */
function isRunning(parent: number): boolean {
  if (process.ppid !== parent) return false
  try {
    return process.kill(parent, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

function isPipe(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor)
    return found.isFIFO() || found.isSocket()
  } catch {
    return false
  }
}

async function announce(ready: ReadyLine, invocation: Invocation): Promise<void> {
  const rows = [
    ['Query API', `${ready.queryUrl}/v2`],
    ['Webhooks API', `${ready.webhooksUrl}/webhooks`],
    ['Invoices API', `${ready.consoleUrl}/api/v1/services/invoices`],
    ['Test network', `${ready.testnetQueryUrl}/v2, ${ready.testnetWebhooksUrl}/webhooks`],
    ['Control API', ready.controlUrl],
    ['API key', ready.apiKey],
    ['Invoices API token', ready.invoicesToken],
    ['Control API key', ready.controlKey],
    ['USDT master', ready.usdtMaster],
    ...ready.wallets.map(({ name, address }) => [name, address] as const),
  ] as const
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
  await writeEvent(invocation, ready, lines.join('\n'))
  if (invocation.options['json'] === true) return
  invocation.terminal.note('--json also prints the wallets’ mnemonics. Press Ctrl-C to stop.')
}
