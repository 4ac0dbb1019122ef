/**
 * A request waits for its place in the queue, the rate limit and a free connection; its time limit
 * starts afterwards.
 */
import type { Pace, PacedResponse } from './pace.ts'

export type QueueClock = {
  /** Monotonic milliseconds. */
  now(): number
  after(ms: number, run: () => void): () => void
}

export type Turn = {
  readonly priority: Priority
  readonly owner: string
  /** The request fails at once if the queue pauses for longer. With null it waits through any pause. */
  readonly patienceMs: number | null
  readonly isRepeated: boolean
  readonly signal: AbortSignal | undefined
}

export type Queue = ReturnType<typeof createQueue>

export class PausedTooLong extends Error {
  readonly leftMs: number
  constructor(leftMs: number) {
    super('paused for too long')
    this.leftMs = leftMs
  }
}

export class QueueClosed extends Error {}

/** More parallel requests to one server gain nothing. */
const maxConcurrent = 8
/** Jobs leave two connections to interactive requests. */
const maxConcurrentJobs = 6

type Waiting = Turn & { readonly go: () => void; readonly refuse: (error: Error) => void }

export function createQueue(firstPace: Pace, clock: QueueClock, onChanged: () => void) {
  const queue = createFairQueue<Waiting>()
  let pace = firstPace
  const underWay: Record<Priority, number> = { interactive: 0, job: 0 }
  let isClosed = false
  let stopTimer: (() => void) | null = null

  function pump(): void {
    stopTimer?.()
    stopTimer = null
    while (queue.all().length > 0 && underWay.interactive + underWay.job < maxConcurrent) {
      const now = clock.now()
      const wait = pace.readyAt() - now
      if (wait > 0) {
        stopTimer = clock.after(wait, pump)
        return
      }
      const next = queue.take(underWay.job < maxConcurrentJobs)
      if (next === undefined) return
      pace.sent(now)
      underWay[next.priority] += 1
      next.go()
    }
  }

  function rejectImpatient(): void {
    const leftMs = pace.state().pausedUntil - clock.now()
    for (const waiting of queue.all()) {
      if (waiting.patienceMs !== null && leftMs > waiting.patienceMs) {
        waiting.refuse(new PausedTooLong(leftMs))
      }
    }
  }

  function paceChanged(): void {
    rejectImpatient()
    pump()
    onChanged()
  }

  return {
    /**
     * Resolves when the request may be sent; call `leave` afterwards.
     * @throws PausedTooLong · QueueClosed · the signal's reason, at once
     */
    async enter(turn: Turn): Promise<void> {
      turn.signal?.throwIfAborted()
      if (isClosed) throw new QueueClosed()
      await new Promise<void>((resolve, reject) => {
        const { signal } = turn
        const onAbort = () => waiting.refuse(signal?.reason as Error)
        const waiting: Waiting = {
          ...turn,
          go() {
            signal?.removeEventListener('abort', onAbort)
            resolve()
          },
          refuse(error) {
            signal?.removeEventListener('abort', onAbort)
            queue.remove(waiting)
            onChanged()
            reject(error)
          },
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        if (turn.isRepeated) queue.addFirst(waiting)
        else queue.add(waiting)
        rejectImpatient()
        pump()
      })
      onChanged()
    },
    leave(priority: Priority, response: PacedResponse): void {
      underWay[priority] -= 1
      pace.answered(response, clock.now())
      paceChanged()
    },
    pauseUntil(moment: number): void {
      pace.pauseUntil(moment)
      paceChanged()
    },
    changePace(next: Pace): void {
      pace = next
      pump()
    },
    state: () => ({
      waiting: { interactive: queue.size('interactive'), job: queue.size('job') },
      underWay: underWay.interactive + underWay.job,
      pace: pace.state(),
    }),
    close(): void {
      isClosed = true
      stopTimer?.()
      for (const waiting of queue.all()) waiting.refuse(new QueueClosed())
    },
  }
}

export type Priority = 'interactive' | 'job'

type Queued = { readonly priority: Priority; readonly owner: string }

/**
 * After this many interactive requests in a row a job's request is sent, so that a busy page cannot
 * stop all jobs.
 */
const maxInteractiveInARow = 10

/** Interactive requests go before jobs; within a priority the owners take turns. */
export function createFairQueue<T extends Queued>() {
  const queues = { interactive: new Map<string, T[]>(), job: new Map<string, T[]>() }
  let inARow = 0

  const waiting = (priority: Priority) => [...queues[priority].values()].flat()

  return {
    add(item: T): void {
      const owners = queues[item.priority]
      owners.set(item.owner, [...(owners.get(item.owner) ?? []), item])
    },
    addFirst(item: T): void {
      const owners = queues[item.priority]
      const others = [...owners].filter(([owner]) => owner !== item.owner)
      const items = [item, ...(owners.get(item.owner) ?? [])]
      owners.clear()
      for (const [owner, its] of [[item.owner, items] as const, ...others]) owners.set(owner, its)
    },
    /** Undefined when the queue is empty, or when only jobs wait and none may be sent. */
    take(mayJobsGo: boolean): T | undefined {
      const isJobsTurn = inARow >= maxInteractiveInARow && queues.job.size > 0 && mayJobsGo
      const owners = queues.interactive.size > 0 && !isJobsTurn ? queues.interactive : queues.job
      if (owners === queues.job && !mayJobsGo) return undefined
      inARow = owners === queues.interactive ? inARow + 1 : 0
      const [owner, items] = owners.entries().next().value ?? ['', [] as T[]]
      const [item, ...left] = items
      owners.delete(owner)
      if (left.length > 0) owners.set(owner, left)
      return item
    },
    remove(item: T): void {
      const owners = queues[item.priority]
      const left = owners.get(item.owner)?.filter((other) => other !== item) ?? []
      if (left.length > 0) owners.set(item.owner, left)
      else owners.delete(item.owner)
    },
    all: () => [...waiting('interactive'), ...waiting('job')],
    size: (priority: Priority) => waiting(priority).length,
  }
}
