import { create } from 'zustand'
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

export const createLiveList = <Q, T, X = null>(deps: ListDeps<Q, T, X>) => new LiveList(deps)

/**
 * A list of any length, of which only visible rows are loaded, with the cursor and the selection of
 * the user. One request runs at a time, so fast scrolling loads only the rows at which it stops.
 *
 * While the list changes, rows are updated in place; changes that would move the rows being read
 * wait behind a bar (`news`). At its top, if no row is selected, the list follows at once.
 */
class LiveList<Q, T, X> {
  /** The state, as a hook or by `use.getState()`. */
  readonly use = create<ListState<Q, T, X>>(() => unopened)
  readonly idOf: (row: T) => RowId
  readonly mostSelected: number
  readonly #deps: ListDeps<Q, T, X>
  /** The visible rows. */
  #first = 0
  #last = 0
  #isAtTop = true
  /** The list to which the loaded rows belong, by its `beginning`. */
  #answered = -1
  /** Loaded windows that are requested again once they are visible. */
  #stale = new Set<number>()
  #underWay: number | null = null
  #isBusy = false
  #isHalted = false
  /** The row that was searched last, and its list. */
  #sought = ''
  /** Rows that `note` named. */
  #changed = new Set<RowId>()
  readonly #poll: { call(): void }

  constructor(deps: ListDeps<Q, T, X>) {
    this.#deps = deps
    this.idOf = deps.idOf
    this.mostSelected = deps.mostSelected ?? 10_000
    this.#poll = throttle(() => void this.#loadChanged(), deps.pollMs ?? 1000)
  }

  rowAt(index: number | null): T | null {
    return rowIn(this.use.getState().held, index)
  }

  indexOf(id: RowId): number | null {
    return indexIn(this.use.getState().held, id, this.idOf)
  }

  /** Returns the row to which keys apply, if it is loaded. */
  cursorRow(): T | null {
    return this.rowAt(this.use.getState().cursor)
  }

  /**
   * Shows the rows of a query from the first one; the same query is loaded again. `keep` keeps
   * the displayed rows until the first new ones arrive, for another order or filter of the same
   * things; `keepSelected` also keeps the selection if it is certainly among them.
   */
  open(question: Q, { keep = false, keepSelected = false } = {}): void {
    const before = this.use.getState()
    if (JSON.stringify(before.question) === JSON.stringify(question)) {
      this.refresh()
      return
    }
    this.#isAtTop = true
    this.#deps.onAnew?.()
    this.use.setState({
      question,
      beginning: before.beginning + 1,
      error: null,
      ...untouched,
      ...(!keepSelected && nothingSelected),
      ...(!(keep && before.status === 'ready') && { status: 'loading', total: 0, extra: null }),
    })
    this.#restart()
  }

