import type { CaptureCounts } from '../../../../src-preload/contract/capture.ts'
import { type Ask, type Later, createThrottle } from '../deps.ts'
import { type InspectorStore, isFollowing, isScan } from '../inspector-state.ts'
import {
  type CapturePage,
  newestId,
  pagesBetween,
  patchRows,
  rowsBetween,
} from './capture-pages.ts'
import { type ListLoading, isEverything, pageLimit } from './list-loading.ts'

/** Questions a second while captures pour in: few, whatever their number. */
const catchUpMs = 300
const classifyMs = 400
const markReadMs = 500
const refreshMs = 300

type LiveDeps = {
  readonly store: InspectorStore
  readonly ask: Ask
  readonly later: Later
  readonly loading: ListLoading
  /** Whether a person can see the window. */
  readonly isVisible: () => boolean
  /** Hands counts to the rest of the window. */
  readonly shareCounts: (counts: CaptureCounts) => void
}

/**
 * Keeps the list true to what happens: new captures come in at its head or gather behind a bar,
 * meanings appear, deleted rows go. Events only say that something happened; rows are fetched.
 */
export function createListLive({ store, ask, later, loading, isVisible, shareCounts }: LiveDeps) {
  let classifiedUpTo = 0
  let markedRead = 0
  let shownUpTo = 0

  const catchUp = createThrottle(catchUpMs, later, async () => {
    const state = store.getState()
    const newest = state.counts?.newestId ?? 0
    if (state.list.status !== 'ready' || newest <= state.list.seenUpTo) return
    if (isFollowing(state)) {
      if (!isVisible()) return
      if (await loading.loadNewer(isFollowing)) return
    }
    await countWaiting()
  })

  /** How much has arrived that is not shown: by number, or for a search by looking at one page. */
  async function countWaiting(): Promise<void> {
    const { query, list, counts } = store.getState()
    if (list.status !== 'ready') return
    if (isEverything(query) || isScan(list)) {
      const count = Math.max(0, (counts?.newestId ?? 0) - list.seenUpTo)
      loading.patchList(() => ({ waiting: { count, atLeast: false } }))
      return
    }
    const mine = loading.generation()
    const after = newestId(list.pages) ?? 0
    const answer = await ask('capture.list', {
      query,
      limit: pageLimit,
      ...(after > 0 && { after }),
    })
    if (mine !== loading.generation()) return
    const count = answer.rows.filter((row) => row.id > after).length
    loading.patchList(() => ({ waiting: { count, atLeast: count >= pageLimit } }))
  }

  const classify = createThrottle(classifyMs, later, async () => {
    const { query, list } = store.getState()
    if (list.status !== 'ready' || isScan(list)) return
    const { first, last } = loading.seen()
    const rows = rowsBetween(list.pages, first, last)
    const unclear = rows.filter((row) => row.kind === null && row.id <= classifiedUpTo)
    const newest = unclear[0]
    const oldest = unclear.at(-1)
    if (newest === undefined || oldest === undefined) return
    const span = rows.filter((row) => row.id <= newest.id && row.id >= oldest.id).length
    const mine = loading.generation()
    const answer = await ask('capture.list', { query, before: newest.id + 1, limit: span })
    if (mine !== loading.generation()) return
    loading.patchList(({ pages }) => ({ pages: patchRows(pages, answer.rows) }))
  })

  const markRead = createThrottle(markReadMs, later, async () => {
    if (!isVisible() || shownUpTo <= markedRead) return
    markedRead = shownUpTo
    const counts = await ask('capture.markRead', { upTo: shownUpTo })
    store.setState({ counts })
    shareCounts(counts)
  })

  /** Tells which rows are in sight, so that they are fetched, understood and counted as read. */
  function showRange(first: number, last: number): void {
    loading.fillSeen({ first, last })
    const { list } = store.getState()
    if (list.status !== 'ready') return
    for (const row of rowsBetween(list.pages, first, last)) {
      shownUpTo = Math.max(shownUpTo, row.id)
      if (row.kind === null && row.id <= classifiedUpTo) classify()
    }
    if (shownUpTo > markedRead) markRead()
  }

  /** Rows that may have changed since they were last fetched anew; null for any. */
  let stale: Set<number> | null = new Set()
  const refresh = createThrottle(refreshMs, later, async () => {
    const ids = stale
    stale = new Set()
    const { list, query } = store.getState()
    if (list.status !== 'ready' || isScan(list)) return
    if (ids !== null && (await foundSince([...ids]))) return
    const { first, last } = loading.seen()
    const touched = ({ top, floor }: CapturePage) =>
      ids === null || [...ids].some((id) => id <= top && id >= floor)
    const inSight = pagesBetween(list.pages, first, last).filter(touched)
    loading.patchList(({ pages }) => ({
      pages: pages.map((page) =>
        touched(page) && !inSight.includes(page) ? { ...page, rows: null } : page,
      ),
    }))
    await Promise.all(inSight.map((page) => loading.refetch(page)))
    const now = store.getState().list
    const isLeft = ({ top, floor }: CapturePage) =>
      now.status !== 'ready' || now.pages.some((page) => page.top <= top && page.floor >= floor)
    // All that was in sight is gone, so most likely all else is: page after page would take long.
    if (ids === null && inSight.length > 0 && !inSight.some(isLeft)) await loading.openQuery(query)
    else loading.fillSeen()
  })

  /**
   * What a query finds changes with what is learnt of captures later: rows that are not in the list may
   * belong there by now. True when the list was asked for anew.
   */
  async function foundSince(ids: readonly number[]): Promise<boolean> {
    const state = store.getState()
    const { list, query } = state
    if (list.status !== 'ready' || isEverything(query)) return false
    const isHeld = (id: number) => list.pages.some(({ top, floor }) => id <= top && id >= floor)
    const outside = ids.filter((id) => !isHeld(id))
    if (outside.length === 0) return false
    if (isFollowing(state)) {
      await loading.openQuery(query)
      return true
    }
    // Somebody reads: they gather behind the bar, like what has just arrived.
    const head = newestId(list.pages) ?? 0
    const newer = outside.filter((id) => id > head)
    if (newer.length > 0) {
      const before = Math.min(...newer) - 1
      loading.patchList(({ seenUpTo }) => ({ seenUpTo: Math.min(seenUpTo, before) }))
      catchUp()
    }
    return false
  }

  return {
    added(counts: CaptureCounts): void {
      store.setState({ counts })
      catchUp()
    },
    classified(upTo: number): void {
      classifiedUpTo = Math.max(classifiedUpTo, upTo)
      classify()
    },
    changed(ids: readonly number[] | null, counts: CaptureCounts): void {
      store.setState({ counts })
      if (ids?.length === 0) return
      stale = ids === null || stale === null ? null : new Set([...stale, ...ids])
      refresh()
    },
    /** Shows what waits behind the bar. A slow scan is done again, from the newest. */
    async showNew(): Promise<void> {
      const { query, list } = store.getState()
      if (list.status === 'ready' && isScan(list)) return loading.openQuery(query)
      store.setState({ cursor: null })
      if (await loading.loadNewer(() => true)) {
        store.setState(({ topAsked }) => ({ topAsked: topAsked + 1, atTop: true }))
      }
    },
    showRange,
    /** Looks again: after reading has ended, the window has come back or a connection was lost. */
    catchUp,
  }
}
