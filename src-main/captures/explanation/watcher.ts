/** Explains classified captures once each, newest first; the progress is on disk. */
import type { AppContext } from '../../app/context.ts'
import { createBackgroundLoop } from '../../jobs/background-loop.ts'
import type { CaptureMeanings, Followed, StoredMeaning } from '../store/capture-meanings.ts'
import type { CaptureReader } from './read-capture.ts'

type WatcherDeps = Pick<AppContext, 'onBug' | 'wait'> & {
  readonly meanings: Pick<CaptureMeanings, 'byIds' | 'followed' | 'write'>
  readonly captureReader: Pick<CaptureReader, 'rows'>
  readonly classifiedTo: () => number
  readonly invoices: { reportsFollowedTo(): number }
  readonly onWritten: (rows: readonly StoredMeaning[]) => void
  readonly isRush: () => boolean
}

const sliceIds = 200
/** Explaining takes a fifth of the time under load, because responses to deliveries come first. */
const restFactor = 4
const burstPauseMs = 500
const maxGaps = 50
/** The ledger records the same deliveries of invoices at the same time. */
const [ledgerWaitMs, maxLedgerWaits] = [25, 80]

export function createWatcher(deps: WatcherDeps) {
  const { meanings, invoices, classifiedTo } = deps
  let isStarted = false
  let ledgerStoodAt = -1
  let followed = meanings.followed()

  /** Waits at most two seconds, and only once while the ledger's progress stands still. */
  async function waitForLedger(upTo: number, signal: AbortSignal): Promise<void> {
    for (let waits = 0; waits < maxLedgerWaits; waits += 1) {
      const at = invoices.reportsFollowedTo()
      if (at >= upTo || at === ledgerStoodAt) return
      await deps.wait(ledgerWaitMs, signal)
    }
    ledgerStoodAt = invoices.reportsFollowedTo()
  }

  const loop = createBackgroundLoop(async (signal) => {
    for (;;) {
      const slice = nextSlice(followed, classifiedTo(), sliceIds)
      if (slice === null || signal.aborted) return
      const began = performance.now()
      await waitForLedger(slice.to, signal)
      const ids = idsOf(slice.after, slice.to)
      const explained = meanings.byIds(ids)
      const rows = await deps.captureReader.rows(ids.filter((id) => !explained.has(id)))
      meanings.write(rows, slice.followed)
      followed = slice.followed
      if (rows.length > 0) deps.onWritten(rows)
      const isBehind = nextSlice(followed, classifiedTo(), sliceIds) !== null
      const pauseMs = isBehind ? (performance.now() - began) * restFactor : 0
      await deps.wait(deps.isRush() ? burstPauseMs : pauseMs, signal)
    }
  }, deps.onBug)

  return {
    start(): void {
      isStarted = true
      loop.run()
    },
    classified: (): void => {
      if (isStarted) loop.run()
    },
    left(): number {
      const gaps = followed.gaps.reduce((sum, [after, to]) => sum + to - after, 0)
      return gaps + Math.max(0, classifiedTo() - followed.to)
    },
    stop: loop.stop,
  }
}

type Slice = {
  readonly after: number
  readonly to: number
  readonly followed: Followed
}

/** The newest captures that are not explained: first recent arrivals, then gaps. Pure. */
export function nextSlice({ to, gaps }: Followed, upTo: number, size: number): Slice | null {
  if (upTo > to) {
    const after = Math.max(to, upTo - size)
    const left = after > to ? [...gaps, [to, after] as const] : gaps
    return { after, to: upTo, followed: { to: upTo, gaps: fewer(left) } }
  }
  const gap = gaps.at(-1)
  // While the index is rebuilt, captures of a gap may not be classified yet.
  if (gap === undefined || gap[1] > upTo) return null
  const [from, last] = gap
  const after = Math.max(from, last - size)
  const rest = gaps.slice(0, -1)
  const left = after > from ? [...rest, [from, after] as const] : rest
  return { after, to: last, followed: { to, gaps: left } }
}

/** Merges two gaps: the captures between them have rows, which are not made again. */
function fewer(gaps: Followed['gaps']): Followed['gaps'] {
  const [first, second, ...rest] = gaps
  if (first === undefined || second === undefined || gaps.length <= maxGaps) return gaps
  return [[first[0], second[1]], ...rest]
}

function idsOf(after: number, to: number): number[] {
  return Array.from({ length: to - after }, (_, index) => to - index)
}
