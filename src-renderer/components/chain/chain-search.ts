/** Searches the chain, on its page and in the palette. */
import { create } from 'zustand'
import type { SearchResult, SearchTarget } from '../../../src-preload/contract/chain/search.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import { request, toAppError, peek } from '../../app/bridge.ts'
import { emptyFilter, explorerHome } from '../../app/chain-route.ts'
import { invoiceRoute } from '../../app/invoices-route.ts'
import { type Route, navigate, routeHref, useRoute } from '../../app/route.ts'
import { createStored } from '../../app/stored.ts'
import type { IconName } from '../../ui/icons.tsx'

/** Returns the page for a search result. */
export function routeOf(target: SearchTarget, network: NetworkId): Route {
  const page = 'explorer'
  switch (target.kind) {
    case 'transaction':
      return { page, network, view: 'tx', hash: target.hash }
    case 'account':
      return { page, network, view: 'account', address: target.address, filter: emptyFilter }
    case 'jetton':
    case 'nft':
    case 'collection':
      return { page, network, view: target.kind, address: target.address }
    case 'block':
      return { page, network, view: 'block', id: target.id }
    case 'invoice':
      return { ...invoiceRoute(target.id), network }
  }
}

export const targetIcons: Record<SearchTarget['kind'], IconName> = {
  transaction: 'transactions',
  account: 'accounts',
  jetton: 'invoices',
  nft: 'camera',
  collection: 'table',
  block: 'sandbox',
  invoice: 'invoices',
}

export const targetLabels: Record<SearchTarget['kind'], string> = {
  transaction: 'Transaction',
  account: 'Account',
  jetton: 'Jetton',
  nft: 'NFT',
  collection: 'NFT collection',
  block: 'Block',
  invoice: 'Invoice',
}

/**
 * True if a text is worth a request while the user types. A word may be an account's name, for
 * which only Enter searches.
 */
export function isSearchable(text: string): boolean {
  const plain = text.trim()
  if (/\s/.test(plain)) return false
  return (
    /^(0x)?[0-9a-f]{64}$/i.test(plain) ||
    /^-?\d+:[0-9a-f]{64}$/i.test(plain) ||
    /^[A-Za-z0-9+/_-]{43}=?$/.test(plain) ||
    /^[A-Za-z0-9+/_-]{48}$/.test(plain) ||
    /^\(?-?\d+,[0-9a-f]{1,16},\d+\)?/i.test(plain) ||
    /^[a-z0-9-]+(\.[a-z0-9-]+)*\.(ton|t\.me)$/i.test(plain) ||
    /^https?:\/\/\S+$/i.test(plain)
  )
}

/** The search on the page: one at a time, on one network. */
export type ChainSearch = { readonly network: NetworkId; readonly text: string } & (
  | { readonly status: 'asking' }
  | { readonly status: 'failed'; readonly error: AppError }
  | { readonly status: 'found'; readonly answer: SearchResult }
)

export const useChainSearch = create<{ search: ChainSearch | null }>(() => ({ search: null }))

let searches = 0

/**
 * Searches for a hash, an address, a name, a block, an invoice or a link to one of them. A single
 * result is opened; otherwise the explorer's first page lists the results. If the user has opened
 * another page meanwhile, nothing is opened.
 * @returns whether a result was opened
 */
export async function searchChain(network: NetworkId, text: string): Promise<boolean> {
  searches += 1
  const mine = searches
  const place = () =>
    `${peek('network.list')?.current ?? ''} ${routeHref(useRoute.getState().route)}`
  const from = place()
  useChainSearch.setState({ search: { status: 'asking', network, text } })
  try {
    const response = await request('search.find', { network, text })
    if (mine !== searches) return false
    useChainSearch.setState({ search: { status: 'found', network, text, answer: response } })
    if (place() !== from) return false
    const [only] = response.targets
    if (only === undefined || response.targets.length > 1) {
      navigate(explorerHome)
      return false
    }
    rememberSearch(network, { text, target: only })
    navigate(routeOf(only, network))
    return true
  } catch (error) {
    if (mine !== searches) return false
    useChainSearch.setState({
      search: { status: 'failed', network, text, error: toAppError(error) },
    })
    if (place() === from) navigate(explorerHome)
    return false
  }
}

/** Also cancels the search in progress. */
export function clearSearch(): void {
  searches += 1
  useChainSearch.setState({ search: null })
}

type RecentSearch = { readonly text: string; readonly target: SearchTarget }
type Recent = Readonly<Partial<Record<NetworkId, readonly RecentSearch[]>>>

/** Maximum number of stored results for each network. */
const maxRecent = 12

/** Recent results by network, newest first. Entries of an earlier version with another form are omitted. */
export const { use: useRecentSearches, change: changeRecent } = createStored<Recent>(
  'tondesk.searches',
  (stored) =>
    Object.fromEntries(
      Object.entries(stored).map(([id, list]) => [
        id,
        Array.isArray(list) ? list.filter(isRecent) : [],
      ]),
    ),
)

export function rememberSearch(network: NetworkId, search: RecentSearch): void {
  const before = useRecentSearches.getState()[network] ?? []
  changeRecent({ [network]: addRecent(before, search) })
}

/** A repeated result moves to the front. */
export function addRecent(
  list: readonly RecentSearch[],
  search: RecentSearch,
): readonly RecentSearch[] {
  const id = keyOf(search.target)
  return [search, ...list.filter(({ target }) => keyOf(target) !== id)].slice(0, maxRecent)
}

function keyOf(target: SearchTarget): string {
  switch (target.kind) {
    case 'transaction':
      return `${target.kind} ${target.hash}`
    case 'account':
    case 'jetton':
    case 'nft':
    case 'collection':
      return `${target.kind} ${target.address}`
    case 'block':
    case 'invoice':
      return `${target.kind} ${target.id}`
  }
}

function isRecent(value: unknown): value is RecentSearch {
  const { text, target } = (value ?? {}) as Partial<RecentSearch>
  return typeof text === 'string' && typeof target?.title === 'string'
}
