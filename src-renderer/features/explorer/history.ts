/** The history of one account with one filter: newest first, older rows at the end, new rows at the top. */
import { create } from 'zustand'
import type {
  HistoryFilter,
  HistoryPage,
  HistoryRow,
  HistoryView,
} from '../../../src-preload/contract/chain/account.ts'
import type { ActionView, TraceNode } from '../../../src-preload/contract/chain/transaction.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { request, toAppError } from '../../app/bridge.ts'
import { createRowSource } from '../../ui/row-source.ts'

type HistoryQuestion = {
  readonly network: NetworkId
  readonly address: string
  readonly filter: HistoryFilter
  readonly view: HistoryView
  /** True if events that the gateway marks as spam are left out. */
  readonly hidesSpam: boolean
}

/** A line of the list: a row of the history, or a part of an expanded event. */
export type HistoryLine =
  | { readonly kind: 'row'; readonly row: HistoryRow; readonly isExpanded: boolean }
  | {
      readonly kind: 'action'
      readonly of: HistoryRow
      readonly action: ActionView
      readonly index: number
    }
  | {
      readonly kind: 'transaction'
      readonly of: HistoryRow
      readonly node: TraceNode
      readonly index: number
    }
  | {
      readonly kind: 'note'
      readonly of: HistoryRow
      readonly text: string
      readonly failed: boolean
    }

function idOfLine(line: HistoryLine): string {
  switch (line.kind) {
    case 'row':
      return line.row.hash
    case 'note':
      return `${line.of.hash} note`
    case 'action':
    case 'transaction':
      return `${line.of.hash} ${line.kind} ${line.index}`
  }
}

/** The transactions of an expanded event; null while they are being loaded. */
type Parts = readonly TraceNode[] | AppError | null

type Fetch = (
  question: HistoryQuestion,
  place: { before?: string; after?: string; refresh?: boolean },
) => Promise<HistoryPage>

type HistoryState = Pick<
  HistoryPage,
  'older' | 'newer' | 'isBeginning' | 'unread' | 'offline' | 'view' | 'viewProblem'
> & {
  /** All rows, including the hidden ones. */
  readonly rows: readonly HistoryRow[]
  /** The parts of expanded events, by the hash of the event's row. */
  readonly expanded: ReadonlyMap<string, Parts>
  readonly hiddenCount: number
  /** The number of transactions that were read for these rows. With a filter, more are read than displayed. */
  readonly scanned: number
  /** New rows, which are displayed when the user wants to see them. */
  readonly waiting: readonly HistoryRow[]
  /**
   * True if the last older page had no rows although older transactions exist. The user then
   * decides whether to continue.
   */
  readonly isSparse: boolean
  readonly olderProblem: AppError | null
  readonly newerProblem: AppError | null
}

