import type { ReplayCaptures } from '../store/replay-captures.ts'
import type {
  PlannedCapture,
  ReplayCursor,
  ReplayPlans,
  ReplayRecord,
} from '../store/replay-jobs.ts'

export type CaptureSource = {
  /** @param after a capture's key; 0 for the first */
  page(after: number): Promise<SourcePage>
}

type SourcePage = {
  readonly captures: readonly (PlannedCapture & { readonly key: number })[]
  readonly next: number | null
}

export type Item = {
  readonly cursor: ReplayCursor
  readonly capture: number
  /** Microseconds; when the capture that first had this position arrived. */
  readonly at: number | null
}

export type Sequence = {
  /** Null if `fill` must be called first. */
  take(): Item | null
  ahead(limit: number): number[]
  /** False at the end. Concurrent calls are allowed. */
  fill(): Promise<boolean>
  total(): number | null
}

type SequenceOptions = {
  readonly source: CaptureSource
  readonly copies: number
  readonly rounds: number
  readonly from: ReplayCursor
  readonly halt: AbortSignal
}

export function createSequence({ source, copies, rounds, from, halt }: SequenceOptions): Sequence {
  let { index, round, copy } = from
  let buffer: SourcePage['captures'] = []
  let at = 0
  let after: number | null = Math.max(0, from.key - 1)
  let filling: Promise<boolean> | null = null
  let isOver = false
  // A resumed round may already be complete, with others to follow.
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
      const page: SourcePage = await source.page(after)
      after = page.next
      fetchedInRound += page.captures.length
      if (page.captures.length === 0) continue
      // A capture may have been deleted between its copies; the next capture then begins with its
      // first copy.
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