  /** Call this when these rows are visible. */
  show(from: number, to: number): void {
    const isShown = from === this.#first && to === this.#last
    if (this.#answered !== this.use.getState().beginning || isShown) return
    this.#first = from
    this.#last = to
    void this.#fetchWanted()
  }

  atTop(now: boolean): void {
    this.#isAtTop = now
  }

  /** Loads the list again; rows stay in place until newer ones have arrived. */
  readonly refresh = (): void => {
    this.#deps.onAnew?.()
    this.#stale = new Set(this.use.getState().held.keys())
    // A pending row may have been read before the change.
    if (this.#underWay !== null) this.#stale.add(this.#underWay)
    this.use.setState({ news: null })
    this.#restart()
  }

  /** Call this when the list has changed; `ids` names the changed rows if they are known. */
  note(ids: readonly RowId[] = []): void {
    for (const id of ids) this.#changed.add(id)
    this.#poll.call()
  }

  /** Stores newer versions of loaded rows in place. */
  update(newer: readonly T[]): void {
    const { idOf } = this
    const byId = new Map(newer.map((row) => [idOf(row), row]))
    this.use.setState(({ held, selected }) => ({
      held: new Map(
        [...held].map(([at, rows]) => [at, rows.map((row) => byId.get(idOf(row)) ?? row)]),
      ),
      selected: newest(selected, newer, idOf),
    }))
  }

  put(index: number | null): T | null {
    const row = this.rowAt(index)
    this.use.setState({ cursor: index, cursorId: row === null ? null : this.idOf(row) })
    return row
  }

  /** @returns false if more rows would be selected than possible */
  toggle(index: number): boolean {
    const row = this.rowAt(index)
    return row === null || this.#select([row], index, true)
  }

  /**
   * Selects all rows from the one selected last to this one. @returns false as `toggle` does
   * @throws the error of the loader
   */
  async selectTo(index: number): Promise<boolean> {
    const { anchor, cursor } = this.use.getState()
    const start = anchor ?? cursor ?? index
    const [from, to] = [Math.min(start, index), Math.max(start, index)]
    if (to - from >= this.mostSelected) return false
    // The cursor may move before the rows arrive.
    this.use.setState({ anchor: start })
    const rows = await this.#rowsBetween(from, to)
    return rows === null || this.#select(rows, start, false)
  }

  readonly selectNone = (): void => this.use.setState(nothingSelected)

  /**
   * Moves the cursor to a row that no loaded window contains because it was opened by its address.
   * Searches the first `mostSelected` rows once.
   */
  async seek(id: RowId): Promise<void> {
    const { question, beginning, cursor, total } = this.use.getState()
    const key = `${beginning} ${id}`
    if (key === this.#sought || question === null) return
    this.#sought = key
    const end = Math.min(total, this.mostSelected)
    for (let offset = 0; offset < end; offset += selectedAtOnce) {
      const page = await this.#deps.load(question, offset, selectedAtOnce).catch(() => null)
      const now = this.use.getState()
      // The list shows another query, or the user has moved the cursor.
      if (page === null || now.beginning !== beginning || now.cursor !== cursor) return
      const at = page.rows.findIndex((row) => this.idOf(row) === id)
      if (at < 0) continue
      // If another row is loaded at that index, the row is new: the list shows it after the next refresh.
      if (rowIn(now.held, offset + at) === null) {
        this.use.setState({ cursor: offset + at, cursorId: id })
      }
      return
    }
  }

  /** Continues even after a failure. */
  #restart(): void {
    this.#isHalted = false
    void this.#fetchWanted()
  }

  /** Loads the visible windows that are missing or outdated, one after another. */
  async #fetchWanted(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    for (;;) {
      const at = this.#nextWindow()
      const { question } = this.use.getState()
      if (at === null || question === null || this.#isHalted) break
      await this.#fetchWindow(at, question)
    }
    this.#isBusy = false
  }

  /** Returns the next window to load; null if all visible rows are loaded. */
  #nextWindow(): number | null {
    const { status, beginning, total, held } = this.use.getState()
    if (status !== 'ready' || this.#answered !== beginning) return 0
    const end = Math.min(this.#last, Math.max(0, total - 1))
    for (let at = windowOf(Math.min(this.#first, end)); at <= windowOf(end); at += 1) {
      if (!held.has(at) || this.#stale.has(at)) return at
    }
    return null
  }

  async #fetchWindow(at: number, question: Q): Promise<void> {
    const mine = this.use.getState().beginning
    this.#stale.delete(at)
    this.#underWay = at
    try {
      const page = await this.#deps.load(question, at * windowSize, windowSize)
      if (mine === this.use.getState().beginning) this.#take(at, page)
    } catch (error) {
      const { beginning, status } = this.use.getState()
      // The list shows another query by now.
      if (mine !== beginning) return
      this.#isHalted = true
      const isShown = status === 'ready' && this.#answered === beginning
      this.use.setState({ error: error as Error, status: isShown ? 'ready' : 'failed' })
    } finally {
      this.#underWay = null
    }
  }

  #take(at: number, { total, rows, extra }: Page<T, X>): void {
    const before = this.use.getState()
    const isFirst = this.#answered !== before.beginning || before.status !== 'ready'
    if (isFirst) {
      this.#answered = before.beginning
      this.#first = 0
      this.#last = 0
      this.#stale = new Set()
    }
    const all = new Map(isFirst ? [] : before.held).set(at, rows)
    const held = keepNear(all, windowOf((this.#first + this.#last) / 2), total)
    this.use.setState({
      status: 'ready',
      error: null,
      total,
      extra,
      held,
      ...followCursor(before, held, this.idOf),
      selected: newest(before.selected, rows, this.idOf),
    })
  }

  /** @throws the error of the loader */
  async #rowsBetween(from: number, to: number): Promise<T[] | null> {
    const { question } = this.use.getState()
    const found: T[] = []
    while (question !== null && from + found.length <= to) {
      const offset = from + found.length
      const limit = Math.min(selectedAtOnce, to - offset + 1)
      const { rows } = await this.#deps.load(question, offset, limit)
      if (rows.length === 0) break
      found.push(...rows)
    }
    return this.use.getState().question === question ? found : null
  }

  #select(rows: readonly T[], anchor: number, toggles: boolean): boolean {
    const selected = new Map(this.use.getState().selected)
    for (const row of rows) {
      const id = this.idOf(row)
      if (!(toggles && selected.delete(id))) selected.set(id, row)
    }
    if (selected.size > this.mostSelected) return false
    this.use.setState({ selected, anchor })
    announce(`${selected.size} selected`, 'selection')
    return true
  }

  /** Loads the visible rows again while they are being read: rows stay in place, and a bar counts new ones. */
  async #loadChanged(): Promise<void> {
    const named = this.#changed
    this.#changed = new Set()
    const { status, question, cursor, total, held } = this.use.getState()
    // In this case no row can move while it is being read: none is shown, or none is being read.
    const isUnread = total === 0 || (this.#isAtTop && cursor === null)
    if (status !== 'ready' || question === null || isUnread) {
      this.refresh()
      return
    }
    const [from, to] = [windowOf(this.#first), windowOf(this.#last)]
    const limit = (to - from + 1) * windowSize
    this.#deps.onAnew?.()
    const page = await this.#deps.load(question, from * windowSize, limit).catch(() => null)
    if (page === null || this.use.getState().question !== question) return
    const shown = Array.from({ length: to - from + 1 }, (_, at) => held.get(from + at) ?? []).flat()
    const moves =
      page.total !== total ||
      shown.some((row, index) => {
        const newer = page.rows[index]
        return newer === undefined || this.idOf(newer) !== this.idOf(row)
      })
    if (!moves) {
      this.refresh()
      return
    }
    const news = Math.max(0, page.total - total)
    if (news > 0 && this.use.getState().news === null) announce(`${news} new`)
    this.use.setState({ news, extra: page.extra })
    this.update(page.rows)
    await this.#updateNamed(named, page.rows)
  }

  /** Updates rows that changed and that are now further down than the loaded ones. */
  async #updateNamed(named: ReadonlySet<RowId>, read: readonly T[]): Promise<void> {
    const { question } = this.use.getState()
    const { loadOne } = this.#deps
    if (loadOne === undefined || question === null) return
    const known = new Set(read.map(this.idOf))
    const missing = [...named].filter((id) => !known.has(id) && this.indexOf(id) !== null)
    const loaded = await Promise.allSettled(
      missing.slice(0, maxLoadedByName).map((id) => loadOne(question, id)),
    )
    if (this.use.getState().question !== question) return
    this.update(loaded.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])))
  }
}

type Windows<T> = ReadonlyMap<number, readonly T[]>

const rowIn = <T>(held: Windows<T>, index: number | null): T | null =>
  index === null ? null : (held.get(windowOf(index))?.[index % windowSize] ?? null)

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

/** Returns the windows that are nearest to the visible one. */
function keepNear<T>(held: Windows<T>, visible: number, total: number): Windows<T> {
  const near = [...held]
    .filter(([at]) => at === 0 || at * windowSize < total)
    .sort(([a], [b]) => Math.abs(a - visible) - Math.abs(b - visible))
  return new Map(near.slice(0, maxWindows))
}
