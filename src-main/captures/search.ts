import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Finder, Window } from './store/index/finder.ts'
import type { IndexPlan } from './store/index/index-plan.ts'
import type { LoggedCapture, LogReader } from './store/index/log-reader.ts'
import type { Terms } from './store/index/terms.ts'
import type { IndexedCapture } from './indexed-capture.ts'
import { type Matcher, createMatcher, type Term } from './query/query.ts'
import { planQuery } from './query/plan.ts'

type SearchDeps = {
  readonly log: LogReader
  readonly finder: Finder
  readonly terms: Pick<Terms, 'of'>
  readonly indexedTo: () => number
  readonly read: (capture: LoggedCapture) => Promise<IndexedCapture>
}

/** A page ends after this time, however few rows it has. */
const pageMs = 400
const countMs = 450
/** Rows of the index per statement: few at first, because most queries end there. */
const firstWindow = 20_000
const largestWindow = 250_000
const checkedAtOnce = 100
/**
 * Up to this number, captures are counted into buckets together, because a query per bucket would
 * be slower.
 */
const maxGathered = 150_000
const tailLimit = 2_000
const tailBytes = 64 * 1024 * 1024
const tailSlice = 250

/** Scans captures that are not indexed yet, and those that the index finds. */
function createScans({ log, finder, read }: Pick<SearchDeps, 'log' | 'finder' | 'read'>) {
  /** Newest first. */
  async function searchTail(matches: Matcher, { after, before }: Window) {
    const ids: number[] = []
    let bytes = 0
    let scanned = 0
    let reached = before
    for (;;) {
      const slice = log.before(reached, after, tailSlice)
      if (slice.length === 0) return { ids, skipped: 0 }
      for (const capture of slice) {
        if (matches(await read(capture))) ids.push(capture.id)
        reached = capture.id
        bytes += capture.body.byteLength
        scanned += 1
        if (scanned >= tailLimit || bytes > tailBytes) {
          return { ids, skipped: log.countAfter(after) - log.countAfter(reached - 1) }
        }
      }
    }
  }

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
      // The step has no more matches.
      yield { id: newestFirst ? step.after + 1 : step.before - 1, receivedAt: null, isHit: false }
    }
  }

  return { searchTail, hits }
}

/** Splits a window into parts, so that one statement never reads the whole window. */
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

export function createSearch(deps: SearchDeps) {
  const { log, finder, terms, indexedTo, read } = deps
  const { searchTail, hits } = createScans(deps)

  function prepare(requested: readonly Term[]) {
    const { index, checks } = planQuery(requested, (key) => terms.of(key))
    return {
      index,
      matches: createMatcher({ terms: requested }),
      check: checks.length === 0 ? null : createMatcher({ terms: checks }),
    }
  }

  async function page(
    requested: readonly Term[],
    window: Window,
    newestFirst: boolean,
    limit: number,
  ) {
    const deadline = performance.now() + pageMs
    const { index, matches, check } = prepare(requested)
    const edge = indexedTo()
    const tailWindow = { after: Math.max(window.after, edge), before: window.before }
    const indexed = { after: window.after, before: Math.min(window.before, edge + 1) }
    const ids: number[] = []
    let skipped = 0
    /**
     * The time in microseconds since the epoch down to which a scan has read; null for a search by
     * the index.
     */
    let scannedBack: number | null = null

    const result = (next: number | null) => ({
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
      const found = hits(index, check, indexed, newestFirst, atOnce)
      for await (const { id, receivedAt, isHit } of found) {
        if (isHit) ids.push(id)
        scannedBack = receivedAt ?? scannedBack
        if (ids.length > limit) return result(null)
        if (performance.now() > deadline && hasMore(id, indexed, newestFirst)) return result(id)
      }
    }
    if (newestFirst) return result(null)
    // A caller that reads all matches, oldest first, must not miss captures that are not indexed yet.
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

  async function count(requested: readonly Term[]) {
    const deadline = performance.now() + countMs
    const { index, matches, check } = prepare(requested)
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

  /** The ids increase, even if a clock was set back. */
  function boundsOf(moments: readonly number[]): number[] {
    const end = indexedTo() + 1
    let last = 0
    return moments.map((moment) => (last = Math.max(last, finder.firstFrom(moment) ?? end)))
  }

  async function histogram(requested: readonly Term[], from: number, to: number, buckets: number) {
    const deadline = performance.now() + countMs
    const all = log.histogram(from, to, buckets)
    const isAll = requested.length === 0
    const counted = all.map((bucket) => ({ ...bucket, matching: isAll ? bucket.total : 0 }))
    const { index, check } = prepare(requested)
    if (isAll || index === null) return { buckets: counted, isExact: true }
    const bounds = boundsOf([...all.map(({ startsAt }) => startsAt), to])
    const add = (id: number) => {
      const bucket = counted[bounds.findLastIndex((bound) => bound <= id)]
      if (bucket !== undefined) bucket.matching += 1
    }
    const whole = { after: (bounds[0] ?? 0) - 1, before: bounds.at(-1) ?? 0 }
    const received = finder.holdsOthers(whole)
      ? { ...index, conditions: [...index.conditions, isReceived] }
      : index
    if (check !== null) {
      for await (const { id, isHit } of hits(received, check, whole, true, checkedAtOnce)) {
        if (isHit) add(id)
        if (performance.now() > deadline) return { buckets: counted, isExact: false }
      }
      return { buckets: counted, isExact: true }
    }
    const plan = finder.prepare(received, whole)
    if (!plan.isSeekable) {
      const ids = finder.ids(plan, plan.window, true, maxGathered)
      ids.forEach(add)
      return { buckets: counted, isExact: ids.length < maxGathered }
    }
    for (const [at, bucket] of counted.entries()) {
      const after = Math.max(plan.window.after, (bounds[at] ?? 0) - 1)
      const before = Math.min(plan.window.before, bounds[at + 1] ?? 0)
      if (before - after > 1) {
        // After a clock was set back, ids are not in order of time.
        bucket.matching = Math.min(bucket.total, finder.count(plan, { after, before }))
      }
      if (performance.now() > deadline) return { buckets: counted, isExact: false }
    }
    return { buckets: counted, isExact: true }
  }

  return { page, count, histogram }
}

const isReceived = {
  on: 'number',
  column: 'is_received',
  negated: false,
  spans: [{ low: 1n, high: 1n }],
} as const

const hasMore = (id: number, { after, before }: Window, newestFirst: boolean): boolean =>
  newestFirst ? id > after + 1 : id < before - 1
