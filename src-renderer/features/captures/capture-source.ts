import type { CaptureCounts, CaptureRow } from '../../../src-preload/contract/capture.ts'
import { attempt } from '../../app/bridge.ts'
import type { ListSource, RowId } from '../../ui/list-source.ts'
import type { ListQuery } from '../../app/route.ts'
import { throttle } from '../../ui/throttle.ts'
import { announce } from '../../ui/toast.tsx'
import {
  type SendRequest,
  createCaptureRows,
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

type CaptureRows = ReturnType<typeof createCaptureRows>

/**
 * Keeps the list up to date: it fetches new captures, explanations and changes, each with a pause
 * between requests.
 */
function createUpdates(list: CaptureRows, { ask, later, isVisible, openId }: Deps) {
  const { use, set, isReady, newestKnown, inSight, fetchSpan, loadNewer } = list
  let classifiedUpTo = 0

  /**
   * New rows may move the other rows only while the user is at the top of the list and is neither
   * reading nor selecting.
   */
  function isFollowing(): boolean {
    const state = use.getState()
    const isIdle = state.cursorId === null && state.selected.size === 0 && openId() === null
    return state.isAtTop && isIdle && !isScan(state)
  }

  const { call: catchUp } = throttle(
    async () => {
      const { seenUpTo } = use.getState()
      if (!isReady() || newestKnown() <= seenUpTo) return
      if (isFollowing()) {
        if (!isVisible()) return
        if (await loadNewer(isFollowing)) return
      }
      await countWaiting()
    },
    pauses.catchUp,
    later,
  )

  /** Without a query, the number follows from the ids. With a query, one page has to be requested. */
  async function countWaiting(): Promise<void> {
    const state = use.getState()
    if (!isReady()) return
    if (isEmptyQuery(state.query) || isScan(state)) {
      set({ waiting: { count: Math.max(0, newestKnown() - state.seenUpTo), atLeast: false } })
      return
    }
    const mine = list.generation()
    const after = state.ids[0] ?? 0
    const page = await ask('capture.list', {
      query: state.query,
      limit: pageLimit,
      ...(after > 0 && { after }),
    })
    if (mine !== list.generation()) return
    const count = page.rows.filter(({ id }) => id > after).length
    set({ waiting: { count, atLeast: count >= pageLimit } })
  }

  const { call: classify } = throttle(
    async () => {
      const state = use.getState()
      if (!isReady() || isScan(state)) return
      const span = inSight()
      const unclear = span.filter((id) => isUnclear(state.rows.get(id)))
      const newest = unclear[0]
      if (newest === undefined) return
      const from = span.indexOf(newest)
      await fetchSpan(span.slice(from, span.lastIndexOf(unclear.at(-1) ?? 0) + 1))
    },
    pauses.classify,
    later,
  )

  const isUnclear = (row: CaptureRow | undefined) => row?.kind === null && row.id <= classifiedUpTo

  const refreshes = createRefreshes(list, later, { isFollowing, catchUp })
  return {
    ...refreshes,
    catchUp,
    classify(): void {
      const { rows } = use.getState()
      if (inSight().some((id) => isUnclear(rows.get(id)))) classify()
    },
    classified(upTo: number): void {
      classifiedUpTo = Math.max(classifiedUpTo, upTo)
      classify()
    },
  }
}

/** Fetches captures again if they may have changed since they were fetched. */
function createRefreshes(
  list: CaptureRows,
  later: Deps['later'],
  { isFollowing, catchUp }: { isFollowing: () => boolean; catchUp: () => void },
) {
  const { use, set, isReady, inSight, open, fetchSpan } = list
  /** The captures that may have changed since they were fetched; null if any may have changed. */
  let stale: Set<number> | null = new Set()
  const { call: refreshStale } = throttle(
    async () => {
      // The response to a query may be older than the change, so the change is processed after the response.
      if (list.isOpening()) return
      const changed = stale
      stale = new Set()
      const { query, ...state } = use.getState()
      if (!isReady() || isScan(state)) return
      if (changed !== null && (await foundSince([...changed]))) return
      const shown = inSight()
      const [top = 0, bottom = 0] = [shown[0], shown.at(-1)]
      const isTouched = changed === null || [...changed].some((id) => id <= top && id >= bottom)
      dropChanged(changed, shown)
      if (isTouched && shown.length > 0) await fetchSpan(shown)
      const left = new Set(use.getState().ids)
      // If all visible rows were deleted, most other rows were probably deleted too.
      if (changed === null && shown.length > 0 && !shown.some((id) => left.has(id)))
        await open(query)
      else list.fillSight()
    },
    pauses.refresh,
    later,
  )

  async function openAnew(query: ListQuery): Promise<void> {
    await open(query)
    if (stale === null || stale.size > 0) refreshStale()
  }

  /**
   * Removes changed rows that are not visible, and the rows near them, from memory: a changed
   * capture may now belong between those. They are fetched again when the user scrolls to them.
   */
  function dropChanged(changed: ReadonlySet<number> | null, shown: readonly number[]): void {
    const { ids, rows } = use.getState()
    const isShown = new Set(shown)
    const touched = new Set<number>()
    for (const id of changed ?? []) {
      const place = positionOfId(ids, id)
      for (const each of ids.slice(Math.max(0, place - 1), place + 2)) touched.add(each)
    }
    const isKept = (id: number) => isShown.has(id) || (changed !== null && !touched.has(id))
    set({ rows: new Map([...rows].filter(([id]) => isKept(id))) })
  }

  /**
   * Checks whether changed captures match the query now.
   * @returns true if the list was started again
   */
  async function foundSince(changed: readonly number[]): Promise<boolean> {
    const { query, ids, seenUpTo } = use.getState()
    if (isEmptyQuery(query)) return false
    const [head = 0, end = Infinity] = [ids[0], ids.at(-1)]
    const outside = changed.filter((id) => id > head || id < end)
    if (outside.length === 0) return false
    if (isFollowing()) {
      await open(query)
      return true
    }
    const newer = outside.filter((id) => id > head)
    if (newer.length > 0) {
      set({ seenUpTo: Math.min(seenUpTo, Math.min(...newer) - 1) })
      catchUp()
    }
    return false
  }

  return {
    open: openAnew,
    /** @param ids the captures that have changed; null if any may have changed */
    changed(ids: readonly number[] | null, counts: CaptureCounts): void {
      set({ counts })
      if (ids?.length === 0) return
      stale = ids === null || stale === null ? null : new Set([...stale, ...ids])
      refreshStale()
    },
  }
}

/** @returns a function that marks captures as read if they were displayed while the window was visible */
function createReadMarks({ ask, later, isVisible }: Deps) {
  let markedRead = 0
  let shownUpTo = 0
  const { call: markRead } = throttle(
    async () => {
      if (!isVisible() || shownUpTo <= markedRead) return
      markedRead = shownUpTo
      // The counts come with an event. Those of the response may be older than an event that has
      // arrived before it, and would hide the captures of that event.
      await ask('capture.markRead', { upTo: shownUpTo })
    },
    pauses.markRead,
    later,
  )
  return (shown: readonly number[]): void => {
    for (const id of shown) shownUpTo = Math.max(shownUpTo, id)
    if (shownUpTo > markedRead) markRead()
  }
}

/** Creates the part that a `DataList` uses: rows, the cursor and the selection. */
function createListSource(
  { use, set, isReady, ...list }: CaptureRows,
  { refresh, catchUp, onShown }: Record<'refresh' | 'catchUp' | 'onShown', () => void>,
) {
  function rowAt(index: number | null): CaptureRow | null {
    const { shown, rows } = use.getState()
    const id = index === null ? 0 : (shown.ids[index] ?? 0)
    const [row, ...others] = idsOfRow(shown, id).flatMap((each) => rows.get(each) ?? [])
    return row?.id === id ? mergeDeliveries(row, others) : null
  }

  const idsBetween = (from: number, to: number) => {
    const { shown } = use.getState()
    return shown.ids.slice(from, to + 1).flatMap((id) => idsOfRow(shown, id))
  }

  function select(selected: ReadonlySet<number>, anchor: number): boolean {
    if (selected.size > maxSelected) return false
    set({ selected, anchor })
    announce(`${selected.size} selected`, 'selection')
    return true
  }

  return {
    use,
    idOf,
    mostSelected: maxSelected,
    rowAt,
    indexOf: (id: RowId) => use.getState().shown.places.get(Number(id)) ?? null,
    cursorRow: () => rowAt(use.getState().cursor),
    show(first: number, last: number): void {
      list.see(first, last)
      if (isReady()) onShown()
    },
    atTop(now: boolean): void {
      if (now === use.getState().isAtTop) return
      set({ isAtTop: now })
      if (now) catchUp()
    },
    refresh,
    put(index: number | null): CaptureRow | null {
      set({ cursorId: index === null ? null : (use.getState().shown.ids[index] ?? null) })
      if (index === null) catchUp()
      return rowAt(index)
    },
    toggle(index: number): boolean {
      const { selected } = use.getState()
      const ids = idsBetween(index, index)
      const others = [...selected].filter((id) => !ids.includes(id))
      const isSelected = ids.every((id) => selected.has(id))
      return select(new Set(isSelected ? others : [...selected, ...ids]), ids[0] ?? 0)
    },
    selectTo(index: number): Promise<boolean> {
      const { shown, selected, anchor, cursorId } = use.getState()
      const from = shown.places.get(anchor ?? cursorId ?? 0) ?? index
      const range = idsBetween(Math.min(from, index), Math.max(from, index))
      return Promise.resolve(select(new Set([...selected, ...range]), shown.ids[from] ?? 0))
    },
    selectNone(): void {
      set({ selected: new Set(), anchor: null })
      catchUp()
    },
  } satisfies ListSource<CaptureRow>
}

/**
 * The list of captures, which is kept up to date: new captures appear at its top or wait behind the
 * news bar, rows get their explanation, and deleted rows disappear. An event only reports that
 * something has changed; the rows are then fetched.
 */
export function createCaptureSource(deps: Deps) {
  const { ask, openId } = deps
  const list = createCaptureRows(ask, openId)
  const { use, set, isReady, newestKnown, inSight, open, loadNewer } = list
  const updates = createUpdates(list, deps)
  const { catchUp } = updates
  const noteShown = createReadMarks(deps)

  /** Shows the captures that wait behind the news bar. A slow scan starts again. */
  async function showNew(): Promise<void> {
    const state = use.getState()
    if (!isReady() || isScan(state)) return open(state.query)
    set({ cursorId: null })
    if (await loadNewer(() => true)) set({ beginning: state.beginning + 1, isAtTop: true })
  }

  function patch(ids: readonly number[], part: CapturePatch): void {
    const { rows } = use.getState()
    const patched = ids.flatMap((id) => {
      const row = rows.get(id)
      return row === undefined ? [] : [{ ...row, ...part }]
    })
    set({ rows: withRows(rows, patched) })
    deps.patchOpen(ids, part)
  }

  /** Returns the selected captures, or else the open one, or else those of the row at the cursor. */
  function targets(): number[] {
    const { selected, cursorId, shown } = use.getState()
    if (selected.size > 0) return [...selected]
    const open = openId()
    if (open !== null) return [open]
    return cursorId === null ? [] : [...idsOfRow(shown, cursorId)]
  }

  const source = createListSource(list, {
    refresh: () => void attempt('Could not load the new captures', showNew),
    catchUp,
    onShown: () => {
      updates.classify()
      noteShown(inSight())
    },
  })

  return {
    ...source,
    open: updates.open,
    classified: (upTo: number) => updates.classified(upTo),
    changed: (ids: readonly number[] | null, counts: CaptureCounts) => updates.changed(ids, counts),
    loadOlder: list.loadOlder,
    stopScan: list.stopScan,
    resume: list.resume,
    showNew,
    targets,
    putId: (id: number | null) => set({ cursorId: id }),
    reach: list.reach,
    group: (isGrouped: boolean) => set({ isGrouped }),
    /** Lists the deliveries of a capture's payment, or only the payment. */
    toggleGroup(id: number): void {
      const { shown, expanded } = use.getState()
      const group = shown.groups.get(id)
      if (group === undefined || group.ids.length === 1) return
      const next = new Set(expanded)
      if (!next.delete(group.trace)) next.add(group.trace)
      set({ expanded: next })
      announce(`${group.ids.length} deliveries ${group.isExpanded ? 'hidden' : 'shown'}`)
    },
    /** Unread captures that were opened lose their mark, with a payment all its deliveries. */
    noteOpened(id: number): void {
      const { shown, opened } = use.getState()
      set({ opened: new Set([...opened, ...idsOfRow(shown, id)]) })
    },
    /** True if one of the row's captures arrived since the page was opened, and was not opened. */
    isUnread({ id, origin }: CaptureRow): boolean {
      const { shown, opened, readUpTo } = use.getState()
      if (readUpTo === null || origin !== 'received') return false
      return idsOfRow(shown, id).some((each) => each > readUpTo && !opened.has(each))
    },
    /**
     * Looks for new captures after the user stopped reading, the window became visible, or the
     * connection was restored.
     */
    catchUp,
    added(counts: CaptureCounts): void {
      set({ counts })
      catchUp()
    },
    /** Stores the counts at the time when the page was opened. Captures that were unread then stay marked. */
    startReading(counts: CaptureCounts): void {
      // If the list already knows a newer capture, these counts are out of date.
      if (newestKnown() <= (counts.newestId ?? 0)) set({ counts })
      catchUp()
      if (use.getState().readUpTo === null) set({ readUpTo: counts.readTo })
    },
    stopReading: () => set({ readUpTo: null, cursorId: null, selected: new Set(), anchor: null }),
    /** Shows the change at once, and reverts it if the request fails. @throws AppError */
    async pin(ids: readonly number[], pinned: boolean): Promise<void> {
      patch(ids, { pinned })
      try {
        await ask('capture.pin', { ids: [...ids], pinned })
      } catch (error) {
        patch(ids, { pinned: !pinned })
        throw error
      }
    },
    /** @throws AppError */
    async note(id: number, note: string): Promise<void> {
      await ask('capture.note', { id, note })
      patch([id], { note })
    },
    /**
     * Removes deleted captures from the list. The cursor moves to the row that takes the place of
     * its own row.
     */
    remove(deleted: readonly number[]): void {
      const gone = new Set(deleted)
      const { ids, cursor, cursorId } = use.getState()
      const isCursorGone = cursor !== null && cursorId !== null && gone.has(cursorId)
      set({ ids: ids.filter((id) => !gone.has(id)), selected: new Set(), anchor: null })
      const { shown } = use.getState()
      if (isCursorGone) source.put(Math.min(cursor, shown.ids.length - 1))
    },
  }
}
