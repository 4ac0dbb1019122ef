import type { ReplayCursor } from '../store/replay-jobs.ts'
import type { PlannedCapture } from '../store/replay-plans.ts'

/** Captures in the order in which they are sent, a page at a time. */
export type CaptureSource = {
  /** @param after a capture's key; 0 for the first */
  page(after: number): Promise<SourcePage>
}

export type SourcePage = {
  readonly captures: readonly (PlannedCapture & { readonly key: number })[]
  /** Where the next page begins; null at the end. */
  readonly next: number | null
}

/** One request to be sent. */
export type Item = {
  readonly cursor: ReplayCursor
  readonly capture: number
  /** When the capture that stood here at first arrived (microseconds). */
  readonly at: number | null
}

/** All requests of a job, one after another, from a cursor on. */
export type Sequence = {
  /** Null when `fill` has to be asked first. */
  take(): Item | null
  /** Captures that come next, the first of them once more where it is sent again. */
  ahead(limit: number): number[]
  /** Fetches more; false at the end. May be asked by several at once. */
  fill(): Promise<boolean>
  /** The end is reached: so many they are altogether, counted from the beginning. */
  total(): number | null
}

type SequenceOptions = {
  readonly source: CaptureSource
  /** Each so many times in a row. */
  readonly copies: number
  /** All of it so many times over. */
  readonly rounds: number
  readonly from: ReplayCursor
  /** A slow query may be looked through for long with nothing found: not after this. */
  readonly halt: AbortSignal
}

export function createSequence({ source, copies, rounds, from, halt }: SequenceOptions): Sequence {
  let { index, round, copy } = from
  let buffer: SourcePage['captures'] = []
  let at = 0
  /** Where the next page begins; null when this round has been fetched. */
  let after: number | null = Math.max(0, from.key - 1)
  let filling: Promise<boolean> | null = null
  let isOver = false
  // Gone on with, the round may have come to its end already, and others follow.
  let fetchedInRound = from.key > 0 ? 1 : 0

  async function fetch(): Promise<boolean> {
    for (;;) {
      if (halt.aborted) return false
      if (after === null) {
        round += 1
        // Nothing is there any more: another round would find no more.
        if (round >= rounds || fetchedInRound === 0) {
          isOver = true
          return false
        }
        after = 0
        fetchedInRound = 0
      }
      const page: SourcePage = await source.page(after)
      after = page.next
      fetchedInRound += page.captures.length
      if (page.captures.length === 0) continue
      // A capture in the middle of its copies may be gone: what stands here then begins anew.
      if (page.captures[0]?.key !== from.key || round !== from.round) copy = 0
      buffer = page.captures
      at = 0
      return true
    }
  }

  return {
    take() {
      const capture = buffer[at]
      if (capture === undefined) return null
      const item = {
        cursor: { index, round, key: capture.key, copy },
        capture: capture.id,
        at: capture.at,
      }
      index += 1
      copy += 1
      if (copy >= copies) {
        copy = 0
        at += 1
      }
      return item
    },
    ahead: (limit) => buffer.slice(at, at + limit).map(({ id }) => id),
    fill() {
      if (at < buffer.length) return Promise.resolve(true)
      if (isOver) return Promise.resolve(false)
      filling ??= fetch().finally(() => {
        filling = null
      })
      return filling
    },
    total: () => (isOver ? index : null),
  }
}
