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
import type { RowId, SourceState } from '../../ui/list-source.ts'

/** The app's `request`; tests pass their own. */
export type SendRequest = <N extends RouteName>(name: N, input: Input<N>) => Promise<Output<N>>

/** The value of `captureQueryCodes`, without its schemas. */
export const invalidQuery: (typeof captureQueryCodes)['invalid'] = 'QUERY_INVALID'

export const pageLimit = 100
/** Rows kept in memory; others are fetched again when they come into sight. */
export const maxRows = 5_000
/** Rows before the end at which the next page is fetched. */
const nearEnd = 60
/** Rows fetched around missing ones. */
const around = 50
/** A slow scan continues on its own until it has found this many rows. */
const scanBurst = 50
/** Rows that are loaded on the way to a capture that was opened by its link. */
const maxReach = 1_000
/** The state at the old end of the list. */
type Tail =
  | { readonly status: 'idle' | 'loading' }
  | { readonly status: 'failed'; readonly error: AppError }
  /** The user has stopped a slow scan; it can be continued. */
  | { readonly status: 'stopped' }
  /** All rows of a slow scan stay in memory, so their number is limited. */
  | { readonly status: 'full' }

type Content = {
  readonly status: SourceState<CaptureRow>['status']
  readonly error: AppError | null
  /** The query of the rows shown. */
  readonly query: ListQuery
  /** A later query that could not be parsed: the list still shows the one before. */
  readonly refusal: { readonly query: ListQuery; readonly error: AppError } | null
  /** Loaded captures, newest first and without gaps. */
  readonly ids: readonly number[]
  /** The rows in memory. */
  readonly rows: ReadonlyMap<number, CaptureRow>
  /** Where the next older page begins; null at the end. */
  readonly nextBefore: number | null
  readonly tail: Tail
  /** Everything up to this id was considered when the newest rows were last fetched. */
  readonly seenUpTo: number
  /** Newer captures not shown yet. `atLeast`: a whole page matched, and there may be more. */
  readonly waiting: { readonly count: number; readonly atLeast: boolean }
  /** How far back a slow scan has searched; null for a query that an index resolves. */
  readonly scannedBack: number | null
  readonly notYetSearchable: number
  readonly counts: CaptureCounts | null
  /** Captures up to this id were read when the page was opened; later ones are marked unread. */
  readonly readUpTo: number | null
  /** Captures that were opened since. */
  readonly opened: ReadonlySet<number>
  readonly beginning: number
  readonly cursorId: number | null
  readonly selected: ReadonlySet<number>
  readonly anchor: number | null
  readonly isAtTop: boolean
}

type CaptureListState = Content &
  Pick<SourceState<CaptureRow>, 'total' | 'rowCount' | 'cursor' | 'news'>

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
  beginning: 0,
  cursorId: null,
  selected: new Set(),
  anchor: null,
  isAtTop: true,
}

