import { join } from 'node:path'
import process from 'node:process'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import type { ReadyLine, Sandbox } from '../sandbox/sandbox.ts'
import { describeReady, parentGone } from '../sandbox/program.ts'
import { SandboxError, optionCodes, sandboxCodes } from '../sandbox/errors.ts'
import {
  OptionError,
  type SandboxConfig,
  readStartOptions,
  startOptions,
} from '../sandbox/start-options.ts'
import { appVersion } from '../app/version.ts'
import { type CommandBody, type Invocation, exitCodes, usageError } from './command.ts'
import * as read from './options.ts'
import { aborted, isClosed, writeEvent } from './terminal.ts'

export const sandbox: CommandBody = {
  options: {
    ...Object.fromEntries(
      Object.entries(startOptions).map(([name, [value, text]]) => [name, read.text(value, text)]),
    ),
    ephemeral: read.flag('store nothing: use a temporary directory'),
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
