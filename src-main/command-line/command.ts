import { AppError } from '../../src-preload/domain/app-error.ts'

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** Another process uses the data directory and cannot do the work. */
  held: 3,
  /** A second Ctrl-C ended the command before pending work was finished. */
  forced: 130,
} as const

export type Terminal = {
  /** Resolves when standard output has room, so that a slow reader slows the writer. */
  print(line: string): Promise<void>
  write(bytes: Uint8Array): Promise<void>
  /** Writes to standard error: for the user, not for a program that reads standard output. */
  note(line: string): void
  /** The default is no. Resolves with null without a terminal. */
  ask(question: string): Promise<boolean | null>
  /** Reads all of standard input, or one hidden line from a terminal; trimmed. */
  readSecret(question: string): Promise<string>
  /** Aborted when standard output has no reader any more, as after `| head`. */
  readonly closed: AbortSignal
}

export type CommandOption = {
  readonly type: 'string' | 'boolean'
  readonly value?: string
  readonly multiple?: boolean
  readonly short?: string
  readonly description: string
}

export type CommandOptions = Readonly<Record<string, CommandOption>>

export type Invocation = {
  readonly dataDirectory: string
  readonly isDirectoryGiven: boolean
  readonly options: Readonly<Record<string, string | boolean | undefined>>
  readonly lists: Readonly<Record<string, readonly string[]>>
  readonly positionals: readonly string[]
  readonly terminal: Terminal
  /**
   * Aborted by the first Ctrl-C or SIGTERM and, unless the command outlives its reader, by the end of
   * the reader.
   */
  readonly stop: AbortSignal
}

type CommandOutline = {
  readonly name: string
  readonly summary: string
  readonly arguments?: string
  readonly maxArguments?: number
}

export type CommandBody = {
  readonly options: CommandOptions
  readonly detail: readonly string[]
  readonly exits?: Readonly<Record<number, string>>
  /** True for a command that also serves other programs, so that it continues after `| head -1`. */
  readonly outlivesReader?: boolean
  run(invocation: Invocation): Promise<number>
}

/** Command modules are loaded on demand: zod and the TON libraries cost more than the rest. */
export type LazyCommand = CommandOutline & { load(): Promise<CommandBody> }
export type Command = CommandOutline & CommandBody

export const usageCode = 'USAGE'

export const usageError = (message: string): AppError => new AppError(usageCode, message)

/** @throws AppError USAGE unless the condition holds */
export function assertUsage(condition: boolean, message: string): asserts condition {
  if (!condition) throw usageError(message)
}