/** The rows in memory, and fetching those in sight again. */
function createRowMemory(ask: SendRequest) {
  const use = create<CaptureListState>(() => ({ ...initial, ...derive(initial) }))
  /** Counts queries. */
  let generation = 0
  let sight = { first: 0, last: 0 }
  const filling = new Set<string>()

  function set(change: Partial<Content>): void {
    use.setState({ ...change, ...derive({ ...use.getState(), ...change }) })
  }

  const isReady = () => use.getState().status === 'ready'
  const newestKnown = () => use.getState().counts?.newestId ?? 0
  const inSight = () => use.getState().ids.slice(sight.first, sight.last + 1)

  /** Takes rows, and lets go of those far from what is in sight. */
  function setRows(
    ids: readonly number[],
    rows: ReadonlyMap<number, CaptureRow>,
    change: Partial<Content> = {},
  ): void {
    const middle = Math.round((sight.first + sight.last) / 2)
    // A scan's rows cannot be fetched again quickly; its length is limited instead.
    const isKept = rows.size <= maxRows || isScan(use.getState())
    const near = new Set(ids.slice(Math.max(0, middle - maxRows / 2), middle + maxRows / 2))
    set({ ...change, ids, rows: isKept ? rows : new Map([...rows].filter(([id]) => near.has(id))) })
  }

  /** Fetches the rows in sight that are not in memory. */
  function fillSight(): void {
    const { ids, rows } = use.getState()
    if (!isReady() || inSight().every((id) => rows.has(id))) return
    const span = ids.slice(Math.max(0, sight.first - around), sight.last + around + 1)
    const from = span.findIndex((id) => !rows.has(id))
    const to = span.findLastIndex((id) => !rows.has(id))
    void fetchSpan(span.slice(from, to + 1)).then((isFilled) => isFilled && fillSight())
  }

  /** Fetches loaded captures again; the rows before stay meanwhile. Deleted ones go. */
  async function fetchSpan(span: readonly number[]): Promise<boolean> {
    const [top = 0, bottom = 0] = [span[0], span.at(-1)]
    const key = `${top}-${bottom}`
    if (filling.has(key) || filling.size >= 4) return false
    filling.add(key)
    const mine = generation
    const limit = Math.min(500, span.length)
    try {
      const page = await ask('capture.list', {
        query: use.getState().query,
        before: top + 1,
        ...(bottom > 1 && { after: bottom - 1 }),
        limit,
      })
      if (mine !== generation) return false
      const fetched = page.rows.filter(({ id }) => id <= top && id >= bottom)
      // If captures that match arrived since then, the response may end before the span does.
      const floor = page.rows.length < limit ? bottom : (fetched.at(-1)?.id ?? bottom)
      const { ids, rows } = use.getState()
      const newer = ids.filter((id) => id > top)
      const older = ids.filter((id) => id < floor)
      setRows([...newer, ...fetched.map(idOf), ...older], withRows(rows, fetched))
      return true
    } catch {
      // The rows stay; the next scroll or event fetches them again.
      return false
    } finally {
      if (mine === generation) filling.delete(key)
    }
  }

  return {
    use,
    set,
    isReady,
    newestKnown,
    inSight,
    setRows,
    fillSight,
    fetchSpan,
    sight: () => sight,
    setSight(first: number, last: number): void {
      sight = { first, last }
    },
    generation: () => generation,
    /** Responses that are still on their way are dropped. */
    restart(): void {
      generation += 1
      filling.clear()
    },
  }
}

/** Pages at the old end of the list, one after another where a scan finds few rows in each. */
function createPages(ask: SendRequest, memory: ReturnType<typeof createRowMemory>) {
  const { use, set, isReady, setRows } = memory
  let scan = 0

  /** Adds one page at the old end. @returns the number of rows found; null where it must not continue */
  async function appendPage(): Promise<number | null> {
    const mine = [memory.generation(), scan].join()
    const isCurrent = () => mine === [memory.generation(), scan].join()
    const { query, nextBefore } = use.getState()
    if (nextBefore === null) return null
    set({ tail: { status: 'loading' } })
    try {
      const page = await ask('capture.list', { query, before: nextBefore, limit: pageLimit })
      if (!isCurrent()) return null
      const { ids, rows } = use.getState()
      const floor = ids.at(-1) ?? Infinity
      const older = page.rows.filter(({ id }) => id < floor)
      setRows([...ids, ...older.map(idOf)], withRows(rows, older), {
        nextBefore: page.nextBefore,
        scannedBack: page.scannedBack,
        tail: { status: 'idle' },
      })
      return page.rows.length
    } catch (error) {
      if (isCurrent()) set({ tail: { status: 'failed', error: toAppError(error) } })
      return null
    }
  }

  /**
   * Makes a capture a row of the list, which then scrolls to it: loads on for a while, then restarts the list
   * shortly before the capture. A capture that does not match the query stays outside.
   */
  async function reach(id: number): Promise<void> {
    const mine = memory.generation()
    for (let found: number | null = 0; found !== null;) {
      const { ids, nextBefore, query, scannedBack } = use.getState()
      const isPassed = (ids.at(-1) ?? 0) <= id
      if (!isReady() || scannedBack !== null || nextBefore === null || isPassed) return
      if (ids.length >= maxReach) {
        const page = await ask('capture.list', { query, before: id + around, limit: pageLimit })
        if (mine !== memory.generation() || !page.rows.some((row) => row.id === id)) return
        memory.restart()
        set({ ...contentOf(page, 0), beginning: use.getState().beginning + 1 })
        return
      }
      found = await appendPage()
    }
  }

  async function continueScan(foundAlready: number): Promise<void> {
    for (let found = foundAlready; found < scanBurst;) {
      const { ids, nextBefore } = use.getState()
      if (!isReady() || nextBefore === null) return
      if (ids.length >= maxRows) {
        set({ tail: { status: 'full' } })
        return
      }
      const more = await appendPage()
      if (more === null) return
      found += more
    }
  }

  function stopScan(): void {
    scan += 1
    set({ tail: { status: use.getState().nextBefore === null ? 'idle' : 'stopped' } })
  }

  return { appendPage, reach, continueScan, stopScan }
}

