/** Background requests to the networks' gateways: docs/decisions/0020-request-queue.md */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import { createBackgroundLoop } from './background-loop.ts'
import type { JobClock } from './job-run.ts'

/** A task handles its own failures; a rejection is logged as a bug. */
export type RequestTask = {
  /** Per network, one task of a key runs at a time. */
  readonly key: string
  readonly run: (signal: AbortSignal, backoff: Backoff) => Promise<void>
}

export type RunningKeys = Pick<ReadonlySet<string>, 'has' | 'size'>

type BackgroundRequestsDeps = JobClock & {
  /** The most urgent task that is not running; null when none is due. */
  readonly next: (network: NetworkId, running: RunningKeys) => RequestTask | null
  /** Reason why nothing can be requested from the network; null otherwise. */
  readonly whyNot: (network: NetworkId) => string | null
  readonly onTick: () => void
  /** Called after each task, because the network's displayed state may have changed. */
  readonly onSettled: (network: NetworkId) => void
  readonly onBug: (error: unknown) => void
}

export type BackgroundRequests = ReturnType<typeof createBackgroundRequests>

type StartedTask = {
  readonly done: Promise<void>
  readonly abort: AbortController
  next: Promise<void> | null
}

const maxRunning = 4
const tickMs = 1000

export function createBackgroundRequests(deps: BackgroundRequestsDeps) {
  const queues = new Map<NetworkId, ReturnType<typeof createQueue>>()
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
  const stopped = ticking.signal

  function createQueue() {
    const abort = new AbortController()
    return {
      running: new Map<string, Promise<void>>(),
      started: new Map<string, StartedTask>(),
      backoff: createBackoff(deps.now),
      abort,
      signal: AbortSignal.any([abort.signal, stopped]),
    }
  }

  function queueOf(network: NetworkId) {
    const queue = queues.get(network) ?? createQueue()
    queues.set(network, queue)
    return queue
  }

  function run(network: NetworkId): void {
    if (forgetting.has(network) || stopped.aborted) return
    const queue = queueOf(network)
    const { running, backoff, signal } = queue
    // After a failure, a single request shows whether the gateway responds again.
    const limit = () => (backoff.isTried() ? 1 : maxRunning)
    while (running.size < limit() && backoff.leftMs() === 0) {
      if (deps.whyNot(network) !== null) return
      const task = deps.next(network, running)
      if (task === null) return
      const done = task
        .run(signal, backoff)
        .catch(deps.onBug)
        // Responses that are stored already are handled at once; deliveries are received in between.
        .then(() => yieldToEventLoop())
        .finally(() => {
          running.delete(task.key)
          deps.onSettled(network)
          if (queues.get(network) === queue) run(network)
        })
      running.set(task.key, done)
    }
  }

  async function start(network: NetworkId, task: RequestTask): Promise<void> {
    if (forgetting.has(network) || stopped.aborted) return
    const { started, backoff, signal } = queueOf(network)
    const before = started.get(task.key)
    if (before !== undefined) {
      before.next ??= before.done.catch(() => undefined).then(() => start(network, task))
      return before.next
    }
    const abort = new AbortController()
    const done = task.run(AbortSignal.any([abort.signal, signal]), backoff).finally(() => {
      started.delete(task.key)
      deps.onSettled(network)
    })
    started.set(task.key, { done, abort, next: null })
    return done
  }

  const tasksOf = ({ running, started }: ReturnType<typeof createQueue>): Promise<unknown> =>
    Promise.allSettled([
      ...running.values(),
      ...[...started.values()].flatMap(({ done, next }) => [done, next]),
    ])

  return {
    startTicking: ticking.run,
    /** Starts tasks of `next` unless the network is unavailable or in a backoff. */
    run,
    /**
     * Runs a task at once, ignoring the backoff. If a task of its key is running, the new task runs after
     * it, shared by all callers until then.
     */
    start,
    isRunning: (network: NetworkId, key: string) => queues.get(network)?.started.has(key) === true,
    async cancel(network: NetworkId, key: string): Promise<void> {
      const task = queues.get(network)?.started.get(key)
      task?.abort.abort()
      await task?.done.catch(() => undefined)
    },
    problem: (network: NetworkId) =>
      deps.whyNot(network) ?? queues.get(network)?.backoff.problem() ?? null,
    retryNow(network?: NetworkId): void {
      for (const [id, { backoff }] of queues) {
        if ((network !== undefined && id !== network) || !backoff.isTried()) continue
        backoff.answered()
        run(id)
      }
    },
    /** Aborts all tasks of the network; none starts until `rest` is done. */
    async forget(network: NetworkId, rest: () => Promise<void>): Promise<void> {
      forgetting.add(network)
      try {
        const queue = queues.get(network)
        queue?.abort.abort()
        if (queue !== undefined) await tasksOf(queue)
        queues.delete(network)
        await rest()
      } finally {
        forgetting.delete(network)
      }
    },
    async stop(): Promise<void> {
      await Promise.all([ticking.stop(), ...[...queues.values()].map(tasksOf)])
    },
  }
}
