import { create } from 'zustand'
import type {
  CaptureCounts,
  CapturePage,
  CaptureRow,
} from '../../../src-preload/contract/capture.ts'
import type { Input, Output, RouteName } from '../../../src-preload/contract/routes.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import type { captureQueryCodes } from '../../../src-preload/domain/error-codes.ts'
import { toAppError } from '../../app/bridge.ts'
import { type ListQuery, emptyQuery } from '../../app/route.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import type { SourceState } from '../../ui/list-source.ts'
import {
  type Delivery,
  type Shown,
  groupCaptures,
  nothingShown,
  weightOf,
} from './capture-groups.ts'

/** The type of `request`, which tests replace with their own function. */
export type SendRequest = <N extends RouteName>(name: N, input: Input<N>) => Promise<Output<N>>

/** The value from `captureQueryCodes`, repeated here so that its schemas are not loaded. */
export const invalidQuery: (typeof captureQueryCodes)['invalid'] = 'QUERY_INVALID'

export const pageLimit = 100
/** The number of rows that are kept in memory. Other rows are fetched again when the user scrolls to them. */
export const maxRows = 5_000
/** The next page is fetched when the user is this many rows from the end. */
const nearEnd = 60
/** The number of rows that are fetched around missing ones. */
const around = 50
/** A slow scan continues automatically until it has found this many rows. */
const scanBurst = 50
/** Rows that are loaded on the way to a capture that was opened by its link. */
const maxReach = 1_000
/** The state at the old end of the list. */
type Tail =
  | { readonly status: 'idle' | 'loading' }
  | { readonly status: 'failed'; readonly error: AppError }
  /** The user has stopped a slow scan, which can be continued. */
  | { readonly status: 'stopped' }
  /** All rows of a slow scan stay in memory, so their number is limited. */
  | { readonly status: 'full' }

type Content = {
  readonly status: SourceState<CaptureRow>['status']
  readonly error: AppError | null
  /** The query that found the displayed rows. */
  readonly query: ListQuery
  /**
   * A later query that could not be parsed. Until it is corrected, the list shows the rows of the
   * previous query.
   */
  readonly refusal: { readonly query: ListQuery; readonly error: AppError } | null
  /** The ids of the loaded captures, newest first and without gaps. */
  readonly ids: readonly number[]
  /** The rows that are in memory. */
  readonly rows: ReadonlyMap<number, CaptureRow>
  /** True if the list has one row for each payment, false if it has one for each capture. */
  readonly isGrouped: boolean
  /** The traces of the payments whose deliveries are listed. */
  readonly expanded: ReadonlySet<string>
  /** The position at which the next older page begins; null at the end of the list. */
  readonly nextBefore: number | null
  readonly tail: Tail
  /** When the newest rows were last fetched, every capture up to this id was considered. */
  readonly seenUpTo: number
  /**
   * The newer captures that are not displayed yet. `atLeast` is true if a whole page matched, so
   * that there may be more.
   */
  readonly waiting: { readonly count: number; readonly atLeast: boolean }
  /** The position that a slow scan has reached; null for a query that an index resolves. */
  readonly scannedBack: number | null
  readonly notYetSearchable: number
  readonly counts: CaptureCounts | null
  /** Captures up to this id had been read when the page was opened. Later ones are marked as unread. */
  readonly readUpTo: number | null
  /** Captures that were opened since. */
  readonly opened: ReadonlySet<number>
  readonly beginning: number
  readonly cursorId: number | null
  readonly selected: ReadonlySet<number>
  readonly anchor: number | null
  readonly isAtTop: boolean
}

type CaptureListState = Content & {
  /** The rows of the list. */
  readonly shown: Shown
} & Pick<SourceState<CaptureRow>, 'total' | 'rowCount' | 'cursor' | 'news'>

const nothingFound = {
  error: null,
  ids: [],
  rows: new Map<number, CaptureRow>(),
  nextBefore: null,
  tail: { status: 'idle' },
  seenUpTo: 0,
  waiting: { count: 0, atLeast: false },
  scannedBack: null,
  notYetSearchable: 0,
} as const

const initial: Content = {
  ...nothingFound,
  status: 'loading',
  query: emptyQuery,
  refusal: null,
  counts: null,
  readUpTo: null,
  opened: new Set(),
  isGrouped: true,
  expanded: new Set(),
  beginning: 0,
  cursorId: null,
  selected: new Set(),
  anchor: null,
  isAtTop: true,
}

/**
 * Loads captures: it appends older pages, keeps a limited number of rows in memory, fetches visible
 * ones again when they are missing, and ignores every response to an earlier query.
 */