/**
 * Fetches what is newer than the first row. When more has arrived than a page holds, the list begins
 * again with the newest page, or the rows between would be missing.
 * @param isWanted whether they may still be shown once they are here
 */
async function loadNewer(
  ask: SendRequest,
  memory: ReturnType<typeof createRowMemory>,
  isWanted: () => boolean,
): Promise<boolean> {
  const { use, set, newestKnown, setRows } = memory
  const mine = memory.generation()
  const { query, ids: before } = use.getState()
  const head = before[0] ?? 0
  const known = newestKnown()
  const page = await ask('capture.list', {
    query,
    limit: pageLimit,
    ...(head > 0 && { after: head }),
  })
  if (mine !== memory.generation() || !isWanted()) return false
  const hasGap = page.nextBefore !== null && page.rows.every(({ id }) => id > head)
  if (hasGap && page.rows.length >= pageLimit) {
    memory.restart()
    set(contentOf(page, known))
    return true
  }
  const { ids, rows, seenUpTo } = use.getState()
  const newer = page.rows.filter(({ id }) => id > (ids[0] ?? 0))
  setRows([...newer.map(idOf), ...ids], withRows(rows, newer), {
    seenUpTo: Math.max(seenUpTo, known, page.rows[0]?.id ?? 0),
    waiting: nothingFound.waiting,
    notYetSearchable: page.notYetSearchable,
  })
  return true
}

/**
 * Loads captures: pages are added at the old end, rows out of memory are fetched again in sight, and the rows
 * of an earlier query are dropped, whenever they come.
 * @param openId the capture beside the list
 */