const empty: HistoryState = {
  view: 'transactions',
  viewProblem: null,
  rows: [],
  expanded: new Map(),
  hiddenCount: 0,
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

/** The number of newer pages that are fetched at once; the next poll fetches the others. */
const maxNewerPages = 5

export const createHistory = (...sources: ConstructorParameters<typeof History>) =>
  new History(...sources)

class History {
  readonly use = create<HistoryState>(() => empty)
  readonly source = createRowSource<HistoryLine>({
    idOf: idOfLine,
    onRefresh: () => {
      if (this.source.use.getState().status === 'ready') this.#showNew()
      else void this.reload()
    },
    onEnd: () => {
      const { isSparse, olderProblem } = this.use.getState()
      if (!isSparse && olderProblem === null) void this.loadOlder()
    },
  })
  readonly #fetch: Fetch
  readonly #loadParts: LoadParts
  #question: HistoryQuestion | null = null
  /** A new object for each new list, so that responses for an earlier list are ignored. */
  #busy = { older: false, newer: false }

  constructor(fetch: Fetch = fetchPage, loadParts: LoadParts = fetchParts) {
    this.#fetch = fetch
    this.#loadParts = loadParts
  }

  #isHidden = (row: HistoryRow) => this.#question?.hidesSpam === true && isSpam(row)

  #isSparse({ older, rows }: HistoryPage): boolean {
    return older !== null && rows.every(this.#isHidden)
  }

  #show(part: Partial<HistoryState>): void {
    const { rows, waiting, older, expanded } = { ...this.use.getState(), ...part }
    const shown = rows.filter((row) => !this.#isHidden(row))
    this.use.setState({ ...part, hiddenCount: rows.length - shown.length })
    const news = waiting.filter((row) => !this.#isHidden(row)).length
    const lines = shown.flatMap((row) => linesOf(row, expanded.get(row.hash)))
    this.source.set(lines, {
      news: news === 0 ? null : news,
      rowCount: older === null ? lines.length : null,
    })
  }

  #showFirst(page: HistoryPage): void {
    const newer = page.newer ?? page.rows[0]?.lt ?? null
    this.#show({ ...empty, ...page, newer, isSparse: this.#isSparse(page) })
  }

  #showNew(): void {
    // An event may have begun before others that are already displayed.
    const { waiting, rows } = this.use.getState()
    this.#show({ rows: [...waiting, ...rows].sort(newestFirst), waiting: [] })
  }

  /** Shows a history from its beginning, unless it is already displayed. */
  async open(next: HistoryQuestion): Promise<void> {
    const isReady = this.source.use.getState().status === 'ready'
    const before = this.#question
    this.#question = next
    const isOnlyHiding = before !== null && isEqual({ ...before, hidesSpam: next.hidesSpam }, next)
    if (isReady && isEqual(next, before)) await this.poll()
    else if (isReady && isOnlyHiding) this.#show({ isSparse: false })
    else await this.reload()
  }

  async reload(refresh = false): Promise<void> {
    if (this.#question === null) return
    const mine = (this.#busy = { older: false, newer: false })
    this.source.clear()
    this.use.setState(empty)
    try {
      const page = await this.#fetch(this.#question, refresh ? { refresh } : {})
      if (mine === this.#busy) this.#showFirst(page)
    } catch (error) {
      if (mine !== this.#busy) return
      this.source.use.setState({ status: 'failed', error: toAppError(error) })
    }
  }

  /** Appends a page at the end of the list. */
  async loadOlder(): Promise<void> {
    const { older, view } = this.use.getState()
    const mine = this.#busy
    if (this.#question === null || older === null || mine.older) return
    mine.older = true
    try {
      const page = await this.#fetch({ ...this.#question, view }, { before: older })
      // If the list has started again meanwhile, the page would leave a gap.
      if (mine !== this.#busy) return
      this.#show({ ...withOlder(this.use.getState(), page), isSparse: this.#isSparse(page) })
    } catch (error) {
      if (mine === this.#busy) this.use.setState({ olderProblem: toAppError(error) })
    }
    mine.older = false
  }

  /** Shows or hides the further actions and the transactions of an event. */
  async toggle({ hash, event }: HistoryRow): Promise<void> {
    const mine = this.#busy
    if (this.#question === null || event === null) return
    const before = new Map(this.use.getState().expanded)
    if (before.delete(hash)) {
      this.#show({ expanded: before })
      return
    }
    this.#show({ expanded: before.set(hash, null) })
    const parts = await this.#loadParts(this.#question.network, event.id).catch(toAppError)
    const { expanded } = this.use.getState()
    if (mine === this.#busy && expanded.has(hash))
      this.#show({ expanded: new Map(expanded).set(hash, parts) })
  }

  /** Fetches newer transactions and adds them if the user is at the top of the list. */
  async poll(): Promise<void> {
    const mine = this.#busy
    if (this.source.use.getState().status !== 'ready' || mine.newer) return
    mine.newer = true
    try {
      for (let page = 0; page < maxNewerPages; page += 1) if (!(await this.#pollOnce(mine))) break
      if (mine === this.#busy) this.use.setState({ newerProblem: null })
    } catch (error) {
      if (mine === this.#busy) this.use.setState({ newerProblem: toAppError(error) })
    }
    mine.newer = false
  }

  /** @returns true if there may be still newer transactions */
  async #pollOnce(mine: object): Promise<boolean> {
    const { newer, view } = this.use.getState()
    if (this.#question === null) return false
    if (view === 'events') return this.#pollEvents(this.#question, mine)
    const place = newer === null ? {} : { after: newer }
    const page = await this.#fetch({ ...this.#question, view }, place)
    if (mine !== this.#busy) return false
    if (newer === null) {
      // The account had no transactions until now.
      if (this.use.getState().rows.length === 0) this.#showFirst(page)
      return false
    }
    this.#show(withNewer(this.use.getState(), page))
    if (this.source.follows()) this.#showNew()
    return page.rows.length > 0 && page.newer !== null && page.newer !== newer
  }

  /** Loads the newest events again: events in progress change, and an event may have begun before others. */
  async #pollEvents(requested: HistoryQuestion, mine: object): Promise<false> {
    const page = await this.#fetch(requested, {})
    if (mine !== this.#busy) return false
    if (page.view !== 'events') throw new Error(page.viewProblem ?? page.offline ?? '')
    const next = withNewest(this.use.getState(), page)
    if (next === null) this.#showFirst(page)
    else this.#show(next)
    if (this.source.follows() && this.use.getState().waiting.length > 0) this.#showNew()
    return false
  }
}

/** Returns the lines of a row: only the row, or an event with its other actions and its transactions. */
function linesOf(row: HistoryRow, parts: Parts | undefined): HistoryLine[] {
  const line: HistoryLine = { kind: 'row', row, isExpanded: parts !== undefined }
  if (parts === undefined || row.event === null) return [line]
  // The row itself already shows the first action.
  const others = row.event.actions
    .slice(1)
    .map((action, index): HistoryLine => ({ kind: 'action', of: row, action, index }))
  if (parts === null || parts instanceof AppError) {
    const text = parts === null ? 'Loading the transactions of this event…' : parts.message
    return [line, ...others, { kind: 'note', of: row, text, failed: parts !== null }]
  }
  const nodes = parts.map((node, index): HistoryLine => {
    return { kind: 'transaction', of: row, node, index }
  })
  return [line, ...others, ...nodes]
}

/** Returns the rows of a page that are neither displayed nor waiting. */
function unknownRows({ rows, waiting }: HistoryState, page: HistoryPage): HistoryRow[] {
  const known = new Set([...rows, ...waiting].map(({ hash }) => hash))
  return page.rows.filter(({ hash }) => !known.has(hash))
}

/** Adds a page to the end of the list. */
const withOlder = (state: HistoryState, page: HistoryPage) => ({
  rows: [...state.rows, ...unknownRows(state, page)],
  older: page.older,
  scanned: state.scanned + page.scanned,
  isBeginning: page.isBeginning,
  unread: [...state.unread, ...page.unread],
  olderProblem: null,
})

/** Adds a page of newer transactions, whose rows wait until the user wants to see them. */
const withNewer = (state: HistoryState, page: HistoryPage) => ({
  waiting: [...unknownRows(state, page), ...state.waiting],
  newer: page.newer ?? page.rows[0]?.lt ?? state.newer,
  scanned: state.scanned + page.scanned,
  unread: [...page.unread, ...state.unread],
  offline: page.offline,
})

/**
 * Adds the newest events and updates those in progress. Returns null if there is a gap between the
 * page and the list.
 */
function withNewest(state: HistoryState, page: HistoryPage) {
  const { rows, waiting, expanded } = state
  const unknown = unknownRows(state, page)
  const isConnected = page.older === null || unknown.length < page.rows.length
  if (rows.length + waiting.length === 0 || !isConnected) return null
  const fresh = new Map(page.rows.map((row) => [row.hash, row]))
  const update = (row: HistoryRow) => fresh.get(row.hash) ?? row
  const unfinished = rows.filter(({ event }) => event?.inProgress === true)
  return {
    rows: rows.map(update),
    waiting: [...unknown, ...waiting.map(update)],
    // The loaded parts of an event in progress are out of date.
    expanded: new Map(
      [...expanded].filter(([hash]) => !unfinished.some((row) => row.hash === hash)),
    ),
    offline: null,
  }
}

const isEqual = (a: HistoryQuestion, b: HistoryQuestion | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

const fetchPage: Fetch = (
  { hidesSpam: _, ...question },
  { before = null, after = null, refresh = false },
) => request('account.history', { ...question, before, after, refresh })

type LoadParts = (network: NetworkId, id: string) => Promise<readonly TraceNode[]>

const fetchParts: LoadParts = async (network, id) => {
  const { trace, traceProblem } = await request('transaction.get', { network, id })
  if (trace === null) throw new Error(traceProblem ?? 'The gateway has no trace of this event.')
  return trace.nodes
}

/** Returns whether a row is spam. A transaction is spam if its sender is marked as such. */
export const isSpam = ({ event, peer, direction }: HistoryRow): boolean =>
  event?.isScam ?? (direction === 'in' && peer?.isScam === true)

function newestFirst(a: HistoryRow, b: HistoryRow): number {
  const difference = BigInt(b.lt) - BigInt(a.lt)
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

/** The history that is displayed. */
export const accountHistory = createHistory()
