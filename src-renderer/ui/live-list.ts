import { type StoreApi, create } from 'zustand'
import type { RowId, SourceState } from './list-source.ts'
import { announce } from './toast.tsx'
import { throttle } from './throttle.ts'

/** One response: rows from an offset on, and values about all of them. */
type Page<T, X> = { readonly total: number; readonly rows: readonly T[]; readonly extra: X }

export type ListState<Q, T, X> = SourceState<T> & {
  readonly question: Q | null
  readonly extra: X | null
  /** Rows by the number of their window. */
  readonly held: Windows<T>
  readonly news: number | null
  readonly selected: ReadonlyMap<RowId, T>
  /** Where a range of selected rows begins. */
  readonly anchor: number | null
}

export const windowSize = 100
/** Windows in memory; those farthest from the rows in sight are discarded. */
const maxWindows = 20
/** Rows of one request when a range is selected. */
const selectedAtOnce = 500
/** Changed rows that are loaded one by one. */
const maxLoadedByName = 20

const windowOf = (index: number) => Math.floor(index / windowSize)

type ListDeps<Q, T, X> = {
  /** Loads `limit` rows from `offset` on. */
  readonly load: (question: Q, offset: number, limit: number) => Promise<Page<T, X>>
  readonly idOf: (row: T) => RowId
  /** Loads one row that `note` named, so that it is right while new rows keep the list from moving. */
  readonly loadOne?: ((question: Q, id: RowId) => Promise<T>) | undefined
  /** Called before all rows are read again: offsets that the loader has stored are out of date. */
  readonly onAnew?: () => void
  /** While the list changes, the rows in sight are loaded again this often. */
  readonly pollMs?: number
  readonly mostSelected?: number
}

const nothingSelected = { selected: new Map<RowId, never>(), anchor: null }
const untouched = { cursor: null, cursorId: null, news: null, anchor: null }
const unopened = {
  question: null,
  status: 'loading' as const,
  error: null,
  total: 0,
  extra: null,
  held: new Map<number, never>(),
  beginning: 0,
  ...untouched,
  ...nothingSelected,
}

/** The visible rows, and the state of the loaded windows. */
type Sight = {
  first: number
  last: number
  isAtTop: boolean
  /** The list whose rows are here, by its `beginning`. */
  answered: number
  /** Loaded pages that are requested again once they are visible. */
  stale: Set<number>
}

/**
 * A list of any length of which only what is in sight is fetched, with the cursor and the selection of
 * its reader. One request at a time: who scrolls fast gets the rows at which he stops.
 *
 * While it changes, rows are changed where they stand; what would move the rows being read waits behind
 * a bar (`news`). At its top, with no row chosen, the list follows at once.
 */
export function createLiveList<Q, T, X = null>({
  load,
  idOf,
  loadOne,
  onAnew = () => undefined,
  pollMs = 1000,
  mostSelected = 10_000,
}: ListDeps<Q, T, X>) {
  const use = create<ListState<Q, T, X>>(() => unopened)
  const sight: Sight = { first: 0, last: 0, isAtTop: true, answered: -1, stale: new Set() }
  const { fetchWanted, refresh, restart } = createLoading({ use, load, idOf, onAnew, sight })
  const rowAt = (index: number | null) => rowIn(use.getState().held, index)
  const selection = createSelection({ use, load, idOf, mostSelected })
  const changes = createChanges({ use, load, idOf, loadOne, onAnew, refresh, sight, pollMs })
  const seek = createSeek({ use, load, idOf, mostSelected })

  return {
    /** Its state, as a hook or by `use.getState()`. */
    use,
    idOf,
    mostSelected,
    rowAt,
    indexOf: (id: RowId) => indexIn(use.getState().held, id, idOf),
    seek: (id: RowId) => void seek(id),
    /** The row that keys act on, if it is here. */
    cursorRow: () => rowAt(use.getState().cursor),
    /**
     * Shows the rows of a query from the first one; the same query is loaded again. `keep` leaves
     * what is shown until the first rows are there, for another order or filter of the same things;
     * `keepSelected` also leaves the selection, where it is sure to be among them.
     */
    open(question: Q, { keep = false, keepSelected = false } = {}): void {
      const before = use.getState()
      if (JSON.stringify(before.question) === JSON.stringify(question)) {
        refresh()
        return
      }
      sight.isAtTop = true
      onAnew()
      use.setState({
        question,
        beginning: before.beginning + 1,
        error: null,
        ...untouched,
        ...(!keepSelected && nothingSelected),
        ...(!(keep && before.status === 'ready') && { status: 'loading', total: 0, extra: null }),
      })
      restart()
    },
    /** These rows are in sight. */
    show(from: number, to: number): void {
      const isShown = from === sight.first && to === sight.last
      if (sight.answered !== use.getState().beginning || isShown) return
      sight.first = from
      sight.last = to
      void fetchWanted()
    },
    atTop: (now: boolean) => void (sight.isAtTop = now),
    refresh,
    /** Something of it has changed; `ids` names the rows where they are known. */
    note: changes.note,
    update: changes.update,
    put(index: number | null): T | null {
      const row = rowAt(index)
      use.setState({ cursor: index, cursorId: row === null ? null : idOf(row) })
      return row
    },
    ...selection,
  }
}

