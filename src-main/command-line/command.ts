import { AppError } from '../../src-preload/domain/app-error.ts'

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

export type Terminal = {
  /** To standard output. Resolves when there is room for more, so a slow reader slows the writer. */
  print(line: string): Promise<void>
  write(bytes: Uint8Array): Promise<void>
  /** To standard error: for the user, not for a program that reads standard output. */
  note(line: string): void
  /** Yes or no, No by default; null without a terminal. */
  ask(question: string): Promise<boolean | null>
  /** All of standard input; in a terminal, one line that is asked for and not shown. Without spaces around. */
  readSecret(question: string): Promise<string>
  /** Aborted when nobody reads standard output any more, as after `| head`. */
  readonly closed: AbortSignal
}

export type CommandOption = {
  readonly type: 'string' | 'boolean'
  readonly value?: string
  /** It may be given more than once; all its values are in `lists`. */
  readonly multiple?: boolean
  readonly short?: string
  readonly description: string
}

export type CommandOptions = Readonly<Record<string, CommandOption>>

export type Invocation = {
  readonly dataDirectory: string
  /** `--data-dir` was given; false for the environment variable and the default. */
  readonly isDirectoryGiven: boolean
  readonly options: Readonly<Record<string, string | boolean | undefined>>
  /** Of options that may be given more than once. */
  readonly lists: Readonly<Record<string, readonly string[]>>
  readonly positionals: readonly string[]
  readonly terminal: Terminal
  /** Aborted by the first Ctrl-C or SIGTERM, and, unless it outlives that, when nobody reads the output. */
  readonly stop: AbortSignal
}

/** What the general help shows of a command. */
type CommandOutline = {
  readonly name: string
  readonly summary: string
  /** Its arguments as the help shows them: `FILE` or `[FILE]`. */
  readonly arguments?: string
  /** How many of them there may be, where it is more than one. */
  readonly maxArguments?: number
}

export type CommandBody = {
  readonly options: CommandOptions
  /** Paragraphs for its own help. */
  readonly detail: readonly string[]
  /** Exit codes that mean something else than with other commands. */
  readonly exits?: Readonly<Record<number, string>>
  /** It serves others besides the reader of its output, so it goes on after `| head -1`. */
  readonly outlivesReader?: boolean
  run(invocation: Invocation): Promise<number>
}

/** The module of a command is loaded when the command is run: zod and TON cost more than the rest. */
export type LazyCommand = CommandOutline & { load(): Promise<CommandBody> }
export type Command = CommandOutline & CommandBody

/** The command line cannot be understood: the exit code is 2. */
export const usageCode = 'USAGE'

export function usageError(message: string): AppError {
  return new AppError(usageCode, message)
}
