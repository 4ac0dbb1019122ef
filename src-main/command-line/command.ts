import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Terminal } from './terminal.ts'

/** What a command ends with. `--help` lists them. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** Another process holds the data directory and cannot do what was asked. */
  held: 3,
  /** A second Ctrl-C: ended without draining. */
  forced: 130,
} as const

export type CommandOption = {
  readonly type: 'string' | 'boolean'
  /** How its value is named in the help. */
  readonly value?: string
  /** It may be given more than once; all its values are in `lists`. */
  readonly multiple?: boolean
  /** One letter. */
  readonly short?: string
  readonly description: string
}

export type Invocation = {
  readonly dataDirectory: string
  /** It was typed, not found in the environment or taken by default. */
  readonly isDirectoryGiven: boolean
  readonly options: Readonly<Record<string, string | boolean | undefined>>
  /** Of options that may be given more than once. */
  readonly lists: Readonly<Record<string, readonly string[]>>
  readonly positionals: readonly string[]
  readonly terminal: Terminal
  /** Aborted by the first Ctrl-C or SIGTERM, and, unless it outlives that, when nobody reads the output. */
  readonly stop: AbortSignal
}

export type Command = {
  readonly name: string
  readonly summary: string
  /** Its arguments as the help shows them: `FILE` or `[FILE]`. */
  readonly arguments?: string
  /** How many of them there may be, where it is more than one. */
  readonly maxArguments?: number
  readonly options: Readonly<Record<string, CommandOption>>
  /** Paragraphs for its own help. */
  readonly detail: readonly string[]
  /** Exit codes that mean something else than with other commands. */
  readonly exits?: Readonly<Record<number, string>>
  /** It serves others than who reads its output: it goes on when nobody does, as after `| head -1`. */
  readonly outlivesReader?: boolean
  run(invocation: Invocation): Promise<number>
}

/** Said and ended with code 2: the person typed something that cannot be meant. */
export const usageCode = 'USAGE'

export function usageError(message: string): AppError {
  return new AppError(usageCode, message)
}

/** @throws AppError USAGE */
export function readPort(value: string | boolean | undefined, option: string): number | undefined {
  if (typeof value !== 'string') return undefined
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (port >= 0 && port <= 65_535) return port
  throw usageError(`--${option} takes a port from 0 to 65535, not "${value}".`)
}