type Parts<Q, T, X> = Pick<ListDeps<Q, T, X>, 'load' | 'idOf'> & {
  readonly use: StoreApi<ListState<Q, T, X>>
}

/** Fetches the windows in sight that are missing or stale, one after another. */
function createLoading<Q, T, X>({
  use,
  load,
  idOf,
  onAnew,
  sight,
}: Parts<Q, T, X> & { readonly onAnew: () => void; readonly sight: Sight }) {
  let underWay: number | null = null
  let isBusy = false
  let isHalted = false

  async function fetchWanted(): Promise<void> {
    if (isBusy) return
    isBusy = true
    for (;;) {
      const at = nextWindow(use.getState(), sight)
      const { question } = use.getState()
      if (at === null || question === null || isHalted) break
      await fetchWindow(at, question)
    }
    isBusy = false
  }

  async function fetchWindow(at: number, question: Q): Promise<void> {
    const mine = use.getState().beginning
    sight.stale.delete(at)
    underWay = at
    try {
      const page = await load(question, at * windowSize, windowSize)
      if (mine === use.getState().beginning) take(at, page)
    } catch (error) {
      const { beginning, status } = use.getState()
      // The list shows another question by now.
      if (mine !== beginning) return
      isHalted = true
      const isShown = status === 'ready' && sight.answered === beginning
      use.setState({ error: error as Error, status: isShown ? 'ready' : 'failed' })
    } finally {
      underWay = null
    }
  }

  function take(at: number, { total, rows, extra }: Page<T, X>): void {
    const before = use.getState()
    const isFirst = sight.answered !== before.beginning || before.status !== 'ready'
    if (isFirst) {
      Object.assign(sight, { answered: before.beginning, first: 0, last: 0, stale: new Set() })
    }
    const held = keepNear(new Map(isFirst ? [] : before.held).set(at, rows), sight, total)
    use.setState({
      status: 'ready',
      error: null,
      total,
      extra,
      held,
      ...followCursor(before, held, idOf),
      selected: newest(before.selected, rows, idOf),
    })
  }

  /** Rows stay in their places until newer ones have come. */
  function refresh(): void {
    onAnew()
    sight.stale = new Set(use.getState().held.keys())
    // A row on its way may have been read before the change.
    if (underWay !== null) sight.stale.add(underWay)
    use.setState({ news: null })
    restart()
  }

  /** Continues after a failure, too. */
  function restart(): void {
    isHalted = false
    void fetchWanted()
  }

  return { fetchWanted, refresh, restart }
}

