/** Follows what is classified: the newest first, each capture once, how far is on disk. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { CaptureMeanings, Followed, StoredMeaning } from '../store/capture-meanings.ts'
import type { Wait } from './parts.ts'
import type { Understand } from './understand.ts'

type WatcherDeps = {
  readonly meanings: Pick<CaptureMeanings, 'byIds' | 'followed' | 'write'>
  readonly understand: Pick<Understand, 'rows'>
  /** Captures are classified up to this one. */
  readonly classifiedTo: () => number
  /** Resolves when the ledger of invoices has looked at captures up to this one, or does not in time. */
  readonly reported: (upTo: number, signal: AbortSignal) => Promise<void>
  readonly onWritten: (rows: readonly StoredMeaning[]) => void
  /** More captures arrive than the cores have time for: what can wait is to wait. */
  readonly isRush: () => boolean
  readonly wait: Wait
  readonly onBug: (error: unknown) => void
}

type Watcher = {
  start(): void
  classified(upTo: number): void
  /** How many are still to be looked at, at most. */
  left(): number
  stop(): Promise<void>
}

const sliceIds = 200
/** With more than this behind, it keeps to a fifth of the time: deliveries are to be answered. */
const restFactor = 4
/** In a rush one slice that often is all. */
const burstPauseMs = 500
const maxGaps = 50

export function createWatcher(deps: WatcherDeps): Watcher {
  const { meanings } = deps
  const stopped = new AbortController()
  let upTo = 0
  let isOn = false
  let following: Promise<void> | null = null
  let followed = meanings.followed()
  const isStopped = () => stopped.signal.aborted

  async function follow(): Promise<void> {
    while (!isStopped()) {
      const slice = nextSlice(followed, upTo, sliceIds)
      if (slice === null) return
      const began = performance.now()
      await deps.reported(slice.to, stopped.signal)
      if (isStopped()) return
      const ids = idsOf(slice.after, slice.to)
      const known = meanings.byIds(ids)
      const rows = await deps.understand.rows(ids.filter((id) => !known.has(id)))
      meanings.write(rows, slice.followed)
      followed = slice.followed
      if (rows.length > 0) deps.onWritten(rows)
      const isBehind = nextSlice(followed, upTo, sliceIds) !== null
      if (deps.isRush()) await rest(burstPauseMs)
      else if (isBehind) await rest((performance.now() - began) * restFactor)
      else await breathe()
    }
  }

  async function rest(ms: number): Promise<void> {
    try {
      await deps.wait(ms, stopped.signal)
    } catch {
      // Stopped meanwhile, which the loop sees.
    }
  }

  function go(): void {
    if (!isOn || isStopped() || following !== null) return
    const started = upTo
    following = follow()
      .catch((error: unknown) => {
        if (!isStopped()) deps.onBug(error)
      })
      .finally(() => {
        following = null
        if (upTo > started) go()
      })
  }

  return {
    start() {
      isOn = true
      upTo = Math.max(upTo, deps.classifiedTo())
      go()
    },
    classified(to) {
      upTo = Math.max(upTo, to)
      go()
    },
    left() {
      const gaps = followed.gaps.reduce((sum, [after, to]) => sum + to - after, 0)
      return gaps + Math.max(0, upTo - followed.to)
    },
    async stop() {
      stopped.abort()
      await following
    },
  }
}

type Slice = {
  readonly after: number
  readonly to: number
  /** How far it will be followed when this is done. */
  readonly followed: Followed
}

/** The newest that were not looked at: of what has arrived since, else of what was left out. Pure. */
export function nextSlice({ to, gaps }: Followed, upTo: number, size: number): Slice | null {
  if (upTo > to) {
    const after = Math.max(to, upTo - size)
    const left = after > to ? [...gaps, [to, after] as const] : gaps
    return { after, to: upTo, followed: { to: upTo, gaps: fewer(left) } }
  }
  const gap = gaps.at(-1)
  // While the index is made anew, what was left out is not classified yet.
  if (gap === undefined || gap[1] > upTo) return null
  const [from, last] = gap
  const after = Math.max(from, last - size)
  const rest = gaps.slice(0, -1)
  const left = after > from ? [...rest, [from, after] as const] : rest
  return { after, to: last, followed: { to, gaps: left } }
}

/** Two gaps become one: what lies between has rows, and is not looked at twice. */
function fewer(gaps: Followed['gaps']): Followed['gaps'] {
  const [first, second, ...rest] = gaps
  if (first === undefined || second === undefined || gaps.length <= maxGaps) return gaps
  return [[first[0], second[1]], ...rest]
}

function idsOf(after: number, to: number): number[] {
  return Array.from({ length: to - after }, (_, index) => to - index)
}
