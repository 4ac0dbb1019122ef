import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import process from 'node:process'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { localSocketCodes } from '../bridge/local-socket.ts'
import { type Log, createLog } from '../app/log.ts'
import { dataPaths, resolveDataDirectory } from '../app/paths.ts'
import { connectionErrorMessage, handleUncaughtErrors } from '../app/uncaught-errors.ts'
import { appVersion } from '../app/version.ts'
import { backup } from './backup.ts'
import { captures } from './captures.ts'
import { type Command, exitCodes, usageCode } from './command.ts'
import { doctor } from './doctor.ts'
import { commandHelp, generalHelp } from './help.ts'
import { importCaptures } from './import.ts'
import { invoices } from './invoices.ts'
import { listen } from './listen.ts'
import { lookup } from './lookup.ts'
import { networks } from './networks.ts'
import { open } from './open.ts'
import { parseCommandLine } from './parse.ts'
import { restore } from './restore.ts'
import { sandbox } from './sandbox.ts'
import { serve } from './serve.ts'
import { stopOnSignals } from './stop.ts'
import { type Terminal, createTerminal } from './terminal.ts'
import { waitFor } from './wait.ts'
import { webhooks } from './webhooks.ts'

export const commands: readonly Command[] = [
  open,
  serve,
  listen,
  waitFor,
  captures,
  importCaptures,
  sandbox,
  networks,
  lookup,
  webhooks,
  invoices,
  doctor,
  backup,
  restore,
]
/** What may still be open after a command has ended is not worth waiting for. */
const lingerMs = 500

/** Runs a command to its end and ends the process with its exit code. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const terminal = createTerminal()
  const errorLog = createErrorLog()
  const end = (error: unknown) => {
    if (isUnexpected(error)) errorLog.get()?.fatal('An unexpected error ended the command.', error)
    return report(error, terminal)
  }
  handleUncaughtErrors({
    onConnectionError: (error) => errorLog.get()?.failure(connectionErrorMessage, error),
    onBug: (error) => process.exit(end(error)),
  })
  process.exitCode = await run(argv, terminal, errorLog).catch(end)
  setTimeout(() => process.exit(), lingerMs).unref()
}

type ErrorLog = ReturnType<typeof createErrorLog>

/** The log of the data directory, once that is known. No error makes a directory that was not there. */
function createErrorLog() {
  let dataDirectory: string | null = null
  return {
    use(directory: string): void {
      dataDirectory = directory
    },
    get(): Log | null {
      if (dataDirectory === null || !existsSync(dataDirectory)) return null
      return createLog(dataPaths(dataDirectory).logs).scope('command')
    },
  }
}

/** False for what a command answers with, such as a wrong option or an id that does not exist. */
function isUnexpected(error: unknown): boolean {
  if (!(error instanceof AppError)) return true
  return error.code === appCodes.databaseUnwritable || error.code === appCodes.databaseTooNew
}

async function run(
  argv: readonly string[],
  terminal: Terminal,
  errorLog: ErrorLog,
): Promise<number> {
  const parsed = parseCommandLine(argv, commands)
  switch (parsed.kind) {
    case 'help':
      await terminal.print(parsed.command ? commandHelp(parsed.command) : generalHelp(commands))
      return exitCodes.ok
    case 'version':
      await terminal.print(appVersion)
      return exitCodes.ok
    case 'run': {
      const { command, options, lists, positionals } = parsed
      const dataDirectory = resolveDataDirectory({
        flag: parsed.dataDirectory,
        env: process.env,
        platform: process.platform,
        homedir: homedir(),
      })
      errorLog.use(dataDirectory)
      const stop = stopOnSignals(...(command.outlivesReader ? [] : [terminal.closed]))
      const isDirectoryGiven = parsed.dataDirectory !== undefined
      return await command.run({
        dataDirectory,
        isDirectoryGiven,
        options,
        lists,
        positionals,
        terminal,
        stop,
      })
    }
  }
}

function report(error: unknown, terminal: Terminal): number {
  const message = error instanceof Error ? error.message : String(error)
  terminal.note(`tondesk: ${message}`)
  if (process.env['TONDESK_DEBUG'] && error instanceof Error) {
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
