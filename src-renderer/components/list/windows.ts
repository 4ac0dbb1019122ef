import { create } from 'zustand'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import { toAppError } from '../../app/bridge.ts'

/** One answer: rows from an offset on, and what is said about all of them. */
type WindowAnswer<T, X> = {
  readonly total: number
  readonly rows: readonly T[]
  readonly extra: X
}

type LoadWindow<T, X> = (offset: number, limit: number) => Promise<WindowAnswer<T, X>>

export type ReadyWindows<T, X> = {
  readonly status: 'ready'
  readonly total: number
  readonly extra: X
  /** Rows by the number of their window. */
  readonly held: ReadonlyMap<number, readonly T[]>
  /** What is shown is as it was: fetching more or anew did not work. */
  readonly problem: AppError | null
  /** Grows with each new question: the list then begins at its top. */
  readonly question: number
}

type Windows<T, X> =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: AppError }
  | ReadyWindows<T, X>

export const windowSize = 100
/** Windows kept; those far from what is in sight are let go. */
const mostHeld = 20

/**
 * A list of any length of which only what is in sight is fetched. One request at a time: who scrolls
 * fast gets the rows at which he stops, not all he passed.
 */
export function createWindowList<T, X>() {
  const store = create<Windows<T, X>>(() => ({ status: 'loading' }))
  let load: LoadWindow<T, X> | null = null
  let question = 0
  let answered = -1
  let first = 0
  let last = 0
  /** There, but to be asked for again once in sight. */
  let stale = new Set<number>()
  let underWay: number | null = null
  let isBusy = false
  let isHalted = false

  /** The window to fetch next; null when all in sight is there. */
  function wanted(): number | null {
    const state = store.getState()
    if (state.status !== 'ready' || answered !== question) return 0
    const end = Math.min(last, Math.max(0, state.total - 1))
    for (let at = windowOf(Math.min(first, end)); at <= windowOf(end); at += 1) {
      if (!state.held.has(at) || stale.has(at)) return at
    }
    return null
  }

  async function fetchWanted(): Promise<void> {
    if (isBusy) return
    isBusy = true
    for (;;) {
      const at = wanted()
      if (at === null || load === null || isHalted) break
      await fetchWindow(at, load)
    }
    isBusy = false
  }

  async function fetchWindow(at: number, ask: LoadWindow<T, X>): Promise<void> {
    const mine = question
    stale.delete(at)
    underWay = at
    try {
      const answer = await ask(at * windowSize, windowSize)
      if (mine === question) take(at, answer)
    } catch (error) {
      // Of a question, or of a version of the list, that nobody asks for any more.
      if (mine !== question || ask !== load) return
      isHalted = true
      const problem = toAppError(error)
      const state = store.getState()
      const isShown = state.status === 'ready' && answered === question
      store.setState(isShown ? { ...state, problem } : { status: 'failed', error: problem }, true)
    } finally {
      underWay = null
    }
  }

  /** Rows stay in their places until newer ones have come. */
  function refresh(): void {
    const state = store.getState()
    if (state.status === 'ready') stale = new Set(state.held.keys())
    // What is on its way may have been read before the change.
    if (underWay !== null) stale.add(underWay)
    isHalted = false
    void fetchWanted()
  }

  function take(at: number, { total, rows, extra }: WindowAnswer<T, X>): void {
    const state = store.getState()
    const isFirst = answered !== question || state.status !== 'ready'
    const held = new Map(isFirst ? [] : state.held)
    held.set(at, rows)
    answered = question
    if (isFirst) {
      first = 0
      last = 0
      stale = new Set()
    }
    const kept = keepNear(held, windowOf(first), windowOf(last), total)
    store.setState({ status: 'ready', total, extra, held: kept, problem: null, question }, true)
  }

  return {
    store,
    /**
     * Asks another question: the list begins at its top. `keep` leaves what is shown until the first
     * rows are there, for another order or choice of the same things.
     */
    open(next: LoadWindow<T, X>, { keep = false }: { keep?: boolean } = {}): void {
      load = next
      question += 1
      isHalted = false
      if (!keep || store.getState().status !== 'ready') store.setState({ status: 'loading' }, true)
      void fetchWanted()
    },
    /** These rows are in sight. */
    show(from: number, to: number): void {
      if (answered !== question || (from === first && to === last)) return
      first = from
      last = to
      void fetchWanted()
    },
    /** Newer versions of rows that are here; they stay where they are. */
    update(newer: (row: T) => T): void {
      const state = store.getState()
      if (state.status !== 'ready') return
      const held = new Map([...state.held].map(([at, rows]) => [at, rows.map(newer)]))
      store.setState({ ...state, held }, true)
    },
    /** The first row in sight, by its index. */
    firstShown: () => first,
    /** The same list in a newer version: one stays where one is in it. */
    follow(next: LoadWindow<T, X>): void {
      load = next
      refresh()
    },
    refresh,
  }
}
export type WindowList<T, X> = ReturnType<typeof createWindowList<T, X>>

export function windowOf(index: number): number {
  return Math.floor(index / windowSize)
}

/** The row at an index; null while its window is not there. */
export function rowAt<T, X>({ held }: ReadyWindows<T, X>, index: number): T | null {
  return held.get(windowOf(index))?.[index % windowSize] ?? null
}

function keepNear<T>(
  held: ReadonlyMap<number, readonly T[]>,
  first: number,
  last: number,
  total: number,
): ReadonlyMap<number, readonly T[]> {
  const middle = (first + last) / 2
  const near = [...held]
    .filter(([at]) => at === 0 || at * windowSize < total)
    .toSorted(([a], [b]) => Math.abs(a - middle) - Math.abs(b - middle))
  return new Map(near.slice(0, mostHeld))
}
