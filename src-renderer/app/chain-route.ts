/** Parses the part of the address bar for the pages of the chain. */
import type { HistoryFilter } from '../../src-preload/contract/chain/account.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { formatLink, parseId } from './link.ts'

/**
 * A page of the chain. `network` is the network of the link; null for the selected network. A link
 * of another network is recognized by this field, so that the wrong network gets no request.
 */
export type ExplorerRoute = {
  readonly page: 'explorer'
  readonly network: NetworkId | null
} & TransactionsView

type TransactionsView =
  | { readonly view: 'home' }
  /** The hash of a transaction, or of one of its messages. */
  | { readonly view: 'tx'; readonly hash: string }
  | { readonly view: 'account'; readonly address: string; readonly filter: HistoryFilter }
  | { readonly view: AssetPage; readonly address: string }
  | { readonly view: 'contract'; readonly address: string }
  | { readonly view: 'block'; readonly id: string }
  | { readonly view: 'blocks' }
  /** A new message for a wallet, or a message that is already signed. */
  | { readonly view: 'build'; readonly isSigned: boolean }
  | { readonly view: 'watched' }
  /** The exports of account histories, or one export. */
  | { readonly view: 'exports'; readonly id: number | null }

/** `nfts` is the page of an account's NFTs. */
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

export const emptyFilter: HistoryFilter = {
  direction: null,
  asset: null,
  opcode: null,
  from: null,
  to: null,
}

export const explorerHome: ExplorerRoute = { page: 'explorer', network: null, view: 'home' }
export const lookupsHome: LookupsRoute = { page: 'lookups', network: null, view: 'home' }

/** @param parts the path after the page's name @returns null for an unknown path */
export function parseExplorerRoute(
  parts: readonly string[],
  search: URLSearchParams,
): ExplorerRoute | null {
  const of = { page: 'explorer', network: parseNetwork(search) } as const
  const [view = '', id = ''] = parts
  const number = parseId(id)
  switch (view) {
    case '':
    // Earlier versions had a page of the blockchain configuration.
    case 'config':
      return { ...of, view: 'home' }
    case 'blocks':
    case 'watched':
      return { ...of, view }
    // Earlier versions had a separate page for signed messages.
    case 'send':
    case 'build':
      return { ...of, view: 'build', isSigned: view === 'send' || search.get('signed') === '1' }
    case 'exports':
      return id === '' || number !== null ? { ...of, view, id: number } : null
  }
  if (id === '') return null
  if (view === 'tx') return { ...of, view, hash: id }
  if (view === 'account') return { ...of, view, address: id, filter: parseFilter(search) }
  if (assetPages.includes(view)) return { ...of, view: view as AssetPage, address: id }
  if (view === 'contract') return { ...of, view, address: id }
  return view === 'block' ? { ...of, view, id } : null
}

export function formatExplorerRoute(route: ExplorerRoute): string {
  const filter =
    route.view === 'account'
      ? route.filter
      : { signed: 'isSigned' in route && route.isSigned ? 1 : null }
  const id = 'hash' in route ? route.hash : 'address' in route ? route.address : idOf(route)
  const view = route.view === 'home' ? null : route.view
  return formatLink(['explorer', view, id], { ...filter, network: route.network })
}

/** @param parts the path after the page's name @returns null for an unknown path */
export function parseLookupsRoute(
  parts: readonly string[],
  search: URLSearchParams,
): LookupsRoute | ExplorerRoute | null {
  const of = { page: 'lookups', network: parseNetwork(search) } as const
  const [view = '', id = ''] = parts
  const number = parseId(id)
  switch (view) {
    case '':
      return { ...of, view: 'home' }
    case 'new':
    case 'labels':
      return { ...of, view }
    case 'job':
      return number === null ? null : { ...of, view, id: number }
    // In earlier versions these views belonged to this page.
    case 'watched':
      return parseExplorerRoute(['watched'], search)
    case 'history':
    case 'histories':
      return parseExplorerRoute(['exports', id], search)
    default:
      return null
  }
}

export function formatLookupsRoute(route: LookupsRoute): string {
  const view = route.view === 'home' ? null : route.view
  return formatLink(['accounts', view, idOf(route)], { network: route.network })
}

const idOf = (route: ExplorerRoute | LookupsRoute): string | number | null =>
  'id' in route ? route.id : null

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

const parseMoment = (text: string | null): number | null =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
