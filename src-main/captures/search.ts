import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HistogramBucket } from '../../src-preload/contract/capture.ts'
import type { Finder, Window } from './store/index/finder.ts'
import type { IndexPlan } from './store/index/index-plan.ts'
import type { LoggedCapture, LogReader } from './store/index/log-reader.ts'
import type { Terms } from './store/index/terms.ts'
import type { CapturedSubject } from './captured-subject.ts'
import { type Matcher, createMatcher, type Term } from './query/query.ts'
import { planQuery } from './query/plan.ts'

type SearchDeps = {
  readonly log: LogReader
  readonly finder: Finder
  readonly terms: Pick<Terms, 'of'>
  readonly indexedTo: () => number
  readonly read: (capture: LoggedCapture) => Promise<CapturedSubject>
}

type FilteredBucket = HistogramBucket & { matching: number }

type FoundPage = {
  /** In the order asked for. */
  readonly ids: number[]
  /** Where to go on; null at the end. */
  readonly next: number | null
  /** How far back a scan has come, in microseconds since the epoch; null for an index search. */
  readonly scannedBack: number | null
  readonly notYetSearchable: number
}

/** Answers come back after this long, however little was found, to be continued. */
const pageMs = 400
const countMs = 450
/** Rows of the index that one statement goes through: few at first, most questions end there. */
const firstWindow = 20_000
const largestWindow = 250_000
const checkedAtOnce = 100
/** Sorted into bars one by one, where a bar for itself would take as long as all. */
const maxGathered = 150_000
/** Captures behind the index that are still looked at one by one. */
const tailLimit = 2_000
const tailBytes = 64 * 1024 * 1024
const tailSlice = 250

