/**
 * Work on content that others have made, in a process of its own. A thread's memory limit is not
 * enough: where a heap cannot grow any more, V8 may end the whole process, and the receiver with it.
 */

/** What is needed of a process that has been started. */
type StartedProcess = {
  onStderr(listener: (text: string) => void): void
  /** Once. `how` is for a sentence: "exit code 1", "signal SIGKILL". */
  onExit(listener: (how: string) => void): void
  onMessage(listener: (message: unknown) => void): void
  send(message: unknown): void
  kill(): void
}

export type WorkProcess = {
  readonly post: (message: unknown) => void
  /** At once. Resolves when it has ended and holds no file any more. */
  readonly stop: () => Promise<void>
}

export type WorkListener<Report> = {
  onReport(report: Report): void
  /** Once, whatever the reason; null where `stop` was called. */
  onEnd(error: Error | null): void
}

/** Starts a process with an order, which it gets before all else. */
export type StartWork = <Report>(order: unknown, listener: WorkListener<Report>) => WorkProcess

/** The process has ended before its work: as a rule since it had no more memory. */
export class WorkEnded extends Error {}

type Envelope = { readonly report: unknown } | { readonly crash: string }

/** @param maxHeapMb of which it ends alone */
export function createStartWork(
  start: (flags: readonly string[]) => StartedProcess,
  maxHeapMb: number,
): StartWork {
  return <Report>(order: unknown, listener: WorkListener<Report>) => {
    const process = start([`--max-old-space-size=${maxHeapMb}`, '--max-semi-space-size=8'])
    const ended = Promise.withResolvers<undefined>()
    let isStopped = false
    let crash: string | null = null
    // Read, so that it does not fill its pipe and wait; what V8 prints of its end helps no user.
    process.onStderr(() => undefined)
    process.onMessage((message) => {
      const envelope = message as Envelope
      if ('crash' in envelope) crash = envelope.crash
      else if (!isStopped) listener.onReport(envelope.report as Report)
    })
    process.onExit((how) => {
      ended.resolve(undefined)
      const error = crash === null ? new WorkEnded(how) : new Error(crash)
      listener.onEnd(isStopped ? null : error)
    })
    process.send(order)
    return {
      post: (message) => process.send(message),
      async stop() {
        isStopped = true
        process.kill()
        await ended.promise
      },
    }
  }
}

/** What Electron gives a utilityProcess instead of Node's channel. */
type ParentPort = {
  on(event: 'message', listener: (message: { data: unknown }) => void): void
  postMessage(message: unknown): void
}

type WorkPort<Order, Report, Request> = {
  readonly order: Order
  readonly report: (report: Report) => void
  /** Called with what was posted, also before this was. */
  readonly onRequest: (listener: (request: Request) => void) => void
}

/** The other side, in the process: it stays until it is stopped, or its parent ends. */
export async function openWorkPort<Order, Report, Request = never>(): Promise<
  WorkPort<Order, Report, Request>
> {
  const { parentPort } = process as unknown as { parentPort?: ParentPort }
  const send = (envelope: Envelope) =>
    parentPort === undefined
      ? process.send?.(envelope, undefined, undefined, () => undefined)
      : parentPort.postMessage(envelope)
  const first = Promise.withResolvers<Order>()
  const early: Request[] = []
  let isFirst = true
  let take = (request: Request): void => void early.push(request)
  const onMessage = (message: unknown) => {
    if (isFirst) first.resolve(message as Order)
    else take(message as Request)
    isFirst = false
  }
  if (parentPort === undefined) process.on('message', onMessage)
  else parentPort.on('message', ({ data }) => onMessage(data))
  process.on('disconnect', () => process.exit(0))
  process.on('uncaughtException', (error) => {
    send({ crash: error.stack ?? error.message })
    // After what was sent has left.
    setTimeout(() => process.exit(1), 100)
  })
  return {
    order: await first.promise,
    report: (report) => void send({ report }),
    onRequest(listener) {
      take = listener
      for (const request of early.splice(0)) listener(request)
    },
  }
}
