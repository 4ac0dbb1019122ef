/**
 * Calls between the app and its worker threads and child processes. Each side offers functions of
 * one argument, which the other side calls by name, with or without a reply.
 */
import { type Transferable, type WorkerOptions, Worker, parentPort } from 'node:worker_threads'
import type { Handlers, RouteName } from '../../src-preload/contract/routes.ts'
import { type ErrorBody, AppError } from '../../src-preload/domain/app-error.ts'
import { DamageError, errcodeOf, isDamage, toSqliteError } from '../database/database.ts'
import type { SandboxProcess } from '../networks/sandbox-process.ts'

type Functions = Readonly<Record<string, (question: never) => unknown>>

type Arguments<F extends Functions[string]> =
  Parameters<F> extends []
    ? [question?: undefined, transfer?: readonly Transferable[]]
    : [question: Parameters<F>[0], transfer?: readonly Transferable[]]

/** Objects in `transfer` are moved to a thread; a process gets a copy. */
export type Remote<Theirs extends Functions> = {
  /** Rejects with the function's error, or when the other side has ended. */
  readonly call: <N extends keyof Theirs & string>(
    name: N,
    ...args: Arguments<Theirs[N]>
  ) => Promise<Awaited<ReturnType<Theirs[N]>>>
  /** Sends a call without a reply. If the function throws, its side gets an uncaught error. */
  readonly notify: <N extends keyof Theirs & string>(name: N, ...args: Arguments<Theirs[N]>) => void
}

export type Host<Theirs extends Functions> = Remote<Theirs> & {
  /**
   * Calls `close` on the other side and ends that side. Later calls reject; earlier ones may still get a reply.
   * @param graceMs time until the other side is terminated
   */
  readonly close: (graceMs?: number) => Promise<void>
  /** Terminates the other side at once; resolves when it has closed all its files. */
  readonly stop: () => Promise<void>
}

type HostEvents = {
  /** Called if the other side failed or reported an error, or if a call found damage. */
  readonly onTrouble?: (message: string, damage: boolean) => void
  /** Called once when the thread ended unexpectedly, before `onTrouble`. */
  readonly onEnd?: (error: Error) => void
  readonly toEnded?: (error: Error) => Error
}

type SentError = {
  readonly message: string
  readonly stack: string | undefined
  /** Set for an AppError, which is restored on the other side. */
  readonly body: ErrorBody | null
  /** SQLite's result code, which distinguishes damage and a full disk from other errors. */
  readonly errcode: number | null
  readonly damage: boolean
}

/** A call without a number gets no reply; an error without a number belongs to no call. */
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

function toError({ message, stack, body, errcode, damage }: SentError): Error {
  if (body !== null) return AppError.fromBody(body)
  const isOnlyDamage = damage && errcode === null
  const error = isOnlyDamage ? new DamageError(message) : toSqliteError(message, errcode)
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
        // Each function has its own reply type, which the channel does not know.
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
        // The channel pairs each name with its own argument type.
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
      channel.end(new Error('The task was stopped.'))
      await stop()
    },
  }
}

/**
 * Creates handlers for routes that a thread handles. Each route has its own types, which one
 * function for all cannot express.
 */
export function relayRoutes<N extends RouteName>(
  names: readonly N[],
  call: (name: never, question: never) => Promise<unknown>,
): Pick<Handlers, N> {
  const relay = (name: N) => async (question: unknown) => call(name as never, question as never)
  return Object.fromEntries(names.map((name) => [name, relay(name)])) as never
}

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

type StartedProcess = Omit<SandboxProcess, 'onStdout'>

export type StartWork = <Theirs extends Functions, Mine extends Functions = Functions>(
  functions: Readonly<Mine>,
) => Host<Theirs>

/** The process ended before its work was done, usually for lack of memory. */
export class WorkEnded extends Error {}

/**
 * Starts processes for untrusted content. A thread's memory limit is not enough: when a heap cannot grow,
 * V8 may end the whole process and the receiver with it.
 * @param maxHeapMb limit at which only the child process ends
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
    // A full pipe would block the process, so its output is read and dropped; V8's messages do not help users.
    process.onStderr(() => undefined)
    process.onMessage((received) => {
      const message = received as Message
      if ('error' in message && message.isEnd === true) {
        crash = toError(message.error)
        process.kill()
      } else channel.take(message)
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

type UtilityPort = {
  on(event: 'message', listener: (message: { data: unknown }) => void): void
  postMessage(message: unknown): void
}

/**
 * Serves calls in the thread or process. A process runs until it is stopped or the app ends.
 * @param functions the functions that the app may call
 */
export function serveCalls<Theirs extends Functions>(
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
    // The app ends the process once it has received the error.
    process.on('uncaughtException', (error) => {
      post({ call: null, error: toSent(error), isEnd: true })
    })
  }
  return { call, notify, report: (error) => post({ call: null, error: toSent(error) }) }
}
