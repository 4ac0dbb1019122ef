/** The part of the address bar that belongs to the pages of the chain. */
import type { HistoryFilter } from '../../src-preload/contract/chain/account.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { formatLink, parseId } from './link.ts'

/**
 * A page of the chain. `network` is the one its link was made on; null for whichever is chosen. A
 * link of another network than the chosen one is recognised by it, so that the wrong network gets no request.
 */
export type ExplorerRoute = {
  readonly page: 'explorer'
  readonly network: NetworkId | null
} & TransactionsView

type TransactionsView =
  | { readonly view: 'home' }
  /** The hash of a transaction, or of a message that belongs to one. */
  | { readonly view: 'tx'; readonly hash: string }
  | { readonly view: 'account'; readonly address: string; readonly filter: HistoryFilter }
  | { readonly view: AssetPage; readonly address: string }
  | { readonly view: 'contract'; readonly address: string }
  | { readonly view: 'block'; readonly id: string }
  | { readonly view: 'blocks' }
  /** A new message for a wallet, or one that was signed already. */
  | { readonly view: 'build'; readonly isSigned: boolean }

/** `nfts`: those of an account. */
export type AssetPage = 'jetton' | 'nft' | 'collection' | 'nfts'

const assetPages: readonly string[] = [
  ...(['jetton', 'nft', 'collection', 'nfts'] satisfies AssetPage[]),
]

export type LookupsRoute = {
  readonly page: 'lookups'
  readonly network: NetworkId | null
} & AccountsView

export type AccountsView =
  | { readonly view: 'home' }
  | { readonly view: 'new' }
  | { readonly view: 'job'; readonly id: number }
  | { readonly view: 'labels' }
  | { readonly view: 'histories' }
  | { readonly view: 'watched' }
  | { readonly view: 'history'; readonly id: number }

export const emptyFilter: HistoryFilter = {
  direction: null,
  asset: null,
  opcode: null,
  from: null,
  to: null,
}

export const explorerHome: ExplorerRoute = { page: 'explorer', network: null, view: 'home' }
export const lookupsHome: LookupsRoute = { page: 'lookups', network: null, view: 'home' }

/** `parts` is the path behind the page's name; what it does not know leads to the page's home. */
export function parseExplorerRoute(
  parts: readonly string[],
  search: URLSearchParams,
): ExplorerRoute {
  const network = parseNetwork(search)
  const [view = '', id = ''] = parts
  const named = id !== ''
  if (view === 'tx' && named) return { page: 'explorer', network, view, hash: id }
  if (view === 'account' && named) {
    const filter = parseFilter(search)
    return { page: 'explorer', network, view, address: id, filter }
  }
  if (assetPages.includes(view) && named) {
    return { page: 'explorer', network, view: view as AssetPage, address: id }
  }
  if (view === 'contract' && named) return { page: 'explorer', network, view, address: id }
  if (view === 'block' && named) return { page: 'explorer', network, view, id }
  if (view === 'blocks') return { page: 'explorer', network, view }
  // Links of earlier versions: signed messages had a page of their own.
  const isSigned = view === 'send' || search.get('signed') === '1'
  if (view === 'send' || view === 'build')
    return { page: 'explorer', network, view: 'build', isSigned }
  return { page: 'explorer', network, view: 'home' }
}

export function formatExplorerRoute(route: ExplorerRoute): string {
  const filter =
    route.view === 'account'
      ? route.filter
      : { signed: 'isSigned' in route && route.isSigned ? 1 : null }
  const id = 'hash' in route ? route.hash : 'address' in route ? route.address : idOf(route)
  const view = route.view === 'home' ? null : route.view
  return formatLink(['transactions', view, id], { ...filter, network: route.network })
}

export function parseLookupsRoute(parts: readonly string[], search: URLSearchParams): LookupsRoute {
  const network = parseNetwork(search)
  const [view = '', id = ''] = parts
  const number = parseId(id)
  if ((view === 'job' || view === 'history') && number !== null) {
    return { page: 'lookups', network, view, id: number }
  }
  if (view === 'new' || view === 'labels' || view === 'histories' || view === 'watched') {
    return { page: 'lookups', network, view }
  }
  return { page: 'lookups', network, view: 'home' }
}

export function formatLookupsRoute(route: LookupsRoute): string {
  const view = route.view === 'home' ? null : route.view
  return formatLink(['accounts', view, idOf(route)], { network: route.network })
}

function idOf(route: ExplorerRoute | LookupsRoute): string | number | null {
  return 'id' in route ? route.id : null
}

function parseNetwork(search: URLSearchParams): NetworkId | null {
  const id = search.get('network') ?? ''
  return /^(sandbox|testnet|mainnet|custom-[0-9a-f]{8})$/.test(id) ? id : null
}

function parseFilter(search: URLSearchParams): HistoryFilter {
  const direction = search.get('direction')
  return {
    direction: direction === 'in' || direction === 'out' ? direction : null,
    asset: search.get('asset'),
    opcode: search.get('opcode'),
    from: parseMoment(search.get('from')),
    to: parseMoment(search.get('to')),
  }
}

function parseMoment(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}
