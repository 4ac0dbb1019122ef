/** The list of invoices, and the links that say what it shows. */
import type { Invoice } from '../../../../src-preload/contract/invoice.ts'
import type { Network, NetworkId } from '../../../../src-preload/contract/network.ts'
import { request } from '../../../app/bridge.ts'
import {
  type InvoicesQuery,
  type InvoicesRoute,
  everyInvoice,
  invoicesHome,
} from '../../../app/invoices-route.ts'
import { navigate, useRoute } from '../../../app/route.ts'
import { createLiveList } from '../../../ui/live-list.ts'
import { filterOf, keyOf } from './invoice-query.ts'

type Question = { readonly network: NetworkId; readonly query: InvoicesQuery }

/** Cursors of pages by the index of the row after them: rows stay in place while new ones arrive above. */
let cursors = new Map<number, string>()

export const invoices = createLiveList({
  load: async ({ network, query }: Question, offset, limit) => {
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
    return { total: page.total, rows: page.invoices, extra: null }
  },
  idOf: ({ id }: Invoice) => id,
  loadOne: ({ network }, id) => request('invoice.get', { network, id: String(id) }),
  onAnew: () => {
    cursors = new Map()
  },
  lookMs: 400,
})

/** Shows what the link asks for. */
export function openInvoices(network: NetworkId, query: InvoicesQuery): void {
  const { question } = invoices.use.getState()
  const before = question?.network === network ? question.query : null
  invoices.open(
    { network, query },
    {
      keep: before !== null,
      // Under another filter selected rows may be out of sight: they must not be cancelled unseen.
      keepSelected: before !== null && keyOf({ ...before, sort: query.sort }) === keyOf(query),
    },
  )
}

type ListRoute = Extract<InvoicesRoute, { view: 'list' }>

/** What the list shows, and which invoice is open beside it. */
function listRoute(): ListRoute {
  const { route } = useRoute.getState()
  if (route.page === 'invoices' && route.view === 'list') return route
  return { ...invoicesHome, view: 'list', id: null, query: everyInvoice }
}

/** The link of an invoice; the list beside it stays as it is. */
export function routeOfInvoice(network: Network, id: string, query: InvoicesQuery): ListRoute {
  return { page: 'invoices', network: network.id, view: 'list', id, query }
}

/** While the user walks down the list, the back button skips the invoices between. */
export function openInvoice(network: Network, id: string, isWalk = false): void {
  navigate(routeOfInvoice(network, id, listRoute().query), { replace: isWalk })
}

export function closeInvoice(): void {
  navigate({ ...listRoute(), id: null, network: null })
}

/** Another filter or another order. What the user types leaves no step for the back button. */
export function changeQuery(change: Partial<InvoicesQuery>, isTyped = false): void {
  const route = listRoute()
  navigate({ ...route, query: { ...route.query, ...change } }, { replace: isTyped })
}
