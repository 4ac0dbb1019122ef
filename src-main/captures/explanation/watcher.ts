/** Explains classified captures once each, newest first; the progress is on disk. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { AppContext } from '../../app/context.ts'
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
  const { meanings, invoices } = deps
  const stopped = new AbortController()
  let upTo = 0
  let isOn = false
  let running: Promise<void> | null = null
  let ledgerStoodAt = -1
  let followed = meanings.followed()
  const isStopped = () => stopped.signal.aborted

  /** Waits at most two seconds, and only once while the ledger's progress stands still. */
  async function waitForLedger(upTo: number): Promise<void> {
    for (let waits = 0; waits < maxLedgerWaits && !isStopped(); waits += 1) {
      const at = invoices.reportsFollowedTo()
      if (at >= upTo || at === ledgerStoodAt) return
      await rest(ledgerWaitMs)
    }
    if (!isStopped()) ledgerStoodAt = invoices.reportsFollowedTo()
  }

  async function explainAll(): Promise<void> {
    while (!isStopped()) {
      const slice = nextSlice(followed, upTo, sliceIds)
      if (slice === null) return
      const began = performance.now()
      await waitForLedger(slice.to)
      if (isStopped()) return
      const ids = idsOf(slice.after, slice.to)
      const explained = meanings.byIds(ids)
      const rows = await deps.captureReader.rows(ids.filter((id) => !explained.has(id)))
      meanings.write(rows, slice.followed)
      followed = slice.followed
      if (rows.length > 0) deps.onWritten(rows)
      const isBehind = nextSlice(followed, upTo, sliceIds) !== null
      if (deps.isRush()) await rest(burstPauseMs)
      else if (isBehind) await rest((performance.now() - began) * restFactor)
      else await yieldToEventLoop()
    }
  }

  async function rest(ms: number): Promise<void> {
    try {
      await deps.wait(ms, stopped.signal)
    } catch {
      // Stopped meanwhile, which the loop sees.
    }
  }

  function run(): void {
    if (!isOn || isStopped() || running !== null) return
    const started = upTo
    running = explainAll()
      .catch((error: unknown) => {
        if (!isStopped()) deps.onBug(error)
      })
      .finally(() => {
        running = null
        if (upTo > started) run()
      })
  }

  return {
    start(): void {
      isOn = true
      upTo = Math.max(upTo, deps.classifiedTo())
      run()
    },
    classified(to: number): void {
      upTo = Math.max(upTo, to)
      run()
    },
    left(): number {
      const gaps = followed.gaps.reduce((sum, [after, to]) => sum + to - after, 0)
      return gaps + Math.max(0, upTo - followed.to)
    },
    async stop(): Promise<void> {
      stopped.abort()
      await running
    },
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
