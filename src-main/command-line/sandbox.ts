import { join } from 'node:path'
import process from 'node:process'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes, sandboxCodes as codes } from '../../src-preload/domain/error-codes.ts'
import type { ReadyLine, Sandbox } from '../sandbox/sandbox.ts'
import { describeReady, parentGone } from '../sandbox/program.ts'
import { SandboxError, optionCodes, sandboxCodes } from '../sandbox/errors.ts'
import {
  OptionError,
  type SandboxConfig,
  keysOf,
  readStartOptions,
  startOptions,
} from '../sandbox/start-options.ts'
import { appVersion } from '../app/version.ts'
import { type CommandBody, type Invocation, assertUsage, exitCodes, usageError } from './command.ts'
import * as read from './options.ts'
import { waitForAbort, isClosed, sanitize, writeEvent } from './terminal.ts'

export const sandboxCommand: CommandBody = {
  options: {
    ...Object.fromEntries(
      Object.entries(startOptions).map(([name, [value, text]]) => [name, read.text(value, text)]),
    ),
    ephemeral: read.flag('store nothing: use a temporary directory'),
    'with-parent': read.flag('stop when the parent process ends or standard input (a pipe) closes'),
    follow: read.flag('calls: continue with new calls until you press Ctrl-C'),
    json: read.jsonOption,
  },
  detail: [
    'Two networks with their webhooks, the query API and the invoices API on one port of 127.0.0.1,\nwith a real TVM. The sandbox needs no internet, keys or money. Its data is in the folder `sandbox` of\nthe data directory, which the app’s own sandbox uses too: only one can run at a time. Ctrl-C stops it.',
    'The keys are random for each data directory and stored in its keys.json. Set others with\n--keys-file or with TONDESK_SANDBOX_API_KEY, TONDESK_SANDBOX_INVOICES_TOKEN and\nTONDESK_SANDBOX_CONTROL_KEY, never as arguments, because other programs can read them.',
    '`tondesk sandbox calls [NAME=VALUE…]` prints the requests that reached the APIs of the sandbox at --port\n(default 4810), with the control key of this data directory, of --keys-file or of the environment. A NAME is\nnetwork, root, method, status (404, 4xx or aborted), path, client (tondesk or others), since or limit.',
    'With --json the first line is {"event":"ready","queryUrl":...,"apiKey":...,"usdtMaster":...,"wallets":[...]}.',
  ],
  outlivesReader: true,
  async run(invocation) {
    const [action, ...filters] = invocation.positionals
    assertUsage(
      [undefined, 'calls'].includes(action),
      `\`tondesk sandbox\` knows calls, not "${action ?? ''}".`,
    )
    if (action === 'calls') return printCalls(invocation, filters)
    const running = await start(invocation)
    let drained = false
    try {
      await announce(running.ready, invocation)
      const { options, stop } = invocation
      await Promise.race([waitForAbort(stop), ...(options['with-parent'] ? [parentGone()] : [])])
    } finally {
      drained = await isClosed(running.dispose(), invocation.terminal)
      if (!drained) invocation.terminal.note('Stopped before closing was complete.')
    }
    return drained ? exitCodes.ok : exitCodes.failed
  },
}

async function printCalls(invocation: Invocation, filters: readonly string[]): Promise<number> {
  const { dataDirectory, options, stop } = invocation
  const { ControlError } = await import('../sandbox/start-sandbox.ts')
  const { formatCall, readCalls } = await import('../sandbox/read-calls.ts')
  const { port = 4810, keys } = readStartOptions(options, process.env)
  const sandbox = {
    controlUrl: `http://127.0.0.1:${port}/sandbox`,
    controlKey: keys?.controlKey ?? keysOf(join(dataDirectory, 'sandbox')).controlKey,
  }
  const isFollowing = () => options['follow'] === true && !stop.aborted
  try {
    await readCalls(sandbox, filters, isFollowing, (call) =>
      writeEvent(invocation, { event: 'call', ...call }, sanitize(formatCall(call))),
    )
  } catch (error) {
    if (error instanceof ControlError) throw usageError(error.message)
    const message = `No sandbox responds on port ${port}. Start one, or set its port with --port.`
    throw new AppError(codes.notRunning, message, { cause: error })
  }
  return exitCodes.ok
}

async function start({ dataDirectory, isDirectoryGiven, options }: Invocation): Promise<Sandbox> {
  // The sandbox is loaded on demand: no other command needs the TVM and the TON libraries.
  const { createSandbox } = await import('../sandbox/sandbox.ts')
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

async function announce(ready: ReadyLine, invocation: Invocation): Promise<void> {
  await writeEvent(invocation, ready, describeReady(ready))
  if (invocation.options['json'] === true) return
  invocation.terminal.note('--json also prints the wallets’ mnemonics. Press Ctrl-C to stop.')
}