export class CaptureRows {
  readonly use = create<CaptureListState>(() => {
    const shown = nothingShown
    return { ...initial, shown, ...derive({ ...initial, shown }) }
  })
  protected readonly ask: SendRequest
  /** Returns the id of the capture that is open beside the list. */
  protected readonly openId: () => number | null
  /** A number that increases with each query, so that responses to an earlier one can be ignored. */
  protected generation = 0
  #sight = { first: 0, last: 0 }
  readonly #filling = new Set<string>()
  /** The deliveries of payments, including those whose rows are no longer in memory. */
  readonly #deliveries = new Map<number, Delivery>()
  #scan = 0
  /** A number that increases with each query, including queries that get no response. */
  #opening = 0
  #unanswered = 0

  constructor(ask: SendRequest, openId: () => number | null) {
    this.ask = ask
    this.openId = openId
  }

  protected get state(): CaptureListState {
    return this.use.getState()
  }

  protected set(change: Partial<Content>): void {
    const next = { ...this.state, ...change }
    for (const row of change.rows?.values() ?? []) {
      if (row.payment === null) this.#deliveries.delete(row.id)
      else this.#deliveries.set(row.id, { ...row.payment, weight: weightOf(row) })
    }
    const isRegrouped = change.ids ?? change.rows ?? change.expanded ?? change.isGrouped
    const shown =
      isRegrouped === undefined
        ? next.shown
        : groupCaptures(next.ids, next.isGrouped ? this.#deliveries : new Map(), next.expanded)
    this.use.setState({ ...change, shown, ...derive({ ...next, shown }) })
  }

  protected isReady(): boolean {
    return this.state.status === 'ready'
  }

  protected newestKnown(): number {
    return this.state.counts?.newestId ?? 0
  }

  /** True if a query has no response yet. */
  protected isOpening(): boolean {
    return this.#unanswered > 0
  }

  /** Captures from the newest to the oldest group in sight, those of collapsed groups included. */
  protected inSight(): readonly number[] {
    const { ids, shown } = this.state
    const anchors = shown.anchors.slice(this.#sight.first, this.#sight.last + 1)
    const place = (anchor: number | undefined) => positionOfId(ids, anchor ?? 0)
    return ids.slice(place(anchors[0]), place(anchors.at(-1)) + 1)
  }

  protected see(first: number, last: number): void {
    this.#sight = { first, last }
    this.fillSight()
    if (this.isReady()) this.#keepEndFilled()
  }

  /** Stores rows, and removes those that are far from the visible ones. */
  #setRows(
    ids: readonly number[],
    rows: ReadonlyMap<number, CaptureRow>,
    change: Partial<Content> = {},
  ): void {
    const { first, last } = this.#sight
    const middle = positionOfId(ids, this.state.shown.anchors[(first + last) >> 1] ?? Infinity)
    // Rows of a slow scan cannot be fetched again quickly, so the length of its list is limited instead.
    const isKept = rows.size <= maxRows || isScan(this.state)
    const near = new Set(ids.slice(Math.max(0, middle - maxRows / 2), middle + maxRows / 2))
    const kept = isKept ? rows : new Map([...rows].filter(([id]) => near.has(id)))
    this.set({ ...change, ids, rows: kept })
  }

  /** Fetches the visible rows that are not in memory. */
  protected fillSight(): void {
    const { ids, rows, shown } = this.state
    const listed = shown.ids.slice(this.#sight.first, this.#sight.last + 1)
    const missing = listed.find((id) => !rows.has(id))
    if (!this.isReady() || missing === undefined) return
    const place = positionOfId(ids, missing)
    const span = ids.slice(Math.max(0, place - around), place + 2 * around)
    const from = span.findIndex((id) => !rows.has(id))
    const to = span.findLastIndex((id) => !rows.has(id))
    void this.fetchSpan(span.slice(from, to + 1)).then((isFilled) => isFilled && this.fillSight())
  }

  /** Fetches loaded captures again and removes deleted ones. The old rows are displayed until then. */
  protected async fetchSpan(span: readonly number[]): Promise<boolean> {
    const [top = 0, bottom = 0] = [span[0], span.at(-1)]
    const key = `${top}-${bottom}`
    if (this.#filling.has(key) || this.#filling.size >= 4) return false
    this.#filling.add(key)
    const mine = this.generation
    const limit = Math.min(500, span.length)
    try {
      const after = bottom > 1 && { after: bottom - 1 }
      const page = await this.#fetchPage({ before: top + 1, ...after, limit })
      if (mine !== this.generation) return false
      const fetched = page.rows.filter(({ id }) => id <= top && id >= bottom)
      // If matching captures have arrived since then, the response may contain fewer of the requested rows.
      const floor = page.rows.length < limit ? bottom : (fetched.at(-1)?.id ?? bottom)
      const { ids, rows } = this.state
      const newer = ids.filter((id) => id > top)
      const older = ids.filter((id) => id < floor)
      this.#setRows([...newer, ...fetched.map(idOf), ...older], withRows(rows, fetched))
      return true
    } catch {
      // The old rows are kept; the next scroll or event fetches them again.
      return false
    } finally {
      if (mine === this.generation) this.#filling.delete(key)
    }
  }

  #fetchPage(part: Partial<Input<'capture.list'>>): Promise<CapturePage> {
    return this.ask('capture.list', { query: this.state.query, limit: pageLimit, ...part })
  }

  /** Fetches the newest rows that match; if there are rows already, only newer ones. */
  protected fetchNewer(): Promise<CapturePage> {
    const head = this.state.ids[0] ?? 0
    return this.#fetchPage(head > 0 ? { after: head } : {})
  }

  /** Responses to earlier requests are ignored from now on. */
  #restart(): void {
    this.generation += 1
    this.#deliveries.clear()
    this.#filling.clear()
  }

  /** Appends one older page. @returns the number of rows found; null if loading must not continue */
  async #appendPage(): Promise<number | null> {
    const mine = [this.generation, this.#scan].join()
    const isCurrent = () => mine === [this.generation, this.#scan].join()
    const { nextBefore } = this.state
    if (nextBefore === null) return null
    this.set({ tail: { status: 'loading' } })
    try {
      const page = await this.#fetchPage({ before: nextBefore })
      if (!isCurrent()) return null
      const { ids, rows } = this.state
      const floor = ids.at(-1) ?? Infinity
      const older = page.rows.filter(({ id }) => id < floor)
      this.#setRows([...ids, ...older.map(idOf)], withRows(rows, older), {
        nextBefore: page.nextBefore,
        scannedBack: page.scannedBack,
        tail: { status: 'idle' },
      })
      return page.rows.length
    } catch (error) {
      if (isCurrent()) this.set({ tail: { status: 'failed', error: toAppError(error) } })
      return null
    }
  }