/** The rows that were chosen for an action, and how a range of them is loaded. */
function createSelection<Q, T, X>({
  use,
  load,
  idOf,
  mostSelected,
}: Parts<Q, T, X> & { readonly mostSelected: number }) {
  /** @throws what the loader throws */
  async function rowsBetween(from: number, to: number): Promise<T[] | null> {
    const { question } = use.getState()
    const found: T[] = []
    while (question !== null && from + found.length <= to) {
      const offset = from + found.length
      const { rows } = await load(question, offset, Math.min(selectedAtOnce, to - offset + 1))
      if (rows.length === 0) break
      found.push(...rows)
    }
    return use.getState().question === question ? found : null
  }

  function select(rows: readonly T[], anchor: number, toggles: boolean): boolean {
    const selected = new Map(use.getState().selected)
    for (const row of rows) {
      if (!(toggles && selected.delete(idOf(row)))) selected.set(idOf(row), row)
    }
    if (selected.size > mostSelected) return false
    use.setState({ selected, anchor })
    announce(`${selected.size} selected`, 'selection')
    return true
  }

  return {
    /** @returns false where more would be selected than can be */
    toggle(index: number): boolean {
      const row = rowIn(use.getState().held, index)
      return row === null || select([row], index, true)
    },
    /** All from the one selected last to this one. @returns false as `toggle` @throws as the loader */
    async selectTo(index: number): Promise<boolean> {
      const { anchor, cursor } = use.getState()
      const start = anchor ?? cursor ?? index
      const [from, to] = [Math.min(start, index), Math.max(start, index)]
      if (to - from >= mostSelected) return false
      // The cursor may move before the rows are there.
      use.setState({ anchor: start })
      const rows = await rowsBetween(from, to)
      return rows === null || select(rows, start, false)
    },
    selectNone: () => use.setState(nothingSelected),
  }
}

/**
 * Moves the cursor to a row that no loaded window has: one that was opened by its address. Searches the
 * first `mostSelected` rows, once.
 */
function createSeek<Q, T, X>({
  use,
  load,
  idOf,
  mostSelected,
}: Parts<Q, T, X> & { readonly mostSelected: number }) {
  /** The last row that was sought, and in which list. */
  let sought = ''
  return async (id: RowId): Promise<void> => {
    const { question, beginning, cursor, total } = use.getState()
    const key = `${beginning} ${id}`
    if (key === sought || question === null) return
    sought = key
    const end = Math.min(total, mostSelected)
    for (let offset = 0; offset < end; offset += selectedAtOnce) {
      const page = await load(question, offset, selectedAtOnce).catch(() => null)
      const now = use.getState()
      // The list shows another question, or the user has chosen a row.
      if (page === null || now.beginning !== beginning || now.cursor !== cursor) return
      const at = page.rows.findIndex((row) => idOf(row) === id)
      if (at < 0) continue
      // Where another row is loaded there, the row has just arrived: the list shows it when it is refreshed.
      if (rowIn(now.held, offset + at) === null) {
        use.setState({ cursor: offset + at, cursorId: id })
      }
      return
    }
  }
}

