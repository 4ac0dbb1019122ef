import type { CaptureCounts, CaptureRow } from '../../../src-preload/contract/capture.ts'
import { attempt } from '../../app/bridge.ts'
import type { ListSource, RowId } from '../../ui/list-source.ts'
import type { ListQuery } from '../../app/route.ts'
import { throttle } from '../../ui/throttle.ts'
import { announce } from '../../ui/toast.tsx'
import {
  type SendRequest,
  CaptureRows,
  idOf,
  isEmptyQuery,
  isScan,
  pageLimit,
  positionOfId,
  withRows,
} from './capture-rows.ts'
import { idsOfRow, mergeDeliveries } from './capture-groups.ts'

/** `capture.delete` accepts at most this many ids. */
const maxSelected = 10_000
/** The pauses between requests, in milliseconds, while many captures arrive. */
const pauses = { catchUp: 300, classify: 400, markRead: 500, refresh: 300 }

type Deps = {
  readonly ask: SendRequest
  /** Calls `work` after a time, as `setTimeout` does. */
  readonly later: (work: () => void, ms: number) => unknown
  /** Returns whether the window is visible. */
  readonly isVisible: () => boolean
  /** Returns the id of the capture that is open beside the list. */
  readonly openId: () => number | null
  /** Changes the capture that is open beside the list, if its id is among `ids`. */
  readonly patchOpen: (ids: readonly number[], part: CapturePatch) => void
}

type CapturePatch = Partial<Pick<CaptureRow, 'pinned' | 'note'>>

/**
 * The list of captures, which is kept up to date: new captures appear at its top or wait behind the
 * news bar, rows get their explanation, and deleted rows disappear. An event only reports that
 * something has changed; the rows are then fetched, with a pause between requests.
 */
export class CaptureSource extends CaptureRows implements ListSource<CaptureRow> {
  readonly idOf = idOf
  readonly mostSelected = maxSelected
  readonly #isVisible: Deps['isVisible']
  readonly #patchOpen: Deps['patchOpen']
  #classifiedUpTo = 0
  /** The captures that may have changed since they were fetched; null if any may have changed. */
  #stale: Set<number> | null = new Set()
  #markedRead = 0
  #shownUpTo = 0
  /**
   * Looks for new captures after the user stopped reading, the window became visible, or the
   * connection was restored.
   */
  readonly catchUp: () => void
  readonly #classify: () => void
  readonly #refreshStale: () => void
  readonly #markRead: () => void

  constructor({ ask, later, isVisible, openId, patchOpen }: Deps) {
    super(ask, openId)
    this.#isVisible = isVisible
    this.#patchOpen = patchOpen
    this.catchUp = throttle(() => this.#lookForNew(), pauses.catchUp, later).call
    this.#classify = throttle(() => this.#fetchUnclear(), pauses.classify, later).call
    this.#refreshStale = throttle(() => this.#fetchStale(), pauses.refresh, later).call
    this.#markRead = throttle(() => this.#sendRead(), pauses.markRead, later).call
  }

  rowAt(index: number | null): CaptureRow | null {
    const { shown, rows } = this.state
    const id = index === null ? 0 : (shown.ids[index] ?? 0)
    const [row, ...others] = idsOfRow(shown, id).flatMap((each) => rows.get(each) ?? [])
    return row?.id === id ? mergeDeliveries(row, others) : null
  }

  #idsBetween(from: number, to: number): number[] {
    const { shown } = this.state
    return shown.ids.slice(from, to + 1).flatMap((id) => idsOfRow(shown, id))
  }

  indexOf(id: RowId): number | null {
    return this.state.shown.places.get(Number(id)) ?? null
  }

  cursorRow(): CaptureRow | null {
    return this.rowAt(this.state.cursor)
  }