  /**
   * Makes a capture a row of the list, which then scrolls to it: loads on for a while, then restarts the list
   * shortly before the capture. A capture that does not match the query stays outside.
   */
  async reach(id: number): Promise<void> {
    const mine = this.generation
    for (let found: number | null = 0; found !== null;) {
      const { ids, nextBefore, shown, scannedBack } = this.state
      const isPassed = shown.places.has(id) || (ids.at(-1) ?? 0) <= id
      if (!this.isReady() || scannedBack !== null || nextBefore === null || isPassed) return
      if (ids.length >= maxReach) {
        const page = await this.#fetchPage({ before: id + around })
        if (mine !== this.generation || !page.rows.some((row) => row.id === id)) return
        this.#restart()
        this.set({ ...contentOf(page, 0), beginning: this.state.beginning + 1 })
        return
      }
      found = await this.#appendPage()
    }
  }

  /** If a page contains few rows, a slow scan continues with the next page. */
  async #continueScan(foundAlready: number): Promise<void> {
    for (let found = foundAlready; found < scanBurst;) {
      const { ids, nextBefore } = this.state
      if (!this.isReady() || nextBefore === null) return
      if (ids.length >= maxRows) {
        this.set({ tail: { status: 'full' } })
        return
      }
      const more = await this.#appendPage()
      if (more === null) return
      found += more
    }
  }

  /** Stops a slow scan, which `resume` can continue. */
  readonly stopScan = (): void => {
    this.#scan += 1
    this.set({ tail: { status: this.state.nextBefore === null ? 'idle' : 'stopped' } })
  }

  /** Continues loading after a stop or a failure. */
  resume(): Promise<void> {
    this.set({ tail: { status: 'idle' } })
    return this.loadOlder()
  }

  async loadOlder(): Promise<void> {
    const { tail, nextBefore } = this.state
    if (!this.isReady() || tail.status !== 'idle' || nextBefore === null) return
    if (isScan(this.state)) await this.#continueScan(0)
    else await this.#appendPage()
    this.#keepEndFilled()
  }

  /** Loads more if one page has fewer rows than fit on the screen. */
  #keepEndFilled(): void {
    const { total, nextBefore, tail } = this.state
    const isNear = this.#sight.last + nearEnd >= total
    if (isNear && nextBefore !== null && tail.status === 'idle') void this.loadOlder()
  }

  /**
   * Fetches the rows that are newer than the first row. If more rows than one page have arrived, the
   * list starts again from the newest page, because rows between would be missing.
   * @param isWanted true if the rows may still be displayed once they are loaded
   */
  protected async loadNewer(isWanted: () => boolean): Promise<boolean> {
    const mine = this.generation
    const head = this.state.ids[0] ?? 0
    const known = this.newestKnown()
    const page = await this.fetchNewer()
    if (mine !== this.generation || !isWanted()) return false
    const hasGap = page.nextBefore !== null && page.rows.every(({ id }) => id > head)
    if (hasGap && page.rows.length >= pageLimit) {
      this.#restart()
      this.set(contentOf(page, known))
      return true
    }
    const { ids, rows, seenUpTo } = this.state
    const newer = page.rows.filter(({ id }) => id > (ids[0] ?? 0))
    this.#setRows([...newer.map(idOf), ...ids], withRows(rows, newer), {
      seenUpTo: Math.max(seenUpTo, known, page.rows[0]?.id ?? 0),
      waiting: nothingFound.waiting,
      notYetSearchable: page.notYetSearchable,
    })
    return true
  }

  /**
   * Shows the results of a query, newest first. The previous rows stay until the response arrives.
   * If the query is not valid, they stay longer, because the user may still be typing it.
   */
  protected async load(query: ListQuery): Promise<void> {
    const mine = ++this.#opening
    const known = this.newestKnown()
    if (!this.isReady()) this.set({ query, status: 'loading', refusal: null })
    try {
      this.#unanswered += 1
      const page = await this.#fetchPage({ query }).finally(() => {
        this.#unanswered -= 1
      })
      if (mine !== this.#opening) return
      this.#begin(query)
      this.set(contentOf(page, known))
      if (isScan(this.state)) await this.#continueScan(page.rows.length)
      else await this.reach(this.openId() ?? Infinity)
      this.#keepEndFilled()
    } catch (problem) {
      if (mine !== this.#opening) return
      const error = toAppError(problem)
      if (error.code === invalidQuery && this.isReady()) {
        this.set({ refusal: { query, error } })
        return
      }
      this.#begin(query)
      this.set({ ...nothingFound, status: 'failed', error })
    }
  }

  #begin(query: ListQuery): void {
    this.#restart()
    this.#sight = { first: 0, last: 0 }
    this.set({
      query,
      refusal: null,
      selected: new Set(),
      anchor: null,
      cursorId: this.openId(),
      isAtTop: true,
      beginning: this.state.beginning + 1,
    })
  }
}

