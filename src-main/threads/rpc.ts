/**
 * Calls between the app and its worker threads and child processes. Each side offers functions of one
 * argument, the question; the other side calls them by name, with or without an answer.
 */
import { type Transferable, type WorkerOptions, Worker, parentPort } from 'node:worker_threads'
import { type ErrorBody, AppError } from '../../src-preload/domain/app-error.ts'
import { errcodeOf, isDamage, toSqliteError } from '../database/database.ts'

type Functions = Readonly<Record<string, (question: never) => unknown>>

type Arguments<F extends Functions[string]> =
  Parameters<F> extends []
    ? [question?: undefined, transfer?: readonly Transferable[]]
    : [question: Parameters<F>[0], transfer?: readonly Transferable[]]

/** The functions of the other side. What is in `transfer` is moved to a thread; a process gets a copy. */
export type Remote<Theirs extends Functions> = {
  /** Rejects with what the function has thrown, or when the other side has ended. */
  readonly call: <N extends keyof Theirs & string>(
    name: N,
    ...args: Arguments<Theirs[N]>
  ) => Promise<Awaited<ReturnType<Theirs[N]>>>
  /** Without an answer. What the function throws is an uncaught error of its side. */
  readonly notify: <N extends keyof Theirs & string>(name: N, ...args: Arguments<Theirs[N]>) => void
}

/** The side of the app: it starts a thread or a process, and ends it. */
export type Host<Theirs extends Functions> = Remote<Theirs> & {
  /**
   * Calls `close` there, then ends it. Calls from now on reject; those before may still be answered.
   * @param graceMs after which it is ended without an answer
   */
  readonly close: (graceMs?: number) => Promise<void>
  /** At once. Resolves when it has ended and holds no file any more. */
  readonly stop: () => Promise<void>
}

type HostEvents = {
  /** The other side has ended of an error or reported one, or a call of it found damage. */
  readonly onTrouble?: (message: string, damage: boolean) => void
  /** Once, when it has ended by itself, before `onTrouble`. */
  readonly onEnd?: (error: Error) => void
  /** What calls reject with then. */
  readonly toEnded?: (error: Error) => Error
}

type SentError = {
  readonly message: string
  readonly stack: string | undefined
  /** Of an AppError, which arrives as one. */
  readonly body: ErrorBody | null
  /** SQLite's result code, which tells damage and a full disk from other errors. */
  readonly errcode: number | null
  readonly damage: boolean
}

/** A call without a number is not answered; an error without one belongs to no call. */
type Message =
  | { readonly call: number | null; readonly name: string; readonly question: unknown }
  | { readonly call: number; readonly answer: unknown }
  | { readonly call: number | null; readonly error: SentError; readonly isEnd?: boolean }

type Post = (message: Message, transfer?: readonly Transferable[]) => void

function toSent(error: unknown): SentError {
  const isError = error instanceof Error
  return {
    message: isError ? error.message : String(error),
    stack: isError ? error.stack : undefined,
    body: error instanceof AppError ? error.toBody() : null,
    errcode: errcodeOf(error),
    damage: isDamage(error),
  }
}

function toError({ message, stack, body, errcode }: SentError): Error {
  if (body !== null) return AppError.fromBody(body)
  const error = toSqliteError(message, errcode)
  if (stack !== undefined) error.stack = stack
  return error
}

function createChannel<Theirs extends Functions>(
  post: Post,
  functions: Functions,
  events: HostEvents = {},
) {
  const calls = new Map<number, { done: (answer: unknown) => void; fail: (error: Error) => void }>()
  let lastCall = 0
  let ended: Error | null = null
  /** What new calls reject with. */
  let refused: Error | null = null

  async function answer(call: number, work: () => unknown): Promise<void> {
    try {
      post({ call, answer: await work() })
    } catch (error) {
      post({ call, error: toSent(error) })
    }
  }

  const remote: Remote<Theirs> = {
    call(name, ...[question, transfer]) {
      if (refused !== null) return Promise.reject(refused)
      return new Promise((done, fail) => {
        const call = (lastCall += 1)
        post({ call, name, question }, transfer)
        // Each name is answered with its own type; the channel does not know it.
        calls.set(call, { done: done as (answer: unknown) => void, fail })
      })
    },
    notify(name, ...[question, transfer]) {
      if (ended === null) post({ call: null, name, question }, transfer)
    },
  }

  return {
    ...remote,
    take: (message: Message): void => {
      if (ended !== null) return
      const { call } = message
      if ('name' in message) {
        // The channel pairs each name with its own question.
        const one = functions[message.name] as (question: unknown) => unknown
        if (call === null) one(message.question)
        else void answer(call, () => one(message.question))
        return
      }
      const waiting = call === null ? undefined : calls.get(call)
      if (call !== null) calls.delete(call)
      if ('answer' in message) waiting?.done(message.answer)
      else {
        const { message: text, damage } = message.error
        if (call === null || damage) events.onTrouble?.(text, damage)
        waiting?.fail(toError(message.error))
      }
    },
    refuse(error: Error): void {
      refused ??= events.toEnded?.(error) ?? error
    },
    /** @returns whether it had not ended before */
    end(error: Error): boolean {
      if (ended !== null) return false
      ended = events.toEnded?.(error) ?? error
      refused = ended
      for (const { fail } of calls.values()) fail(ended)
      calls.clear()
      return true
    },
  }
}

