import { create } from 'zustand'
import type { Invoice } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { on, onReconnect, request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { type InvoicesQuery, everyInvoice } from '../../../app/invoices-route.ts'
import { throttle } from '../../../ui/throttle.ts'
import { announce } from '../../../ui/live-region.tsx'
import {
  type ReadyWindows,
  createWindowList,
  rowAt,
  windowOf,
  windowSize,
} from '../../../components/list/windows.ts'
import { filterOf, keyOf } from './invoice-query.ts'

type ListState = {
  readonly network: NetworkId | null
  readonly query: InvoicesQuery
  /** The row that keys act on, by its index; and which invoice stands there. */
  readonly cursor: number | null
  readonly cursorId: string | null
  /** It was walked to before its row was there: what stands there is shown once it is. */
  readonly isAwaited: boolean
  readonly atTop: boolean
  /** Held back while one reads: how many there are more, 0 where they would only move. Null: none. */
  readonly news: number | null
  readonly selected: ReadonlyMap<string, Invoice>
  /** Where a range of selected rows begins. */
  readonly anchor: number | null
}

const nothingSelected = { selected: new Map<string, Invoice>(), anchor: null }

/** What is shown of which network; it stays while one looks at other pages. */
export const useInvoiceList = create<ListState>(() => ({
  network: null,
  query: everyInvoice,
  cursor: null,
  cursorId: null,
  isAwaited: false,
  atTop: true,
  news: null,
  ...nothingSelected,
}))

export const invoices = createWindowList<Invoice, null>()

/** Ends of pages by the index of the row after them: rows below stay in place while new ones arrive above. */
let cursors = new Map<number, string>()

/** Rows of what is shown now, in its order: from the nearest known place above them. */
export async function readRows(offset: number, limit: number): Promise<Output<'invoice.page'>> {
  const { network, query } = useInvoiceList.getState()
  if (network === null) throw new Error('No network is shown.')
  const known = cursors
  const start = Math.max(0, ...[...known.keys()].filter((index) => index <= offset))
  const page = await request('invoice.page', {
    network,
    filter: filterOf(query),
    sort: query.sort,
    from: { after: known.get(start) ?? null },
    skip: offset - start,
    limit,
  })
  if (page.after !== null) known.set(offset + page.invoices.length, page.after)
  return page
}

/** Shows what the link asks for. What is shown already stays as it is, looked at anew. */
export function openInvoices(network: NetworkId, query: InvoicesQuery): void {
  const now = useInvoiceList.getState()
  const isSameNetwork = now.network === network
  if (isSameNetwork && keyOf(now.query) === keyOf(query)) {
    // The table is drawn anew, and begins at its top.
    useInvoiceList.setState({ atTop: true })
    showNews()
    return
  }
  cursors = new Map()
  const isSameFilter = keyOf({ ...now.query, sort: query.sort }) === keyOf(query)
  useInvoiceList.setState({
    network,
    query,
    cursor: null,
    cursorId: null,
    atTop: true,
    news: null,
    anchor: null,
    // What was selected may no longer be in sight: it is not to be cancelled unseen.
    ...(!(isSameNetwork && isSameFilter) && nothingSelected),
  })
  invoices.open(
    async (offset, limit) => {
      const { total, invoices: rows } = await readRows(offset, limit)
      return { total, rows, extra: null }
    },
    { keep: isSameNetwork },
  )
}

export function putCursor(index: number | null): Invoice | null {
  const state = invoices.store.getState()
  const row = state.status === 'ready' && index !== null ? rowAt(state, index) : null
  useInvoiceList.setState({
    cursor: index,
    cursorId: row?.id ?? null,
    isAwaited: index !== null && row === null,
  })
  return row
}

export function clearSelection(): void {
  useInvoiceList.setState(nothingSelected)
}

export function showNews(): void {
  useInvoiceList.setState({ news: null })
  cursors = new Map()
  invoices.refresh()
}

/** Rows have come or gone above it: the cursor goes with its invoice. */
function keepCursor(state: ReadyWindows<Invoice, null>): void {
  const { cursor, cursorId } = useInvoiceList.getState()
  if (cursor === null) return
  const there = rowAt(state, cursor)
  if (cursorId === null) {
    if (there !== null) useInvoiceList.setState({ cursorId: there.id })
    return
  }
  if (there === null || there.id === cursorId) return
  const found = indexOf(state, cursorId)
  // One that is gone leaves its place to keys: what is open beside it stays so.
  if (found !== null) useInvoiceList.setState({ cursor: found })
}

/** Where it stands among the rows that are here. */
export function indexOf({ held }: ReadyWindows<Invoice, null>, id: string): number | null {
  for (const [at, rows] of held) {
    const index = rows.findIndex((row) => row.id === id)
    if (index >= 0) return at * windowSize + index
  }
  return null
}

/** What is selected may have changed, and is to be told of as it is now. */
function keepSelection({ held }: ReadyWindows<Invoice, null>): void {
  const { selected } = useInvoiceList.getState()
  if (selected.size === 0) return
  const newer = [...held.values()].flat().filter((row) => {
    const known = selected.get(row.id)
    return known !== undefined && known !== row
  })
  if (newer.length === 0) return
  const next = new Map(selected)
  for (const row of newer) next.set(row.id, row)
  useInvoiceList.setState({ selected: next })
}

invoices.store.subscribe((state) => {
  if (state.status !== 'ready') return
  keepCursor(state)
  keepSelection(state)
})

/** As few that each is asked for by its id, without moving a row. */
const mostByName = 20

/** Ids that were told of since the list was looked at; null for many. */
let changed: Set<string> | null = new Set()

/** While one reads, states change where they stand, and what would move rows waits. */
async function noteChange(): Promise<void> {
  const { atTop, network, query } = useInvoiceList.getState()
  const state = invoices.store.getState()
  const ids = changed
  changed = new Set()
  if (state.status !== 'ready' || atTop) {
    showNews()
    return
  }
  const at = windowOf(invoices.firstShown())
  const newer = await readRows(at * windowSize, windowSize).catch(() => null)
  const now = useInvoiceList.getState()
  if (newer === null || now.network !== network || now.query !== query) return
  const shown = state.held.get(at) ?? []
  const moves =
    newer.total !== state.total || shown.some(({ id }, index) => id !== newer.invoices[index]?.id)
  if (!moves) {
    invoices.refresh()
    return
  }
  const news = Math.max(0, newer.total - state.total)
  if (news > 0 && useInvoiceList.getState().news === null) {
    announce(`${formatCount(news, 'new invoice')} above`)
  }
  useInvoiceList.setState({ news })
  await updateInPlace(newer.invoices, ids)
}

async function updateInPlace(
  newer: readonly Invoice[],
  ids: ReadonlySet<string> | null,
): Promise<void> {
  const known = new Map(newer.map((each) => [each.id, each]))
  const state = invoices.store.getState()
  const { network } = useInvoiceList.getState()
  if (ids !== null && state.status === 'ready' && network !== null) {
    const missing = [...ids].filter((id) => !known.has(id) && indexOf(state, id) !== null)
    const asked = await Promise.allSettled(
      missing.slice(0, mostByName).map((id) => request('invoice.get', { network, id })),
    )
    for (const each of asked) {
      if (each.status === 'fulfilled') known.set(each.value.id, each.value)
    }
  }
  if (useInvoiceList.getState().network !== network) return
  invoices.update((row) => known.get(row.id) ?? row)
}

/** The ledger is looked at anew this often while it changes. */
const lookMs = 400

/** Follows what the app learns of them. Returns the way to stop. */
export function followInvoices(): () => void {
  const look = throttle(() => void noteChange(), lookMs)
  const note = (ids: readonly string[] | null) => {
    changed = ids === null || changed === null ? null : new Set([...changed, ...ids])
    look.call()
  }
  const isOurs = (network: NetworkId) => useInvoiceList.getState().network === network
  const stops = [
    on('invoice.changed', ({ network, ids }) => {
      if (isOurs(network)) note(ids)
    }),
    on('matter.changed', ({ network }) => {
      if (isOurs(network)) note(null)
    }),
    onReconnect(() => note(null)),
  ]
  return () => {
    for (const stop of stops) stop()
    look.cancel()
  }
}