/** Computes the values that depend on the rest of the state. */
function derive(
  state: Content & Pick<CaptureListState, 'shown'>,
): Pick<CaptureListState, 'total' | 'rowCount' | 'cursor' | 'news'> {
  const { shown, nextBefore, query, counts, cursorId, waiting } = state
  const total = shown.ids.length
  const number = `${formatNumber(waiting.count)}${waiting.atLeast ? '+' : ''}`
  const news = isScan(state)
    ? `${formatCount(waiting.count, 'capture')} arrived since: search again`
    : `${number} new`
  // The number of payments that follow is unknown.
  const isCounted = isEmptyQuery(query) && !state.isGrouped
  return {
    total,
    rowCount: nextBefore === null ? total : isCounted ? (counts?.total ?? total) : null,
    cursor: shown.places.get(cursorId ?? 0) ?? null,
    news: waiting.count === 0 ? null : news,
  }
}

/** True if captures are read one by one, which takes long. */
export const isScan = ({ scannedBack }: Pick<CaptureListState, 'scannedBack'>): boolean =>
  scannedBack !== null

export const isEmptyQuery = ({ text }: ListQuery): boolean => text.trim() === ''

export const idOf = ({ id }: CaptureRow) => id

const contentOf = (page: CapturePage, known: number): Partial<Content> => ({
  ...nothingFound,
  status: 'ready',
  ids: page.rows.map(idOf),
  rows: new Map(page.rows.map((row) => [row.id, row])),
  nextBefore: page.nextBefore,
  seenUpTo: Math.max(known, page.rows[0]?.id ?? 0),
  scannedBack: page.scannedBack,
  notYetSearchable: page.notYetSearchable,
})

export function withRows(
  rows: ReadonlyMap<number, CaptureRow>,
  newer: readonly CaptureRow[],
): ReadonlyMap<number, CaptureRow> {
  return new Map([...rows, ...newer.map((row) => [row.id, row] as const)])
}

/** Returns the index of the first id that is at most the given one. The ids are in descending order. */
export function positionOfId(ids: readonly number[], id: number): number {
  let [from, to] = [0, ids.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((ids[middle] ?? 0) > id) from = middle + 1
    else to = middle
  }
  return from
}
