import type { CapturePage as Answer } from '../../../../src-preload/contract/capture.ts'
import type { captureQueryCodes } from '../../../../src-preload/domain/error-codes.ts'
import { type Ask, errorBody } from '../deps.ts'
import {
  type InspectorState,
  type InspectorStore,
  type Query,
  type ReadyList,
  everything,
  isScan,
  openId,
} from '../inspector-state.ts'
import {
  type CapturePage,
  appendOlder,
  countRows,
  evictFar,
  fillPage,
  newestId,
  pageOf,
  pagesBetween,
  prependNewer,
} from './capture-pages.ts'

export const pageLimit = 100
/** Rows kept in memory; the rest is fetched again when it is scrolled to. */
export const mostRows = 5_000
/** As `captureQueryCodes` has it; its schemas are not to come into the window. */
export const invalid: (typeof captureQueryCodes)['invalid'] = 'QUERY_INVALID'
/** A slow scan goes on by itself until it has found this much. */
const scanBurst = 50

type SeenRange = { readonly first: number; readonly last: number }

/**
 * Fetches pages of the list. Each question remembers which search it was for: an answer that comes
 * after the search has changed is dropped.
 */
export function createListLoading({ store, ask }: { store: InspectorStore; ask: Ask }) {
  let generation = 0
  /** Of several searches the last one counts. */
  let opening = 0
  let scan = 0
  let seen: SeenRange = { first: 0, last: 0 }
  const filling = new Set<string>()

  function patchList(change: (list: ReadyList) => Partial<ReadyList>): void {
    store.setState(({ list }) =>
      list.status === 'ready' ? { list: { ...list, ...change(list) } } : {},
    )
  }

  function newestKnown(): number {
    return store.getState().counts?.newestId ?? 0
  }

  /**
   * Starts the list anew with a search, from the newest. What it shows stays until the answer is
   * there, and longer where the search is none: one is still writing it.
   */
  async function openQuery(query: Query): Promise<void> {
    const mine = ++opening
    const known = newestKnown()
    store.setState(({ list }) => ({
      asked: query,
      ...(list.status !== 'ready' && { query, list: { status: 'loading' }, refusal: null }),
    }))
    try {
      const answer = await ask('capture.list', { query, limit: pageLimit })
      if (mine !== opening) return
      begin(query)
      const list = readyList(answer, known)
      store.setState({ list })
      if (isScan(list)) await continueScan(answer.rows.length)
    } catch (error) {
      if (mine !== opening) return
      const refused = errorBody(error)
      if (refused.code === invalid && store.getState().list.status === 'ready') {
        store.setState({ asked: null, refusal: { query, error: refused } })
        return
      }
      begin(query)
      store.setState({ list: { status: 'failed', error: refused } })
    }
  }

  /** From here on answers to what was asked before are of no use. */
  function begin(query: Query): void {
    generation += 1
    filling.clear()
    store.setState(({ detail, topAsked }) => ({
      query,
      asked: null,
      refusal: null,
      marked: new Set<number>(),
      // Keys act on the capture that is open, whether or not the list has it.
      cursor: openId(detail),
      atTop: true,
      topAsked: topAsked + 1,
    }))
  }

  /** Fetches what comes after the last row. */
  async function loadOlder(): Promise<void> {
    const { list } = store.getState()
    if (list.status !== 'ready' || list.tail.status !== 'idle') return
    if (isScan(list)) return continueScan(0)
    await appendPage()
  }

  /** One page at the old end; the number of rows found, or null where it must not go on. */
  async function appendPage(): Promise<number | null> {
    const mine = generation
    const mineScan = scan
    const { query, list } = store.getState()
    if (list.status !== 'ready' || list.nextBefore === null) return null
    const before = list.nextBefore
    patchList(() => ({ tail: { status: 'loading' } }))
    try {
      const answer = await ask('capture.list', { query, before, limit: pageLimit })
      if (mine !== generation || mineScan !== scan) return null
      patchList((now) => ({
        pages: boundedPages(now, appendOlder(now.pages, answer.rows)),
        nextBefore: answer.nextBefore,
        scannedBack: answer.scannedBack,
        tail: { status: 'idle' },
      }))
      return answer.rows.length
    } catch (error) {
      if (mine === generation && mineScan === scan) {
        patchList(() => ({ tail: { status: 'failed', error: errorBody(error) } }))
      }
      return null
    }
  }

  async function continueScan(foundAlready: number): Promise<void> {
    let found = foundAlready
    while (found < scanBurst) {
      const { list } = store.getState()
      if (list.status !== 'ready' || list.nextBefore === null) return
      if (countRows(list.pages) >= mostRows) {
        patchList(() => ({ tail: { status: 'full' } }))
        return
      }
      const more = await appendPage()
      if (more === null) return
      found += more
    }
  }

  /** Stops a slow scan where it is; `resumeTail` goes on from there. */
  function stopScan(): void {
    scan += 1
    patchList(({ nextBefore }) => ({
      tail: nextBefore === null ? { status: 'idle' } : { status: 'stopped' },
    }))
  }

  /** Goes on after a stop or a failure. */
  async function resumeTail(): Promise<void> {
    patchList(() => ({ tail: { status: 'idle' } }))
    await loadOlder()
  }

  /**
   * Fetches what is newer than the first row. `wanted` says, once the answer is there, whether it
   * may still be shown. When more has arrived than a page holds, the list starts anew from the
   * answer: the rows between would otherwise be missing without a trace.
   */
  async function loadNewer(wanted: (state: InspectorState) => boolean): Promise<boolean> {
    const mine = generation
    const { query, list } = store.getState()
    if (list.status !== 'ready') return false
    const head = newestId(list.pages)
    const known = newestKnown()
    const answer = await ask('capture.list', {
      query,
      limit: pageLimit,
      ...(head !== null && { after: head }),
    })
    if (mine !== generation || !wanted(store.getState())) return false
    const isGap = answer.nextBefore !== null && answer.rows.every((row) => row.id > (head ?? 0))
    if (isGap && answer.rows.length >= pageLimit) {
      generation += 1
      filling.clear()
      store.setState({ list: readyList(answer, known) })
      return true
    }
    patchList((now) => ({
      pages: boundedPages(now, prependNewer(now.pages, answer.rows)),
      seenUpTo: Math.max(now.seenUpTo, known, answer.rows[0]?.id ?? 0),
      waiting: { count: 0, atLeast: false },
      notYetSearchable: answer.notYetSearchable,
    }))
    return true
  }

  /** Fetches again what was let go and is in sight, a few pages at a time. */
  function fillSeen(range: SeenRange = seen): void {
    seen = range
    const { list } = store.getState()
    if (list.status !== 'ready') return
    for (const page of pagesBetween(list.pages, range.first, range.last)) {
      if (page.rows === null) void refetch(page).then((filled) => filled && fillSeen())
    }
    const bounded = boundedPages(list, list.pages)
    if (bounded !== list.pages) patchList(() => ({ pages: bounded }))
  }

  /** Gets a page anew; its old rows stay in sight meanwhile. False when there was no answer. */
  async function refetch(page: CapturePage): Promise<boolean> {
    const key = `${page.top}-${page.floor}`
    if (filling.has(key) || filling.size >= 4) return false
    filling.add(key)
    const mine = generation
    try {
      const answer = await ask('capture.list', {
        query: store.getState().query,
        before: page.top + 1,
        ...(page.floor > 1 && { after: page.floor - 1 }),
        limit: Math.max(1, Math.min(500, page.count)),
      })
      if (mine !== generation) return false
      patchList(({ pages }) => ({ pages: fillPage(pages, page, answer.rows) }))
      return true
    } catch {
      // The rows stay as they are; the next scroll or event asks again.
      return false
    } finally {
      if (mine === generation) filling.delete(key)
    }
  }

  function boundedPages(list: ReadyList, pages: ReadyList['pages']): ReadyList['pages'] {
    // A scan's pages cannot be fetched again at a fair price; it is bounded as a whole instead.
    return isScan(list) ? pages : evictFar(pages, seen.first, seen.last, mostRows)
  }

  return {
    openQuery,
    loadOlder,
    stopScan,
    resumeTail,
    loadNewer,
    fillSeen,
    refetch,
    patchList,
    seen: () => seen,
    generation: () => generation,
  }
}
export type ListLoading = ReturnType<typeof createListLoading>

export function isEverything(query: Query): boolean {
  return query.text.trim() === everything.text
}

function readyList(answer: Answer, known: number): ReadyList {
  return {
    status: 'ready',
    pages: pageOf(answer.rows),
    nextBefore: answer.nextBefore,
    tail: { status: 'idle' },
    seenUpTo: Math.max(known, answer.rows[0]?.id ?? 0),
    waiting: { count: 0, atLeast: false },
    scannedBack: answer.scannedBack,
    notYetSearchable: answer.notYetSearchable,
  }
}