export function createCaptureRows(ask: SendRequest, openId: () => number | null) {
  const memory = createRowMemory(ask)
  const { use, set, isReady, newestKnown, inSight, fetchSpan, fillSight } = memory
  const { appendPage, reach, continueScan, stopScan } = createPages(ask, memory)
  /** Counts queries, those without a response included. */
  let opening = 0
  let unanswered = 0
  /**
   * Shows a query from its newest row. The rows before stay until the response is there, and longer where
   * the query is not valid: it may be half typed.
   */
  async function open(query: ListQuery): Promise<void> {
    const mine = ++opening
    const known = newestKnown()
    if (!isReady()) set({ query, status: 'loading', refusal: null })
    try {
      unanswered += 1
      const page = await ask('capture.list', { query, limit: pageLimit }).finally(() => {
        unanswered -= 1
      })
      if (mine !== opening) return
      begin(query)
      set(contentOf(page, known))
      if (isScan(use.getState())) await continueScan(page.rows.length)
      else await reach(openId() ?? Infinity)
      keepEndFilled()
    } catch (problem) {
      if (mine !== opening) return
      const error = toAppError(problem)
      if (error.code === invalidQuery && isReady()) {
        set({ refusal: { query, error } })
        return
      }
      begin(query)
      set({ ...nothingFound, status: 'failed', error })
    }
  }

  function begin(query: ListQuery): void {
    memory.restart()
    memory.setSight(0, 0)
    set({
      query,
      refusal: null,
      selected: new Set(),
      anchor: null,
      cursorId: openId(),
      isAtTop: true,
      beginning: use.getState().beginning + 1,
    })
  }

  async function loadOlder(): Promise<void> {
    const state = use.getState()
    if (!isReady() || state.tail.status !== 'idle' || state.nextBefore === null) return
    if (isScan(state)) await continueScan(0)
    else await appendPage()
    keepEndFilled()
  }

  /** A page may hold fewer rows than are in sight. */
  function keepEndFilled(): void {
    const { ids, nextBefore, tail } = use.getState()
    const isNear = memory.sight().last + nearEnd >= ids.length
    if (isNear && nextBefore !== null && tail.status === 'idle') void loadOlder()
  }

  return {
    use,
    set,
    isReady,
    newestKnown,
    inSight,
    open,
    fetchSpan,
    fillSight,
    loadNewer: (isWanted: () => boolean) => loadNewer(ask, memory, isWanted),
    loadOlder,
    reach,
    /** For responses: whether the query is still the one that was requested. */
    generation: memory.generation,
    /** Whether a query waits for its response. */
    isOpening: () => unanswered > 0,
    see(first: number, last: number): void {
      memory.setSight(first, last)
      fillSight()
      if (isReady()) keepEndFilled()
    },
    /** Stops a slow scan; `resume` continues from there. */
    stopScan,
    /** Continues after a stop or a failure. */
    resume: (): Promise<void> => {
      set({ tail: { status: 'idle' } })
      return loadOlder()
    },
  }
}

/** Values that are derived from the rest of the state. */
function derive(state: Content): Pick<CaptureListState, 'total' | 'rowCount' | 'cursor' | 'news'> {
  const { ids, nextBefore, query, counts, cursorId, waiting } = state
  const total = ids.length
  const number = `${formatNumber(waiting.count)}${waiting.atLeast ? '+' : ''}`
  const news = isScan(state)
    ? `${formatCount(waiting.count, 'capture')} arrived since: search again`
    : `${number} new`
  const known = isEverything(query) ? (counts?.total ?? total) : total
  return {
    total,
    rowCount: nextBefore === null ? total : isEverything(query) ? known : null,
    cursor: cursorId === null ? null : indexIn(ids, cursorId),
    news: waiting.count === 0 ? null : news,
  }
}

/** Whether captures are read one by one, which takes long. */
export function isScan({ scannedBack }: Pick<CaptureListState, 'scannedBack'>): boolean {
  return scannedBack !== null
}

export function isEverything({ text }: ListQuery): boolean {
  return text.trim() === ''
}

export const idOf = ({ id }: CaptureRow) => id

function contentOf(page: CapturePage, known: number): Partial<Content> {
  return {
    ...nothingFound,
    status: 'ready',
    ids: page.rows.map(idOf),
    rows: new Map(page.rows.map((row) => [row.id, row])),
    nextBefore: page.nextBefore,
    seenUpTo: Math.max(known, page.rows[0]?.id ?? 0),
    scannedBack: page.scannedBack,
    notYetSearchable: page.notYetSearchable,
  }
}

export function withRows(
  rows: ReadonlyMap<number, CaptureRow>,
  newer: readonly CaptureRow[],
): ReadonlyMap<number, CaptureRow> {
  return new Map([...rows, ...newer.map((row) => [row.id, row] as const)])
}

/** The place of the first id that is not newer; ids fall from the first to the last. */
export function positionOfId(ids: readonly number[], id: number): number {
  let [from, to] = [0, ids.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((ids[middle] ?? 0) > id) from = middle + 1
    else to = middle
  }
  return from
}

export function indexIn(ids: readonly number[], id: RowId): number | null {
  const place = positionOfId(ids, Number(id))
  return ids[place] === id ? place : null
}
