/** The history of one account under one filter: newest first, more at its end, new transactions on top. */
import { create } from 'zustand'
import type { HistoryFilter, HistoryPage, HistoryRow } from '../../../src-preload/contract/chain.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import { request, toAppError } from '../../app/bridge.ts'
import { createRowSource } from '../../ui/row-source.ts'

type HistoryQuestion = {
  readonly network: NetworkId
  readonly address: string
  readonly filter: HistoryFilter
}

type Fetch = (
  question: HistoryQuestion,
  place: { before?: string; after?: string },
) => Promise<HistoryPage>

type HistoryState = Pick<HistoryPage, 'older' | 'newer' | 'isBeginning' | 'unread' | 'offline'> & {
  /** Transactions read for the rows: with a filter, more than are shown. */
  readonly scanned: number
  /** New rows that wait until the user wants to see them. */
  readonly waiting: readonly HistoryRow[]
  /** The last older page had no rows although older ones exist: continuing is the user's choice. */
  readonly isSparse: boolean
  readonly olderProblem: AppError | null
  readonly newerProblem: AppError | null
}

const empty: HistoryState = {
  older: null,
  newer: null,
  isBeginning: false,
  unread: [],
  offline: null,
  scanned: 0,
  waiting: [],
  isSparse: false,
  olderProblem: null,
  newerProblem: null,
}

/** Newer pages fetched at once; more wait for the next poll. */
const maxNewerPages = 5

export function createHistory(fetch: Fetch = fetchPage) {
  const use = create<HistoryState>(() => empty)
  const source = createRowSource<HistoryRow>({
    idOf: ({ hash }) => hash,
    onRefresh: () => {
      if (source.use.getState().status === 'ready') showNew()
      else void reload()
    },
    onEnd: () => {
      const { isSparse, olderProblem } = use.getState()
      if (!isSparse && olderProblem === null) void loadOlder()
    },
  })
  let question: HistoryQuestion | null = null
  /** Replaced with each new list: answers for an earlier one no longer count. */
  let busy = { older: false, newer: false }

  const rows = () => source.use.getState().rows
  const isUnknown = ({ hash }: HistoryRow) =>
    source.indexOf(hash) === null && !use.getState().waiting.some((row) => row.hash === hash)

  function show(next: readonly HistoryRow[], part: Partial<HistoryState>): void {
    use.setState(part)
    const { waiting, older } = use.getState()
    source.set(next, {
      news: waiting.length === 0 ? null : waiting.length,
      rowCount: older === null ? next.length : null,
    })
  }

  function showFirst(page: HistoryPage): void {
    show(page.rows, {
      ...empty,
      older: page.older,
      newer: page.newer ?? page.rows[0]?.lt ?? null,
      isBeginning: page.isBeginning,
      unread: page.unread,
      offline: page.offline,
      scanned: page.scanned,
      isSparse: page.rows.length === 0 && page.older !== null,
    })
  }

  function showNew(): void {
    show([...use.getState().waiting, ...rows()], { waiting: [] })
  }

  async function reload(): Promise<void> {
    if (question === null) return
    const mine = (busy = { older: false, newer: false })
    source.clear()
    use.setState(empty)
    try {
      const page = await fetch(question, {})
      if (mine === busy) showFirst(page)
    } catch (error) {
      if (mine === busy) source.use.setState({ status: 'failed', error: toAppError(error) })
    }
  }

  async function loadOlder(): Promise<void> {
    const { older } = use.getState()
    if (question === null || older === null || busy.older) return
    const mine = busy
    mine.older = true
    try {
      const page = await fetch(question, { before: older })
      // The list may have begun anew meanwhile: the page would leave a gap.
      if (mine !== busy) return
      show([...rows(), ...page.rows.filter(isUnknown)], {
        older: page.older,
        scanned: use.getState().scanned + page.scanned,
        isBeginning: page.isBeginning,
        unread: [...use.getState().unread, ...page.unread],
        isSparse: page.rows.length === 0 && page.older !== null,
        olderProblem: null,
      })
    } catch (error) {
      if (mine === busy) use.setState({ olderProblem: toAppError(error) })
    }
    mine.older = false
  }

  /** Fetches newer transactions, and shows them at once at the top of the list. */
  async function poll(): Promise<void> {
    if (source.use.getState().status !== 'ready' || busy.newer) return
    const mine = busy
    mine.newer = true
    try {
      for (let page = 0; page < maxNewerPages; page += 1) if (!(await pollOnce(mine))) break
      if (mine === busy) use.setState({ newerProblem: null })
    } catch (error) {
      if (mine === busy) use.setState({ newerProblem: toAppError(error) })
    }
    mine.newer = false
  }

  /** @returns whether there may be still newer ones */
  async function pollOnce(mine: object): Promise<boolean> {
    const { newer } = use.getState()
    if (question === null) return false
    const page = await fetch(question, newer === null ? {} : { after: newer })
    if (mine !== busy) return false
    if (newer === null) {
      // The account had no transactions before.
      if (rows().length === 0) showFirst(page)
      return false
    }
    const { waiting, scanned, unread } = use.getState()
    const next = page.newer ?? page.rows[0]?.lt ?? newer
    show(rows(), {
      waiting: [...page.rows.filter(isUnknown), ...waiting],
      newer: next,
      scanned: scanned + page.scanned,
      unread: [...page.unread, ...unread],
      offline: page.offline,
    })
    if (source.follows()) showNew()
    return page.rows.length > 0 && page.newer !== null && page.newer !== newer
  }

  return {
    source,
    use,
    /** Shows this history from its beginning, unless it is shown already. */
    async open(next: HistoryQuestion): Promise<void> {
      const isSame = JSON.stringify(next) === JSON.stringify(question)
      if (isSame && source.use.getState().status === 'ready') return poll()
      question = next
      return reload()
    },
    reload,
    loadOlder,
    poll,
  }
}

const fetchPage: Fetch = (question, { before = null, after = null }) =>
  request('account.history', { ...question, before, after })

/** The one on the screen. */
export const history = createHistory()
