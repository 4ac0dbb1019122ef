import type { ReplayCaptures } from '../store/replay-captures.ts'
import type {
  PlannedCapture,
  ReplayCursor,
  ReplayPlans,
  ReplayRecord,
} from '../store/replay-jobs.ts'

/** Captures in the order in which they are sent, a page at a time. */
export type CaptureSource = {
  /** @param after a capture's key; 0 for the first */
  page(after: number): Promise<SourcePage>
}

type SourcePage = {
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

/** What a query finds, oldest first; asked of those who can read queries. */
export type Finder = {
  ids(
    text: string,
    after: number,
    limit: number,
  ): Promise<{ readonly ids: readonly number[]; readonly next: number | null }>
  count(text: string): Promise<{ readonly count: number; readonly isExact: boolean }>
}

export type SourceDeps = {
  readonly plans: ReplayPlans
  readonly captures: ReplayCaptures
  readonly finder: Finder
}

const pageCaptures = 2000

/** Captures of a job in the order of arrival, before any other is made of it. */
export function arrivalSource(job: ReplayRecord, deps: SourceDeps): CaptureSource {
  const { options, newestId } = job
  const { captures, finder } = deps
  switch (options.source.kind) {
    case 'captures':
      return planSource(job.id, deps.plans)
    case 'since': {
      const { at } = options.source
      return {
        page: (after) => Promise.resolve(pageOf(captures.since(at, after, newestId, pageCaptures))),
      }
    }
    case 'query': {
      const text = options.source.text.trim()
      if (text === '') {
        return {
          page: (after) => Promise.resolve(pageOf(captures.between(after, newestId, pageCaptures))),
        }
      }
      return {
        async page(after) {
          const { ids, next } = await finder.ids(text, after, pageCaptures)
          // What has arrived since the job began is no part of it.
          const own = ids.filter((id) => id <= newestId)
          const found = captures.arrivals(own)
          return { captures: found.map(keyed), next: own.length < ids.length ? null : next }
        },
      }
    }
  }
}

export function planSource(job: number, plans: ReplayPlans): CaptureSource {
  return {
    page(after) {
      const part = Math.floor(after / plans.partSize)
      const places = plans.part(job, part)
      const first = part * plans.partSize
      const all = places.map((place, index) => ({ ...place, key: first + index + 1 }))
      return Promise.resolve({
        captures: all.filter(({ key }) => key > after),
        next: places.length < plans.partSize ? null : first + plans.partSize,
      })
    },
  }
}

const keyed = (capture: PlannedCapture) => ({ ...capture, key: capture.id })

function pageOf(found: readonly PlannedCapture[]): SourcePage {
  const next = found.length < pageCaptures ? null : (found.at(-1)?.id ?? null)
  return { captures: found.map(keyed), next }
}