  show(first: number, last: number): void {
    this.see(first, last)
    if (!this.isReady()) return
    this.#noteUnclear()
    const shown = this.inSight()
    for (const id of shown) this.#shownUpTo = Math.max(this.#shownUpTo, id)
    if (this.#shownUpTo > this.#markedRead) this.#markRead()
  }

  atTop(now: boolean): void {
    if (now === this.state.isAtTop) return
    this.set({ isAtTop: now })
    if (now) this.catchUp()
  }

  readonly refresh = (): void =>
    void attempt('Could not load the new captures', () => this.showNew())

  put(index: number | null): CaptureRow | null {
    this.set({ cursorId: index === null ? null : (this.state.shown.ids[index] ?? null) })
    if (index === null) this.catchUp()
    return this.rowAt(index)
  }

  putId(id: number | null): void {
    this.set({ cursorId: id })
  }

  toggle(index: number): boolean {
    const { selected } = this.state
    const ids = this.#idsBetween(index, index)
    const others = [...selected].filter((id) => !ids.includes(id))
    const isSelected = ids.every((id) => selected.has(id))
    return this.#select(new Set(isSelected ? others : [...selected, ...ids]), ids[0] ?? 0)
  }

  selectTo(index: number): Promise<boolean> {
    const { shown, selected, anchor, cursorId } = this.state
    const from = shown.places.get(anchor ?? cursorId ?? 0) ?? index
    const range = this.#idsBetween(Math.min(from, index), Math.max(from, index))
    return Promise.resolve(this.#select(new Set([...selected, ...range]), shown.ids[from] ?? 0))
  }

  #select(selected: ReadonlySet<number>, anchor: number): boolean {
    if (selected.size > maxSelected) return false
    this.set({ selected, anchor })
    announce(`${selected.size} selected`, 'selection')
    return true
  }

  selectNone(): void {
    this.set({ selected: new Set(), anchor: null })
    this.catchUp()
  }

  /** Returns the selected captures, or else the open one, or else those of the row at the cursor. */
  targets(): number[] {
    const { selected, cursorId, shown } = this.state
    if (selected.size > 0) return [...selected]
    const open = this.openId()
    if (open !== null) return [open]
    return cursorId === null ? [] : [...idsOfRow(shown, cursorId)]
  }

  async open(query: ListQuery): Promise<void> {
    await this.load(query)
    if (this.#stale === null || this.#stale.size > 0) this.#refreshStale()
  }

  /** Shows the captures that wait behind the news bar. A slow scan starts again. */
  async showNew(): Promise<void> {
    const { query, beginning } = this.state
    if (!this.isReady() || isScan(this.state)) return this.load(query)
    this.set({ cursorId: null })
    if (await this.loadNewer(() => true)) this.set({ beginning: beginning + 1, isAtTop: true })
  }

  added(counts: CaptureCounts): void {
    this.set({ counts })
    this.catchUp()
  }

  classified(upTo: number): void {
    this.#classifiedUpTo = Math.max(this.#classifiedUpTo, upTo)
    this.#noteUnclear()
  }

  /** @param ids the captures that have changed; null if any may have changed */
  changed(ids: readonly number[] | null, counts: CaptureCounts): void {
    this.set({ counts })
    if (ids?.length === 0) return
    this.#stale = ids === null || this.#stale === null ? null : new Set([...this.#stale, ...ids])
    this.#refreshStale()
  }

  group(isGrouped: boolean): void {
    this.set({ isGrouped })
  }

  /** Lists the deliveries of a capture's payment, or only the payment. */
  toggleGroup(id: number): void {
    const { shown, expanded } = this.state
    const group = shown.groups.get(id)
    if (group === undefined || group.ids.length === 1) return
    const next = new Set(expanded)
    if (!next.delete(group.trace)) next.add(group.trace)
    this.set({ expanded: next })
    announce(`${group.ids.length} deliveries ${group.isExpanded ? 'hidden' : 'shown'}`)
  }

  /** Unread captures that were opened lose their mark, with a payment all its deliveries. */
  noteOpened(id: number): void {
    const { shown, opened } = this.state
    this.set({ opened: new Set([...opened, ...idsOfRow(shown, id)]) })
  }

  /** True if one of the row's captures arrived since the page was opened, and was not opened. */
  isUnread({ id, origin }: CaptureRow): boolean {
    const { shown, opened, readUpTo } = this.state
    if (readUpTo === null || origin !== 'received') return false
    return idsOfRow(shown, id).some((each) => each > readUpTo && !opened.has(each))
  }

  /** Stores the counts at the time when the page was opened. Captures that were unread then stay marked. */
  startReading(counts: CaptureCounts): void {
    // If the list already knows a newer capture, these counts are out of date.
    if (this.newestKnown() <= (counts.newestId ?? 0)) this.set({ counts })
    this.catchUp()
    if (this.state.readUpTo === null) this.set({ readUpTo: counts.readTo })
  }

  stopReading(): void {
    this.set({ readUpTo: null, cursorId: null, selected: new Set(), anchor: null })
  }

  /** Shows the change at once, and reverts it if the request fails. @throws AppError */
  async pin(ids: readonly number[], pinned: boolean): Promise<void> {
    this.#patch(ids, { pinned })
    try {
      await this.ask('capture.pin', { ids: [...ids], pinned })
    } catch (error) {
      this.#patch(ids, { pinned: !pinned })
      throw error
    }
  }

  /** @throws AppError */
  async note(id: number, note: string): Promise<void> {
    await this.ask('capture.note', { id, note })
    this.#patch([id], { note })
  }

  #patch(ids: readonly number[], part: CapturePatch): void {
    const { rows } = this.state
    const patched = ids.flatMap((id) => {
      const row = rows.get(id)
      return row === undefined ? [] : [{ ...row, ...part }]
    })
    this.set({ rows: withRows(rows, patched) })
    this.#patchOpen(ids, part)
  }

  /**
   * Removes deleted captures from the list. The cursor moves to the row that takes the place of
   * its own row.
   */
  remove(deleted: readonly number[]): void {
    const gone = new Set(deleted)
    const { ids, cursor, cursorId } = this.state
    const isCursorGone = cursor !== null && cursorId !== null && gone.has(cursorId)
    this.set({ ids: ids.filter((id) => !gone.has(id)), selected: new Set(), anchor: null })
    const { shown } = this.state
    if (isCursorGone) this.put(Math.min(cursor, shown.ids.length - 1))
  }

  /**
   * New rows may move the other rows only while the user is at the top of the list and is neither
   * reading nor selecting.
   */
  readonly #isFollowing = (): boolean => {
    const { cursorId, selected, isAtTop } = this.state
    const isIdle = cursorId === null && selected.size === 0 && this.openId() === null
    return isAtTop && isIdle && !isScan(this.state)
  }

