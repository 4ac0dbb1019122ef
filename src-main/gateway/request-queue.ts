/**
 * The queue before one root of one network. A request waits for its turn, its pace and a free
 * place; the wait counts towards no time limit, for it is none of the gateway's doing.
 */
import type { Pace, PacedAnswer, PaceState } from './pace.ts'

export type QueueClock = {
  /** Milliseconds; never goes back. */
  now(): number
  /** @returns calls it off */
  after(ms: number, run: () => void): () => void
}

export type Turn = {
  readonly priority: Priority
  readonly owner: string
  /** Somebody waits: it is refused rather than kept through a pause longer than this. Null waits. */
  readonly patienceMs: number | null
  /** It was sent, and refused. */
  readonly isRepeated: boolean
  readonly signal: AbortSignal | undefined
}

export type Queue = {
  /**
   * Resolves when it may be sent; `leave` has to follow.
   * @throws PausedTooLong · LaneClosed · the signal's reason, at once
   */
  enter(turn: Turn): Promise<void>
  leave(priority: Priority, answer: PacedAnswer): void
  pauseUntil(moment: number): void
  /** Another key has another limit. */
  changePace(pace: Pace): void
  state(): QueueState
  /** Ends all waiting. */
  close(): void
}

export type QueueState = {
  readonly waiting: Readonly<Record<Priority, number>>
  readonly underWay: number
  readonly pace: PaceState
}

export class PausedTooLong extends Error {
  readonly leftMs: number
  constructor(leftMs: number) {
    super('paused for too long')
    this.leftMs = leftMs
  }
}

export class QueueClosed extends Error {}

/** More at once gain nothing from one server and cost it much. */
const maxUnderWay = 8
/** A place or two stay free for people, however slow the jobs' requests are. */
const maxJobsUnderWay = 6

type Waiting = Turn & { readonly go: () => void; readonly refuse: (error: Error) => void }

export function createQueue(firstPace: Pace, clock: QueueClock, onChanged: () => void): Queue {
  const queue = createFairQueue<Waiting>()
  let pace = firstPace
  const underWay: Record<Priority, number> = { interactive: 0, job: 0 }
  let isClosed = false
  let stopTimer: (() => void) | null = null

  function pump(): void {
    stopTimer?.()
    stopTimer = null
    while (queue.size() > 0 && underWay.interactive + underWay.job < maxUnderWay) {
      const now = clock.now()
      const wait = pace.readyAt() - now
      if (wait > 0) {
        stopTimer = clock.after(wait, pump)
        return
      }
      const next = queue.take(underWay.job < maxJobsUnderWay)
      if (next === undefined) return
      pace.sent(now)
      underWay[next.priority] += 1
      next.go()
    }
  }

  function refuseImpatient(): void {
    const leftMs = pace.state().pausedUntil - clock.now()
    for (const waiting of queue.all()) {
      if (waiting.patienceMs !== null && leftMs > waiting.patienceMs) {
        waiting.refuse(new PausedTooLong(leftMs))
      }
    }
  }

  return {
    async enter(turn) {
      turn.signal?.throwIfAborted()
      if (isClosed) throw new QueueClosed()
      await new Promise<void>((resolve, reject) => {
        const { signal } = turn
        const calledOff = () => waiting.refuse(signal?.reason as Error)
        const waiting: Waiting = {
          ...turn,
          go() {
            signal?.removeEventListener('abort', calledOff)
            resolve()
          },
          refuse(error) {
            signal?.removeEventListener('abort', calledOff)
            queue.remove(waiting)
            onChanged()
            reject(error)
          },
        }
        signal?.addEventListener('abort', calledOff, { once: true })
        if (turn.isRepeated) queue.addFirst(waiting)
        else queue.add(waiting)
        refuseImpatient()
        pump()
      })
      onChanged()
    },
    leave(priority, answer) {
      underWay[priority] -= 1
      pace.answered(answer, clock.now())
      refuseImpatient()
      pump()
      onChanged()
    },
    pauseUntil(moment) {
      pace.pauseUntil(moment)
      refuseImpatient()
      pump()
      onChanged()
    },
    changePace(next) {
      pace = next
      pump()
    },
    state: () => ({
      waiting: { interactive: queue.size('interactive'), job: queue.size('job') },
      underWay: underWay.interactive + underWay.job,
      pace: pace.state(),
    }),
    close() {
      isClosed = true
      stopTimer?.()
      for (const waiting of queue.all()) waiting.refuse(new QueueClosed())
    },
  }
}

/** Who is sent next: interactive before jobs, and within each the owners in turn. */

export type Priority = 'interactive' | 'job'

type Queued = { readonly priority: Priority; readonly owner: string }

type FairQueue<T extends Queued> = {
  add(item: T): void
  /** Before all others of its owner, which is next: it had its turn, and has to have it again. */
  addFirst(item: T): void
  /** Undefined when nobody is there, or only jobs where none may go. */
  take(mayJobsGo: boolean): T | undefined
  remove(item: T): void
  all(): readonly T[]
  size(priority?: Priority): number
}

/** So many interactive ones in a row, then a job: a page that asks on and on must not end all jobs. */
const maxInARow = 10

export function createFairQueue<T extends Queued>(): FairQueue<T> {
  // The order of a map's keys is the order of the turns.
  const lines: Readonly<Record<Priority, Map<string, T[]>>> = {
    interactive: new Map(),
    job: new Map(),
  }
  let inARow = 0

  function takeFrom(line: Map<string, T[]>): T | undefined {
    for (const [owner, items] of line) {
      const item = items.shift()
      line.delete(owner)
      if (items.length > 0) line.set(owner, items)
      return item
    }
    return undefined
  }

  const all = (priority: Priority) => [...lines[priority].values()].flat()

  return {
    add(item) {
      const line = lines[item.priority]
      const items = line.get(item.owner)
      if (items === undefined) line.set(item.owner, [item])
      else items.push(item)
    },
    addFirst(item) {
      const line = lines[item.priority]
      const others = [...line].filter(([owner]) => owner !== item.owner)
      const items = [item, ...(line.get(item.owner) ?? [])]
      line.clear()
      line.set(item.owner, items)
      for (const [owner, its] of others) line.set(owner, its)
    },
    take(mayJobsGo) {
      const isJobsTurn = inARow >= maxInARow && lines.job.size > 0 && mayJobsGo
      const line = lines.interactive.size > 0 && !isJobsTurn ? lines.interactive : lines.job
      if (line === lines.job && !mayJobsGo) return undefined
      inARow = line === lines.interactive ? inARow + 1 : 0
      return takeFrom(line)
    },
    remove(item) {
      const line = lines[item.priority]
      const left = line.get(item.owner)?.filter((other) => other !== item) ?? []
      if (left.length > 0) line.set(item.owner, left)
      else line.delete(item.owner)
    },
    all: () => [...all('interactive'), ...all('job')],
    size: (priority) =>
      priority === undefined ? all('interactive').length + all('job').length : all(priority).length,
  }
}