/** Finds captures in the index, and in the tail that it has not reached. */
export function createSearch({ log, finder, terms, indexedTo, read }: SearchDeps) {
  const shared = (key: string) => terms.of(key)

  function prepare(asked: readonly Term[]) {
    const { index, checks } = planQuery(asked, shared)
    return {
      index,
      matches: createMatcher({ terms: asked }),
      /** Of what the index finds; null where it tells all. */
      check: checks.length === 0 ? null : createMatcher({ terms: checks }),
    }
  }

  /** Of captures that the index has not reached, newest first. */
  async function searchTail(matches: Matcher, { after, before }: Window) {
    const ids: number[] = []
    let bytes = 0
    let looked = 0
    let reached = before
    for (;;) {
      const slice = log.before(reached, after, tailSlice)
      if (slice.length === 0) return { ids, skipped: 0 }
      for (const capture of slice) {
        if (matches(await read(capture))) ids.push(capture.id)
        reached = capture.id
        bytes += capture.body.byteLength
        looked += 1
        if (looked >= tailLimit || bytes > tailBytes) {
          return { ids, skipped: log.countAfter(after) - log.countAfter(reached - 1) }
        }
      }
    }
  }

  /** Goes through a window in steps, newest first or the other way, giving way after each. */
  async function* steps(window: Window, newestFirst: boolean): AsyncGenerator<Window> {
    let size = firstWindow
    let { after, before } = window
    while (before - after > 1) {
      const step = newestFirst
        ? { after: Math.max(after, before - size - 1), before }
        : { after, before: Math.min(before, after + size + 1) }
      yield step
      if (newestFirst) before = step.after + 1
      else after = step.before - 1
      size = Math.min(size * 4, largestWindow)
      await nextTurn()
    }
  }

  /** Indexed captures that are what was asked for, and how far it has come with those that are not. */
  async function* hits(
    plan: IndexPlan,
    check: Matcher | null,
    whole: Window,
    newestFirst: boolean,
    atOnce: number,
  ): AsyncGenerator<{ id: number; receivedAt: number | null; isHit: boolean }> {
    const prepared = finder.prepare(plan, whole)
    for await (const step of steps(prepared.window, newestFirst)) {
      let { after, before } = step
      for (;;) {
        const ids = finder.ids(prepared, { after, before }, newestFirst, atOnce)
        if (check === null) for (const id of ids) yield { id, receivedAt: null, isHit: true }
        else {
          for (const capture of log.byIds(ids)) {
            const isHit = check(await read(capture))
            yield { id: capture.id, receivedAt: capture.receivedAt, isHit }
          }
        }
        const last = ids.at(-1)
        if (last === undefined || ids.length < atOnce) break
        if (newestFirst) before = last
        else after = last
      }
      // Nothing more in this step: it has come to its end.
      yield { id: newestFirst ? step.after + 1 : step.before - 1, receivedAt: null, isHit: false }
    }
  }

  async function page(
    asked: readonly Term[],
    window: Window,
    newestFirst: boolean,
    limit: number,
  ): Promise<FoundPage> {
    const deadline = performance.now() + pageMs
    const { index, matches, check } = prepare(asked)
    const edge = indexedTo()
    const tailWindow = { after: Math.max(window.after, edge), before: window.before }
    const indexed = { after: window.after, before: Math.min(window.before, edge + 1) }
    const ids: number[] = []
    let skipped = 0
    let scannedBack: number | null = null

    const result = (next: number | null): FoundPage => ({
      ids: ids.slice(0, limit),
      next: ids.length > limit ? (ids[limit - 1] ?? null) : next,
      scannedBack,
      notYetSearchable: skipped,
    })

    if (newestFirst) {
      const found = await searchTail(matches, tailWindow)
      skipped = found.skipped
      ids.push(...found.ids)
    }
    if (ids.length > limit) return result(null)
    if (index !== null) {
      const atOnce = check === null ? limit + 1 : checkedAtOnce
      for await (const { id, receivedAt, isHit } of hits(
        index,
        check,
        indexed,
        newestFirst,
        atOnce,
      )) {
        if (isHit) ids.push(id)
        scannedBack = receivedAt ?? scannedBack
        if (ids.length > limit) return result(null)
        if (performance.now() > deadline && hasMore(id, indexed, newestFirst)) return result(id)
      }
    }
    if (newestFirst) return result(null)
    // Who goes through all that is found, oldest first, must not miss what the index has not reached.
    let reached = tailWindow.after
    for (;;) {
      const slice = log.after(reached, tailSlice).filter(({ id }) => id < window.before)
      if (slice.length === 0) return result(null)
      for (const capture of slice) {
        reached = capture.id
        if (matches(await read(capture))) ids.push(capture.id)
        if (ids.length > limit) return result(null)
      }
      if (performance.now() > deadline) return result(reached)
    }
  }

  async function count(asked: readonly Term[]): Promise<{ count: number; isExact: boolean }> {
    const deadline = performance.now() + countMs
    const { index, matches, check } = prepare(asked)
    const edge = indexedTo()
    const tail = await searchTail(matches, { after: edge, before: Number.MAX_SAFE_INTEGER })
    let found = tail.ids.length
    const isExact = tail.skipped === 0
    if (index === null) return { count: found, isExact }
    const whole = { after: 0, before: edge + 1 }
    if (check !== null) {
      for await (const { isHit } of hits(index, check, whole, true, checkedAtOnce)) {
        if (isHit) found += 1
        if (performance.now() > deadline) return { count: found, isExact: false }
      }
      return { count: found, isExact }
    }
    const plan = finder.prepare(index, whole)
    for await (const step of steps(plan.window, true)) {
      if (performance.now() > deadline) return { count: found, isExact: false }
      found += finder.count(plan, step)
    }
    return { count: found, isExact }
  }

  /** Adds to buckets of what was received how many of it are what was asked for. */
  async function histogram(
    asked: readonly Term[],
    from: number,
    to: number,
    buckets: number,
  ): Promise<{ buckets: FilteredBucket[]; isExact: boolean }> {
    const deadline = performance.now() + countMs
    const all = log.histogram(from, to, buckets)
    const isAll = asked.length === 0
    const counted = all.map((bucket) => ({ ...bucket, matching: isAll ? bucket.total : 0 }))
    const { index, check } = prepare(asked)
    if (isAll || index === null) return { buckets: counted, isExact: true }
    const bounds = boundsOf([...all.map(({ startsAt }) => startsAt), to])
    const whole = { after: (bounds[0] ?? 0) - 1, before: bounds.at(-1) ?? 0 }
    const received = finder.holdsOthers(whole)
      ? { ...index, conditions: [...index.conditions, isReceived] }
      : index
    if (check !== null) {
      for await (const { id, isHit } of hits(received, check, whole, true, checkedAtOnce)) {
        const bucket = counted[bounds.findLastIndex((bound) => bound <= id)]
        if (isHit && bucket !== undefined) bucket.matching += 1
        if (performance.now() > deadline) return { buckets: counted, isExact: false }
      }
      return { buckets: counted, isExact: true }
    }
    const plan = finder.prepare(received, whole)
    if (!plan.isSeekable) {
      const ids = finder.ids(plan, plan.window, true, maxGathered)
      for (const id of ids) {
        const bucket = counted[bounds.findLastIndex((bound) => bound <= id)]
        if (bucket !== undefined) bucket.matching += 1
      }
      return { buckets: counted, isExact: ids.length < maxGathered }
    }
    for (const [at, bucket] of counted.entries()) {
      const after = Math.max(plan.window.after, (bounds[at] ?? 0) - 1)
      const before = Math.min(plan.window.before, bounds[at + 1] ?? 0)
      if (before - after > 1) {
        // Where a clock was put back, ids are not in the order of time.
        bucket.matching = Math.min(bucket.total, finder.count(plan, { after, before }))
      }
      if (performance.now() > deadline) return { buckets: counted, isExact: false }
    }
    return { buckets: counted, isExact: true }
  }

  /** For each moment the first capture from then on; rising, whatever a clock has done. */
  function boundsOf(moments: readonly number[]): number[] {
    const end = indexedTo() + 1
    let last = 0
    return moments.map((moment) => (last = Math.max(last, finder.firstFrom(moment) ?? end)))
  }

  return { page, count, histogram }
}

const isReceived = {
  on: 'number',
  column: 'is_received',
  negated: false,
  spans: [{ low: 1n, high: 1n }],
} as const

/** Whether there is something left behind the id that was reached. */
function hasMore(id: number, { after, before }: Window, newestFirst: boolean): boolean {
  return newestFirst ? id > after + 1 : id < before - 1
}
