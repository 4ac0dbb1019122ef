import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import process from 'node:process'
import { AppError, bridgeCodes, messageOf } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { isCompleted } from '../app/completion.ts'
import { type Log, createLog } from '../app/log.ts'
import { dataPaths, resolveDataDirectory } from '../app/paths.ts'
import { recordCrash } from '../app/run-record.ts'
import { connectionErrorMessage, handleUncaughtErrors } from '../app/uncaught-errors.ts'
import { appVersion } from '../app/version.ts'
import { localSocketCodes } from '../bridge/local-socket.ts'
import { type LazyCommand, type Terminal, exitCodes, usageCode } from './command.ts'
import { commandHelp, generalHelp, parseCommandLine } from './parse.ts'
import { exitCodeOfCrash } from './supervised.ts'
import { createTerminal, stopOnSignals } from './terminal.ts'
import { lookupTable } from '../../src-preload/domain/lookup-table.ts'

const outlines: Readonly<Record<string, Omit<LazyCommand, 'name'>>> = lookupTable({
  open: {
    summary: 'show the running app, or start it in the browser',
    load: async () => (await import('./serve.ts')).openCommand,
  },
  serve: {
    summary: 'run the app with its window in the browser',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  listen: {
    summary: 'receive webhooks; print and forward each delivery',
    load: async () => (await import('./listen.ts')).listenCommand,
  },
  wait: {
    summary: 'wait for a delivery that matches a query; for scripts and CI',
    load: async () => (await import('./wait.ts')).waitFor,
  },
  captures: {
    arguments: 'ACTION [QUERY|ID…]',
    maxArguments: 10_001,
    summary: 'search, show, replay and export captures',
    load: async () => (await import('./captures.ts')).captureCommands,
  },
  import: {
    arguments: 'FILE',
    summary: 'import captures from a HAR or JSON Lines file',
    load: async () => (await import('./captures.ts')).importCaptures,
  },
  sandbox: {
    arguments: '[calls [NAME=VALUE…]]',
    maxArguments: 10,
    summary: 'run the sandbox gateway: the complete service, on this computer',
    load: async () => (await import('./sandbox.ts')).sandboxCommand,
  },
  lab: {
    summary: 'attack a handler with payments and deliveries, and report what it does wrong',
    load: async () => (await import('./lab.ts')).labCommand('lab'),
  },
  test: {
    arguments: 'FILE…',
    maxArguments: 1_000,
    summary: 'run scenario files against a handler',
    load: async () => (await import('./lab.ts')).labCommand('test'),
  },
  networks: {
    arguments: '[ACTION] [NETWORK]',
    maxArguments: 2,
    summary: 'list the networks, test one, or store a key for one',
    load: async () => (await import('./networks.ts')).networkCommands,
  },
  lookup: {
    arguments: '[FILE]',
    summary: 'look up many addresses and print the state of each account',
    load: async () => (await import('./lookup.ts')).lookupCommand,
  },
  history: {
    arguments: 'ACTION [ADDRESS]',
    maxArguments: 2,
    summary: 'export the history of an account as a file: `tondesk history export ADDRESS`',
    load: async () => (await import('./history.ts')).historyExport,
  },
  webhooks: {
    arguments: 'ACTION [FILE]',
    maxArguments: 2,
    summary: 'list webhooks, and set their subscriptions from a file',
    load: async () => (await import('./webhooks.ts')).webhookCommands,
  },
  invoices: {
    arguments: 'ACTION [ID…]',
    maxArguments: 1001,
    summary: 'export, list, create, cancel and reconcile invoices',
    load: async () => (await import('./invoices.ts')).invoiceCommands,
  },
  mcp: {
    summary: 'serve tools to an agent over the Model Context Protocol',
    load: async () => (await import('./mcp.ts')).mcpCommand,
  },
  doctor: {
    summary: 'check this installation and its data',
    load: async () => (await import('./data.ts')).doctorCommand,
  },
  backup: {
    arguments: '[FILE]',
    summary: 'back up all data except keys',
    load: async () => (await import('./data.ts')).backupCommand,
  },
  restore: {
    arguments: 'FILE',
    summary: 'replace the data with that of a backup',
    load: async () => (await import('./data.ts')).restoreCommand,
  },
})
export const commands: readonly LazyCommand[] = Object.entries(outlines).map(([name, outline]) => ({
  name,
  ...outline,
}))
const lingerMs = 500

export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const terminal = createTerminal()
  let dataDirectory: string | null = null
  const log = () => (dataDirectory === null ? null : openLog(dataDirectory))
  const end = (error: unknown) => {
    if (isUnexpected(error))
      log()?.fatal('The command stopped because of an unexpected error.', error)
    return report(error, terminal)
  }
  handleUncaughtErrors({
    onConnectionError: (error) => log()?.failure(connectionErrorMessage, error),
    onBug(error) {
      const exitCode = end(error)
      const wasRunning = dataDirectory !== null && recordCrash(dataDirectory, error)
      process.exit(wasRunning ? exitCodeOfCrash(exitCode) : exitCode)
    },
  })
  const onDirectory = (directory: string) => (dataDirectory = directory)
  process.exitCode = await run(argv, terminal, onDirectory).catch(end)
  // A slow reader gets all of the output.
  const written = new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
  if (process.exitCode === exitCodes.ok) await isCompleted(written)
  setTimeout(() => process.exit(), lingerMs).unref()
}

/** Logging an error must not create a data directory that does not exist. */
function openLog(directory: string): Log | null {
  return existsSync(directory) ? createLog(dataPaths(directory).logs).scope('command') : null
}

function isUnexpected(error: unknown): boolean {
  if (!(error instanceof AppError)) return true
  return error.code === appCodes.databaseUnwritable || error.code === appCodes.databaseTooNew
}

async function run(
  argv: readonly string[],
  terminal: Terminal,
  onDirectory: (directory: string) => void,
): Promise<number> {
  const parsed = await parseCommandLine(argv, commands)
  if (parsed.kind !== 'run') {
    const about = parsed.kind === 'version' ? null : parsed.command
    const help = about === null ? generalHelp(commands) : commandHelp(about)
    await terminal.print(parsed.kind === 'version' ? appVersion : help)
    return exitCodes.ok
  }
  const { kind: _, command, dataDirectory: flag, ...typed } = parsed
  const { env, platform } = process
  const dataDirectory = resolveDataDirectory({ flag, env, platform, homedir: homedir() })
  onDirectory(dataDirectory)
  const stop = stopOnSignals(...(command.outlivesReader ? [] : [terminal.closed]))
  const isDirectoryGiven = flag !== undefined
  return command.run({ ...typed, dataDirectory, isDirectoryGiven, terminal, stop })
}

function report(error: unknown, terminal: Terminal): number {
  terminal.note(`tondesk: ${messageOf(error)}`)
  if (process.env['TONDESK_DEBUG'] && error instanceof Error) {
    if (error instanceof AppError) terminal.note(`error code: ${error.code}`)
    terminal.note(error.stack ?? '')
    if (error.cause instanceof Error) terminal.note(`caused by ${error.cause.stack ?? ''}`)
  }
  return error instanceof AppError ? exitCodeOf(error) : exitCodes.failed
}

function exitCodeOf({ code }: AppError): number {
  switch (code) {
    case usageCode:
      return exitCodes.usage
    case appCodes.dataDirectoryHeld:
    case localSocketCodes.noWindow:
    case bridgeCodes.disconnected:
      return exitCodes.held
    default:
      return exitCodes.failed
  }
}
