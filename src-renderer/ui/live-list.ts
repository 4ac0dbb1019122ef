import { type StoreApi, create } from 'zustand'
import type { RowId, SourceState } from './list-source.ts'
import { announce } from './toast.tsx'
import { throttle } from './throttle.ts'

/** One response: rows from an offset on, and values about all rows. */
type Page<T, X> = { readonly total: number; readonly rows: readonly T[]; readonly extra: X }

export type ListState<Q, T, X> = SourceState<T> & {
  readonly question: Q | null
  readonly extra: X | null
  /** Rows by the number of their window. */
  readonly held: Windows<T>
  readonly news: number | null
  readonly selected: ReadonlyMap<RowId, T>
  /** The beginning of a range of selected rows. */
  readonly anchor: number | null
}

export const windowSize = 100
/** Maximum number of windows in memory; those farthest from the visible rows are dropped. */
const maxWindows = 20
/** Number of rows per request when a range is selected. */
const selectedAtOnce = 500
/** Maximum number of changed rows that are loaded one by one. */
const maxLoadedByName = 20

const windowOf = (index: number) => Math.floor(index / windowSize)

type ListDeps<Q, T, X> = {
  /** Loads `limit` rows from `offset` on. */
  readonly load: (question: Q, offset: number, limit: number) => Promise<Page<T, X>>
  readonly idOf: (row: T) => RowId
  /** Loads one row that `note` named, so that it is up to date while new rows wait. */
  readonly loadOne?: ((question: Q, id: RowId) => Promise<T>) | undefined
  /** Called before all rows are read again, because offsets that the loader has stored are outdated. */
  readonly onAnew?: () => void
  /** While the list changes, the visible rows are loaded again at this interval. */
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
  /** The list to which the loaded rows belong, by its `beginning`. */
  answered: number
  /** Loaded pages that are requested again once they are visible. */
  stale: Set<number>
}

/**
 * A list of any length, of which only visible rows are loaded, with the cursor and the selection of
 * the user. One request runs at a time, so fast scrolling loads only the rows at which it stops.
 *
 * While the list changes, rows are updated in place; changes that would move the rows being read
 * wait behind a bar (`news`). At its top, if no row is selected, the list follows at once.
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
    /** The state, as a hook or by `use.getState()`. */
    use,
    idOf,
    mostSelected,
    rowAt,
    indexOf: (id: RowId) => indexIn(use.getState().held, id, idOf),
    seek: (id: RowId) => void seek(id),
    /** Returns the row to which keys apply, if it is loaded. */
    cursorRow: () => rowAt(use.getState().cursor),
    /**
     * Shows the rows of a query from the first one; the same query is loaded again. `keep` keeps
     * the displayed rows until the first new ones arrive, for another order or filter of the same
     * things; `keepSelected` also keeps the selection if it is certainly among them.
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
    /** Call this when these rows are visible. */
    show(from: number, to: number): void {
      const isShown = from === sight.first && to === sight.last
      if (sight.answered !== use.getState().beginning || isShown) return
      sight.first = from
      sight.last = to
      void fetchWanted()
    },
    atTop: (now: boolean) => void (sight.isAtTop = now),
    refresh,
    /** Call this when the list has changed; `ids` names the changed rows if they are known. */
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

/** Loads the visible windows that are missing or outdated, one after another. */
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
      // The list shows another query by now.
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

  /** Rows stay in place until newer ones have arrived. */
  function refresh(): void {
    onAnew()
    sight.stale = new Set(use.getState().held.keys())
    // A pending row may have been read before the change.
    if (underWay !== null) sight.stale.add(underWay)
    use.setState({ news: null })
    restart()
  }

  /** Continues even after a failure. */
  function restart(): void {
    isHalted = false
    void fetchWanted()
  }

  return { fetchWanted, refresh, restart }
}

/** The rows that were selected for an action, and how a range of them is loaded. */
function createSelection<Q, T, X>({
  use,
  load,
  idOf,
  mostSelected,
}: Parts<Q, T, X> & { readonly mostSelected: number }) {
  /** @throws the error of the loader */
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
    /** @returns false if more rows would be selected than possible */
    toggle(index: number): boolean {
      const row = rowIn(use.getState().held, index)
      return row === null || select([row], index, true)
    },
    /**
     * Selects all rows from the one selected last to this one. @returns false as `toggle` does
     * @throws the error of the loader
     */
    async selectTo(index: number): Promise<boolean> {
      const { anchor, cursor } = use.getState()
      const start = anchor ?? cursor ?? index
      const [from, to] = [Math.min(start, index), Math.max(start, index)]
      if (to - from >= mostSelected) return false
      // The cursor may move before the rows arrive.
      use.setState({ anchor: start })
      const rows = await rowsBetween(from, to)
      return rows === null || select(rows, start, false)
    },
    selectNone: () => use.setState(nothingSelected),
  }
}

/**
 * Moves the cursor to a row that no loaded window contains because it was opened by its address.
 * Searches the first `mostSelected` rows once.
 */
function createSeek<Q, T, X>({
  use,
  load,
  idOf,
  mostSelected,
}: Parts<Q, T, X> & { readonly mostSelected: number }) {
  /** The row that was searched last, and its list. */
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
      // The list shows another query, or the user has moved the cursor.
      if (page === null || now.beginning !== beginning || now.cursor !== cursor) return
      const at = page.rows.findIndex((row) => idOf(row) === id)
      if (at < 0) continue
      // If another row is loaded at that index, the row is new: the list shows it after the next refresh.
      if (rowIn(now.held, offset + at) === null) {
        use.setState({ cursor: offset + at, cursorId: id })
      }
      return
    }
  }
}

/** Handles changes while rows are being read: rows stay in place, and a bar counts new ones. */
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
    // In this case no row can move while it is being read: none is shown, or none is being read.
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

  /** Updates rows that changed and that are now further down than the loaded ones. */
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

  /** Stores newer versions of loaded rows in place. */
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

/** Returns the index of a row among the loaded ones. */
function indexIn<T>(held: Windows<T>, id: RowId, idOf: (row: T) => RowId): number | null {
  for (const [at, rows] of held) {
    const index = rows.findIndex((row) => idOf(row) === id)
    if (index >= 0) return at * windowSize + index
  }
  return null
}

/** If rows were added or removed above the cursor, it moves with its row. If its row was removed, it stays. */
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

/** Returns the selected rows in their present version, because an action uses their values. */
function newest<T>(
  selected: ReadonlyMap<RowId, T>,
  rows: readonly T[],
  idOf: (row: T) => RowId,
): ReadonlyMap<RowId, T> {
  const newer = rows.filter((row) => selected.has(idOf(row)))
  if (newer.length === 0) return selected
  return new Map([...selected, ...newer.map((row) => [idOf(row), row] as const)])
}

/** Returns the next window to load; null if all visible rows are loaded. */
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