  async #lookForNew(): Promise<void> {
    if (!this.isReady() || this.newestKnown() <= this.state.seenUpTo) return
    if (this.#isFollowing()) {
      if (!this.#isVisible()) return
      if (await this.loadNewer(this.#isFollowing)) return
    }
    await this.#countWaiting()
  }

  /** Without a query, the number follows from the ids. With a query, one page has to be requested. */
  async #countWaiting(): Promise<void> {
    const { query, seenUpTo, ids } = this.state
    if (!this.isReady()) return
    if (isEmptyQuery(query) || isScan(this.state)) {
      this.set({ waiting: { count: Math.max(0, this.newestKnown() - seenUpTo), atLeast: false } })
      return
    }
    const mine = this.generation
    const page = await this.fetchNewer()
    if (mine !== this.generation) return
    const count = page.rows.filter(({ id }) => id > (ids[0] ?? 0)).length
    this.set({ waiting: { count, atLeast: count >= pageLimit } })
  }

  #isUnclear(id: number): boolean {
    return this.state.rows.get(id)?.kind === null && id <= this.#classifiedUpTo
  }

  #noteUnclear(): void {
    if (this.inSight().some((id) => this.#isUnclear(id))) this.#classify()
  }

  async #fetchUnclear(): Promise<void> {
    if (!this.isReady() || isScan(this.state)) return
    const span = this.inSight()
    const from = span.findIndex((id) => this.#isUnclear(id))
    const to = span.findLastIndex((id) => this.#isUnclear(id))
    if (from !== -1) await this.fetchSpan(span.slice(from, to + 1))
  }

  /** Fetches captures again if they may have changed since they were fetched. */
  async #fetchStale(): Promise<void> {
    // The response to a query may be older than the change, so the change is processed after the response.
    if (this.isOpening()) return
    const changed = this.#stale
    this.#stale = new Set()
    const { query } = this.state
    if (!this.isReady() || isScan(this.state)) return
    if (changed !== null && (await this.#foundSince([...changed]))) return
    const shown = this.inSight()
    const [top = 0, bottom = 0] = [shown[0], shown.at(-1)]
    const isTouched = changed === null || [...changed].some((id) => id <= top && id >= bottom)
    this.#dropChanged(changed, shown)
    if (isTouched && shown.length > 0) await this.fetchSpan(shown)
    const left = new Set(this.state.ids)
    // If all visible rows were deleted, most other rows were probably deleted too.
    const areGone = shown.length > 0 && !shown.some((id) => left.has(id))
    if (changed === null && areGone) await this.load(query)
    else this.fillSight()
  }

  /**
   * Removes changed rows that are not visible, and the rows near them, from memory: a changed
   * capture may now belong between those. They are fetched again when the user scrolls to them.
   */
  #dropChanged(changed: ReadonlySet<number> | null, shown: readonly number[]): void {
    const { ids, rows } = this.state
    const isShown = new Set(shown)
    const touched = new Set<number>()
    for (const id of changed ?? []) {
      const place = positionOfId(ids, id)
      for (const each of ids.slice(Math.max(0, place - 1), place + 2)) touched.add(each)
    }
    const isKept = (id: number) => isShown.has(id) || (changed !== null && !touched.has(id))
    this.set({ rows: new Map([...rows].filter(([id]) => isKept(id))) })
  }

  /**
   * Checks whether changed captures match the query now.
   * @returns true if the list was started again
   */
  async #foundSince(changed: readonly number[]): Promise<boolean> {
    const { query, ids, seenUpTo } = this.state
    if (isEmptyQuery(query)) return false
    const [head = 0, end = Infinity] = [ids[0], ids.at(-1)]
    const outside = changed.filter((id) => id > head || id < end)
    if (outside.length === 0) return false
    if (this.#isFollowing()) {
      await this.load(query)
      return true
    }
    const newer = outside.filter((id) => id > head)
    if (newer.length > 0) {
      this.set({ seenUpTo: Math.min(seenUpTo, Math.min(...newer) - 1) })
      this.catchUp()
    }
    return false
  }

  /** Marks captures as read that were displayed while the window was visible. */
  async #sendRead(): Promise<void> {
    if (!this.#isVisible() || this.#shownUpTo <= this.#markedRead) return
    this.#markedRead = this.#shownUpTo
    // The counts come with an event. Those of the response may be older than an event that has
    // arrived before it, and would hide the captures of that event.
    await this.ask('capture.markRead', { upTo: this.#shownUpTo })
  }
}
