/** Background requests to the networks' gateways: docs/decisions/0020-request-queue.md */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import { createBackgroundLoop } from './background-loop.ts'
import type { JobClock } from './job-run.ts'

/** A task handles its own failures; a rejected promise is logged as a bug. */
export type RequestTask = {
  /** For each network, only one task with the same key runs at a time. */
  readonly key: string
  readonly run: (signal: AbortSignal, backoff: Backoff) => Promise<void>
}

export type RunningKeys = Pick<ReadonlySet<string>, 'has' | 'size'>

type BackgroundRequestsDeps = JobClock & {
  /** The most urgent task that is not running; null if none is due. */
  readonly next: (network: NetworkId, running: RunningKeys) => RequestTask | null
  /** The reason why no request to the network is possible; null otherwise. */
  readonly whyNot: (network: NetworkId) => string | null
  readonly onTick: () => void
  /** Called after each task, because the network's displayed state may have changed. */
  readonly onSettled: (network: NetworkId) => void
  readonly onBug: (error: unknown) => void
}

export type BackgroundRequests = ReturnType<typeof createBackgroundRequests>

const maxRunning = 4
const tickMs = 1000

export function createBackgroundRequests(deps: BackgroundRequestsDeps) {
  const queues = new Map<NetworkId, RequestQueue>()
  const forgetting = new Set<NetworkId>()
  const ticking = createBackgroundLoop(async (signal) => {
    while (!signal.aborted) {
      try {
        deps.onTick()
      } catch (error) {
        deps.onBug(error)
      }
      await deps.wait(tickMs, signal)
    }
  }, deps.onBug)

  /** Null when no task of the network may start. */
  function openQueue(network: NetworkId): RequestQueue | null {
    if (forgetting.has(network) || ticking.signal.aborted) return null
    const queue = queues.get(network) ?? new RequestQueue(network, deps, ticking.signal)
    queues.set(network, queue)
    return queue
  }

  return {
    startTicking: ticking.run,
    /** Starts tasks of `next` unless the network is unavailable or in a backoff. */
    run: (network: NetworkId): void => openQueue(network)?.run(),
    /**
     * Runs a task at once, even during a backoff. If a task with its key is running, the new task
     * runs after it, shared by all callers until then.
     */
    start: async (network: NetworkId, task: RequestTask): Promise<void> =>
      openQueue(network)?.start(task),
    isRunning: (network: NetworkId, key: string) => queues.get(network)?.isStarted(key) === true,
    cancel: async (network: NetworkId, key: string): Promise<void> =>
      queues.get(network)?.cancel(key),
    problem: (network: NetworkId) =>
      deps.whyNot(network) ?? queues.get(network)?.backoff.problem() ?? null,
    retryNow(network?: NetworkId): void {
      for (const [id, queue] of queues) {
        if ((network !== undefined && id !== network) || !queue.backoff.isTried()) continue
        queue.backoff.answered()
        openQueue(id)?.run()
      }
    },
    /** Aborts all tasks of the network; none starts until `rest` has resolved. */
    async forget(network: NetworkId, rest: () => Promise<void>): Promise<void> {
      forgetting.add(network)
      try {
        await queues.get(network)?.end()
        queues.delete(network)
        await rest()
      } finally {
        forgetting.delete(network)
      }
    },
    async stop(): Promise<void> {
      await Promise.all([ticking.stop(), ...[...queues.values()].map((queue) => queue.settled())])
    },
  }
}

type StartedTask = {
  readonly done: Promise<void>
  readonly abort: AbortController
  next: Promise<void> | null
}

/** The tasks of one network. */
class RequestQueue {
  readonly backoff: Backoff
  readonly #network: NetworkId
  readonly #deps: BackgroundRequestsDeps
  readonly #abort = new AbortController()
  readonly #signal: AbortSignal
  readonly #running = new Map<string, Promise<void>>()
  readonly #started = new Map<string, StartedTask>()

  constructor(network: NetworkId, deps: BackgroundRequestsDeps, stopped: AbortSignal) {
    this.#network = network
    this.#deps = deps
    this.#signal = AbortSignal.any([this.#abort.signal, stopped])
    this.backoff = createBackoff(deps.now)
  }

  run(): void {
    const { next, onBug, onSettled, whyNot } = this.#deps
    // After a failure, a single request shows whether the gateway responds again.
    const limit = () => (this.backoff.isTried() ? 1 : maxRunning)
    while (
      !this.#signal.aborted &&
      this.#running.size < limit() &&
      this.backoff.leftMs() === 0 &&
      whyNot(this.#network) === null
    ) {
      const task = next(this.#network, this.#running)
      if (task === null) return
      const done = task
        .run(this.#signal, this.backoff)
        .catch(onBug)
        // A task without any request ends at once, so other work such as deliveries gets its turn.
        .then(() => yieldToEventLoop())
        .finally(() => {
          this.#running.delete(task.key)
          onSettled(this.#network)
          this.run()
        })
      this.#running.set(task.key, done)
    }
  }

  async start(task: RequestTask): Promise<void> {
    if (this.#signal.aborted) return
    const before = this.#started.get(task.key)
    if (before !== undefined) {
      before.next ??= before.done.catch(() => undefined).then(() => this.start(task))
      return before.next
    }
    const abort = new AbortController()
    const signal = AbortSignal.any([abort.signal, this.#signal])
    const done = task.run(signal, this.backoff).finally(() => {
      this.#started.delete(task.key)
      this.#deps.onSettled(this.#network)
    })
    this.#started.set(task.key, { done, abort, next: null })
    return done
  }

  isStarted(key: string): boolean {
    return this.#started.has(key)
  }

  async cancel(key: string): Promise<void> {
    const task = this.#started.get(key)
    task?.abort.abort()
    await task?.done.catch(() => undefined)
  }

  /** Aborts all tasks and starts no more. */
  async end(): Promise<void> {
    this.#abort.abort()
    await this.settled()
  }

  settled(): Promise<unknown> {
    return Promise.allSettled([
      ...this.#running.values(),
      ...[...this.#started.values()].flatMap(({ done, next }) => [done, next]),
    ])
  }
}
