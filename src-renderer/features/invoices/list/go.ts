import type { Network } from '../../../../src-preload/contract/network.ts'
import {
  type InvoicesQuery,
  type InvoicesRoute,
  everyInvoice,
  invoicesHome,
} from '../../../app/invoices-route.ts'
import { navigate, useRoute } from '../../../app/route.ts'

type ListRoute = Extract<InvoicesRoute, { view: 'list' }>

/** Where the list stands: what it shows, and which one is open. */
export function listRoute(): ListRoute {
  const { route } = useRoute.getState()
  if (route.page === 'invoices' && route.view === 'list') return route
  return { ...invoicesHome, view: 'list', id: null, query: everyInvoice }
}

/** An invoice's own link; the list beside it stays as it is. */
export function routeOfInvoice(network: Network, id: string, query: InvoicesQuery): ListRoute {
  return { page: 'invoices', network: network.id, view: 'list', id, query }
}

/** Walked to, the one before is not to be gone back to. */
export function openInvoice(network: Network, id: string, isWalk = false): void {
  navigate(routeOfInvoice(network, id, listRoute().query), { replace: isWalk })
}

export function closeInvoice(): void {
  navigate({ ...listRoute(), id: null, network: null })
}

/** Another part of the ledger, or another order. What is typed leaves no step to go back to. */
export function changeQuery(change: Partial<InvoicesQuery>, isTyped = false): void {
  const route = listRoute()
  navigate({ ...route, query: { ...route.query, ...change } }, { replace: isTyped })
}