/** Changes while rows are being read: rows stay where they are, and a bar counts the new ones. */
function createChanges<Q, T, X>({
  use,
  load,
  idOf,
  loadOne,
  onAnew,
  refresh,
  sight,
  pollMs,
}: Parts<Q, T, X> &
  Pick<ListDeps<Q, T, X>, 'loadOne'> & {
    readonly onAnew: () => void
    readonly refresh: () => void
    readonly sight: Readonly<Sight>
    readonly pollMs: number
  }) {
  let changed = new Set<RowId>()
  const poll = throttle(() => void loadChanged(), pollMs)

  async function loadChanged(): Promise<void> {
    const named = changed
    changed = new Set()
    const { status, question, cursor, total, held } = use.getState()
    const { first, last, isAtTop } = sight
    // Nothing moves under the reader: no row is shown, or none is being read.
    if (status !== 'ready' || question === null || total === 0 || (isAtTop && cursor === null)) {
      refresh()
      return
    }
    const [from, to] = [windowOf(first), windowOf(last)]
    const limit = (to - from + 1) * windowSize
    onAnew()
    const page = await load(question, from * windowSize, limit).catch(() => null)
    if (page === null || use.getState().question !== question) return
    const shown = Array.from({ length: to - from + 1 }, (_, at) => held.get(from + at) ?? []).flat()
    const moves =
      page.total !== total ||
      shown.some((row, index) => {
        const newer = page.rows[index]
        return newer === undefined || idOf(newer) !== idOf(row)
      })
    if (!moves) {
      refresh()
      return
    }
    const news = Math.max(0, page.total - total)
    if (news > 0 && use.getState().news === null) announce(`${news} new`)
    use.setState({ news, extra: page.extra })
    update(page.rows)
    await updateNamed(named, page.rows)
  }

  /** Rows that changed and stand further down by now than what was read. */
  async function updateNamed(named: ReadonlySet<RowId>, read: readonly T[]): Promise<void> {
    const { question, held } = use.getState()
    if (loadOne === undefined || question === null) return
    const known = new Set(read.map(idOf))
    const missing = [...named].filter((id) => !known.has(id) && indexIn(held, id, idOf) !== null)
    const loaded = await Promise.allSettled(
      missing.slice(0, maxLoadedByName).map((id) => loadOne(question, id)),
    )
    if (use.getState().question !== question) return
    update(loaded.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])))
  }

  /** Newer versions of rows that are here; they stay where they are. */
  function update(newer: readonly T[]): void {
    const byId = new Map(newer.map((row) => [idOf(row), row]))
    use.setState(({ held, selected }) => ({
      held: new Map(
        [...held].map(([at, rows]) => [at, rows.map((row) => byId.get(idOf(row)) ?? row)]),
      ),
      selected: newest(selected, newer, idOf),
    }))
  }

  return {
    note: (ids: readonly RowId[] = []) => {
      for (const id of ids) changed.add(id)
      poll.call()
    },
    update,
  }
}

type Windows<T> = ReadonlyMap<number, readonly T[]>

function rowIn<T>(held: Windows<T>, index: number | null): T | null {
  return index === null ? null : (held.get(windowOf(index))?.[index % windowSize] ?? null)
}

/** Where a row stands among those that are here. */
function indexIn<T>(held: Windows<T>, id: RowId, idOf: (row: T) => RowId): number | null {
  for (const [at, rows] of held) {
    const index = rows.findIndex((row) => idOf(row) === id)
    if (index >= 0) return at * windowSize + index
  }
  return null
}

/** Rows have come or gone above the cursor, and it goes with its row. A cursor whose row is gone stays. */
function followCursor<T>(
  { cursor, cursorId }: Pick<SourceState<T>, 'cursor' | 'cursorId'>,
  held: Windows<T>,
  idOf: (row: T) => RowId,
): Pick<SourceState<T>, 'cursor' | 'cursorId'> {
  const there = rowIn(held, cursor)
  if (cursor === null || there === null) return { cursor, cursorId }
  const id = idOf(there)
  const index = cursorId === null || cursorId === id ? cursor : indexIn(held, cursorId, idOf)
  return index === null ? { cursor, cursorId: id } : { cursor: index, cursorId: cursorId ?? id }
}

/** Selected rows as they are now: an action on them reads what they hold. */
function newest<T>(
  selected: ReadonlyMap<RowId, T>,
  rows: readonly T[],
  idOf: (row: T) => RowId,
): ReadonlyMap<RowId, T> {
  const newer = rows.filter((row) => selected.has(idOf(row)))
  if (newer.length === 0) return selected
  return new Map([...selected, ...newer.map((row) => [idOf(row), row] as const)])
}

/** The window to fetch next; null when all in sight is there. */
function nextWindow<Q, T, X>(
  { status, beginning, total, held }: ListState<Q, T, X>,
  { first, last, answered, stale }: Sight,
): number | null {
  if (status !== 'ready' || answered !== beginning) return 0
  const end = Math.min(last, Math.max(0, total - 1))
  for (let at = windowOf(Math.min(first, end)); at <= windowOf(end); at += 1) {
    if (!held.has(at) || stale.has(at)) return at
  }
  return null
}

function keepNear<T>(held: Windows<T>, { first, last }: Sight, total: number): Windows<T> {
  const middle = windowOf((first + last) / 2)
  const near = [...held]
    .filter(([at]) => at === 0 || at * windowSize < total)
    .sort(([a], [b]) => Math.abs(a - middle) - Math.abs(b - middle))
  return new Map(near.slice(0, maxWindows))
}