/** What is the same for a thread and a process. */
function createHost<Theirs extends Functions>(
  channel: ReturnType<typeof createChannel<Theirs>>,
  stop: () => Promise<void>,
): Host<Theirs> {
  const { call, notify } = channel
  return {
    call,
    notify,
    async close(graceMs) {
      const closed = (channel as unknown as Remote<{ close: () => void }>).call('close')
      channel.refuse(new Error('Tondesk is closing'))
      const late = Promise.withResolvers<null>()
      const timer =
        graceMs === undefined ? undefined : setTimeout(() => late.resolve(null), graceMs)
      await Promise.race([closed.catch(() => undefined), late.promise])
      clearTimeout(timer)
      channel.end(new Error('Tondesk is closing'))
      await stop()
    },
    async stop() {
      channel.end(new Error('It was stopped.'))
      await stop()
    },
  }
}

/** @param functions that the thread may call: as it declares them */
export function startThread<Theirs extends Functions, Mine extends Functions = Functions>(
  entry: URL,
  options: WorkerOptions,
  functions: Readonly<Mine>,
  events: HostEvents = {},
): Host<Theirs> {
  const worker = new Worker(entry, options)
  const post: Post = (message, transfer) => worker.postMessage(message, transfer)
  const channel = createChannel<Theirs>(post, functions, events)
  worker.on('message', channel.take)
  worker.on('error', (error: Error) => {
    if (channel.end(error)) events.onEnd?.(error)
    events.onTrouble?.(error.message, false)
  })
  worker.on('exit', () => {
    const error = new Error('its thread has ended')
    if (channel.end(error)) events.onEnd?.(error)
  })
  return createHost(channel, async () => {
    await worker.terminate()
  })
}

/** What is needed of a process that has been started. */
type StartedProcess = {
  onStderr(listener: (text: string) => void): void
  /** Once. `how` is for a sentence: "exit code 1", "signal SIGKILL". */
  onExit(listener: (how: string) => void): void
  onMessage(listener: (message: unknown) => void): void
  send(message: unknown): void
  kill(): void
}

/** Starts a process. @param functions that it may call */
export type StartWork = <Theirs extends Functions, Mine extends Functions = Functions>(
  functions: Readonly<Mine>,
) => Host<Theirs>

/** The process has ended before its work: as a rule since it had no more memory. */
export class WorkEnded extends Error {}

/**
 * For work on content that others have made. A thread's memory limit is not enough: where a heap
 * cannot grow any more, V8 may end the whole process, and the receiver with it.
 * @param maxHeapMb of which the process ends alone
 */
export function createStartWork(
  start: (flags: readonly string[]) => StartedProcess,
  maxHeapMb: number,
): StartWork {
  return <Theirs extends Functions>(functions: Functions) => {
    const process = start([`--max-old-space-size=${maxHeapMb}`, '--max-semi-space-size=8'])
    const exited = Promise.withResolvers<undefined>()
    let crash: Error | null = null
    const channel = createChannel<Theirs>((message) => process.send(message), functions)
    // Read, so that it does not fill its pipe and wait; what V8 prints of its end helps no user.
    process.onStderr(() => undefined)
    process.onMessage((received) => {
      const message = received as Message
      if ('error' in message && message.isEnd === true) crash = toError(message.error)
      else channel.take(message)
    })
    process.onExit((how) => {
      channel.end(crash ?? new WorkEnded(how))
      exited.resolve(undefined)
    })
    return createHost(channel, async () => {
      process.kill()
      await exited.promise
    })
  }
}

/** What Electron gives a utilityProcess instead of Node's channel. */
type UtilityPort = {
  on(event: 'message', listener: (message: { data: unknown }) => void): void
  postMessage(message: unknown): void
}

/**
 * The other side, in the thread or the process. A process stays until it is stopped, or the app ends.
 * @param functions that the app may call
 */
export function serve<Theirs extends Functions>(
  functions: Functions,
): Remote<Theirs> & { report(error: unknown): void } {
  const { parentPort: utilityPort } = process as unknown as { parentPort?: UtilityPort }
  const post: Post = (message, transfer) => {
    if (parentPort !== null) parentPort.postMessage(message, transfer)
    else if (utilityPort !== undefined) utilityPort.postMessage(message)
    else process.send?.(message, undefined, undefined, () => undefined)
  }
  const { call, notify, take } = createChannel<Theirs>(post, functions)
  if (parentPort !== null) parentPort.on('message', take)
  else {
    if (utilityPort !== undefined) utilityPort.on('message', ({ data }) => take(data as Message))
    else process.on('message', (message) => take(message as Message))
    process.on('disconnect', () => process.exit(0))
    process.on('uncaughtException', (error) => {
      post({ call: null, error: toSent(error), isEnd: true })
      // After what was sent has left.
      setTimeout(() => process.exit(1), 100)
    })
  }
  return { call, notify, report: (error) => post({ call: null, error: toSent(error) }) }
}
