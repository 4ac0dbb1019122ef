import type { Facts } from '../../captures/store/index/facts.ts'
import type { ReplayCaptures } from '../store/replay-captures.ts'
import type {
  PlannedCapture,
  ReplayCursor,
  ReplayOptions,
  ReplayPlans,
} from '../store/replay-jobs.ts'

/** @param after a capture's key; 0 for the first capture */
export type CaptureSource = (after: number, limit?: number) => Promise<SourcePage>

type SourcePage = {
  readonly captures: readonly (PlannedCapture & { readonly key: number })[]
  readonly next: number | null
}

export type Item = {
  readonly cursor: ReplayCursor
  readonly capture: number
  /** The time in microseconds; the arrival of the capture that originally had this position. */
  readonly at: number | null
}

export type Sequence = ReturnType<typeof createSequence>

export function createSequence(
  source: CaptureSource,
  rounds: number,
  from: ReplayCursor,
  halt: AbortSignal,
) {
  let { index, round } = from
  let buffer: SourcePage['captures'] = []
  let at = 0
  let after: number | null = Math.max(0, from.key - 1)
  let filling: Promise<boolean> | null = null
  let isOver = false
  // A resumed round may already be complete, with more rounds to follow.
  let fetchedInRound = from.key > 0 ? 1 : 0

  async function fetch(): Promise<boolean> {
    for (;;) {
      if (halt.aborted) return false
      if (after === null) {
        round += 1
        if (round >= rounds || fetchedInRound === 0) {
          isOver = true
          return false
        }
        after = 0
        fetchedInRound = 0
      }
      const page: SourcePage = await source(after)
      after = page.next
      fetchedInRound += page.captures.length
      if (page.captures.length === 0) continue
      buffer = page.captures
      at = 0
      return true
    }
  }

  return {
    /** Returns null if `fill` must be called first. */
    take(): Item | null {
      const capture = buffer[at]
      if (capture === undefined) return null
      const item = {
        cursor: { index, round, key: capture.key },
        capture: capture.id,
        at: capture.at,
      }
      index += 1
      at += 1
      return item
    },
    ahead: (limit: number) => buffer.slice(at, at + limit).map(({ id }) => id),
    /** Returns false at the end. Concurrent calls are allowed. */
    fill(): Promise<boolean> {
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

export type Finder = {
  ids(
    text: string,
    after: number,
    limit: number,
  ): Promise<{ readonly ids: readonly number[]; readonly next: number | null }>
  count(text: string): Promise<{ readonly count: number; readonly isExact: boolean }>
}

/** Returns nothing for captures that are not classified. */
export type ReplayFacts = (ids: readonly number[]) => Map<number, Pick<Facts, 'account' | 'lt'>>

const pageCaptures = 2000

export function arrivalSource(
  subject: ReplayOptions['source'],
  newestId: number,
  captures: ReplayCaptures,
  finder: Finder,
): CaptureSource {
  if (subject.kind === 'query' && subject.text.trim() !== '') {
    return async (after, limit = pageCaptures) => {
      const { ids, next } = await finder.ids(subject.text.trim(), after, limit)
      const own = ids.filter((id) => id <= newestId)
      const found = captures.arrivals(own)
      return { captures: found.map(keyed), next: own.length < ids.length ? null : next }
    }
  }
  return (after, limit = pageCaptures) => {
    const found =
      subject.kind === 'since'
        ? captures.since(subject.at, after, newestId, limit)
        : captures.between(after, newestId, limit)
    const next = found.length < limit ? null : (found.at(-1)?.id ?? null)
    return Promise.resolve({ captures: found.map(keyed), next })
  }
}

export const planSource =
  (job: number, plans: ReplayPlans): CaptureSource =>
  (after) => {
    const part = Math.floor(after / plans.partSize)
    const places = plans.part(job, part)
    const first = part * plans.partSize
    const all = places.map((place, index) => ({ ...place, key: first + index + 1 }))
    return Promise.resolve({
      captures: all.filter(({ key }) => key > after),
      next: places.length < plans.partSize ? null : first + plans.partSize,
    })
  }

const keyed = (capture: PlannedCapture) => ({ ...capture, key: capture.id })
