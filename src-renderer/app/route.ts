import { create } from 'zustand'
import type { SandboxNetwork } from '../../src-preload/contract/sandbox.ts'
import {
  type LookupsRoute,
  type ExplorerRoute,
  parseLookupsRoute,
  parseExplorerRoute,
  formatLookupsRoute,
  formatExplorerRoute,
} from './chain-route.ts'
import { type InvoicesRoute, parseInvoices, formatInvoicesRoute } from './invoices-route.ts'
import { formatLink, parseId } from './link.ts'
import { queryTerm } from '../components/query-term.ts'
import { type SetupRoute, parseSetup, formatSetupRoute } from './setup-route.ts'
import { type WebhooksRoute, parseWebhooks, formatWebhooksRoute } from './webhooks-route.ts'
import { type DeliveryRoute, parseDeliveryRoute, formatDeliveryRoute } from './delivery-route.ts'

/** The query of captures, in the query language. */
export type ListQuery = { readonly text: string }

/** The tab `control` has deliveries, faults, clock and snapshots. */
export const sandboxTabs = ['actions', 'control', 'calls', 'invoices', 'connect'] as const
export type SandboxTab = (typeof sandboxTabs)[number]

/** Tabs of earlier versions, with the tabs that replace them. */
const formerSandboxTabs = new Map<string, SandboxTab>([
  ['', 'actions'],
  ['act', 'actions'],
  ['clock', 'control'],
  ['deliveries', 'control'],
  ['faults', 'control'],
  ['snapshots', 'control'],
])

/** The place that the address bar contains, so that back, forward and copied links work. */
export type Route =
  | { readonly page: 'overview' }
  | SetupRoute
  | { readonly page: 'captures'; readonly captureId: number | null; readonly query: ListQuery }
  | DeliveryRoute
  | ExplorerRoute
  | LookupsRoute
  | WebhooksRoute
  | InvoicesRoute
  | { readonly page: 'sandbox'; readonly network: SandboxNetwork; readonly tab: SandboxTab }
  | { readonly page: 'settings'; readonly section: string | null }
  /** Jobs whose results are in no other list: replays, and issuing or cancelling many invoices. */
  | { readonly page: 'jobs' }
  | { readonly page: 'unknown'; readonly address: string }

export const sandboxHome: Route = { page: 'sandbox', network: 'mainnet', tab: 'actions' }

export const emptyQuery: ListQuery = { text: '' }

/**
 * Parses a location hash. Every address of earlier versions leads to the present place for the same
 * content; an unknown address leads to the page "not found".
 */
export function parseRoute(hash: string): Route {
  const address = hash.replace(/^#?\/?/, '')
  const [path = '', query = ''] = address.split(/\?(.*)/s)
  const [page = '', ...parts] = path.split('/').map(decodePart)
  return parsePage(page, parts, new URLSearchParams(query)) ?? { page: 'unknown', address }
}

function parsePage(page: string, parts: readonly string[], search: URLSearchParams): Route | null {
  const [part = '', id = ''] = parts
  switch (page) {
    case '':
    case 'overview':
      if (part === 'setup') return parseSetup(parts.slice(1), search)
      return part === '' ? { page: 'overview' } : null
    case 'inspector':
      if (part === 'replays' && id === '') return { page: 'jobs' }
      return parseDeliveryRoute(parts, search) ?? parseCaptures(part, search)
    case 'explorer':
    // Earlier versions used these addresses.
    case 'transactions':
      return parseExplorerRoute(parts, search)
    case 'accounts':
      return parseLookupsRoute(parts, search)
    case 'webhooks':
      return parseWebhooks(parts, search)
    case 'invoices':
      return part === 'jobs' && id === '' ? { page: 'jobs' } : parseInvoices(parts, search)
    case 'sandbox': {
      const tab = sandboxTabs.find((each) => each === part) ?? formerSandboxTabs.get(part)
      const network = search.get('network') === 'testnet' ? 'testnet' : 'mainnet'
      return tab === undefined ? null : { page, network, tab }
    }
    case 'settings':
      return { page, section: part === '' ? null : part }
    case 'jobs':
      return part === '' ? { page } : null
    default:
      return null
  }
}

function parseCaptures(part: string, search: URLSearchParams): Route | null {
  const captureId = parseId(part)
  if (captureId === null && part !== '') return null
  return { page: 'captures', captureId, query: parseQuery(search) }
}

/** Formats a hash that `parseRoute` parses to the same route. */
export function routeHref(route: Route): string {
  switch (route.page) {
    case 'overview':
      return '#/overview'
    case 'setup':
      return formatSetupRoute(route)
    case 'delivery':
      return formatDeliveryRoute(route)
    case 'explorer':
      return formatExplorerRoute(route)
    case 'lookups':
      return formatLookupsRoute(route)
    case 'webhooks':
      return formatWebhooksRoute(route)
    case 'invoices':
      return formatInvoicesRoute(route)
    case 'sandbox': {
      const tab = route.tab === 'actions' ? null : route.tab
      return formatLink(['sandbox', tab], {
        network: route.network === 'testnet' ? 'testnet' : null,
      })
    }
    case 'settings':
      return formatLink(['settings', route.section])
    case 'jobs':
      return formatLink(['jobs'])
    case 'unknown':
      return `#/${route.address}`
    case 'captures':
      return formatLink(['inspector', route.captureId], { q: route.query.text })
  }
}

/** A text that is not validly encoded remains unchanged. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function parseQuery(values: URLSearchParams): ListQuery {
  const text = values.get('q') ?? ''
  // Before the query language existed, links had these two values beside the words.
  const isInside = values.get('mode') === 'inside' && text !== ''
  const isPinned = values.get('pinned') === '1'
  const terms = [isInside ? queryTerm('contains', text) : text, isPinned ? 'pinned:yes' : '']
  return { text: terms.filter((term) => term !== '').join(' ') }
}

export const useRoute = create<{ route: Route }>(() => ({ route: { page: 'overview' } }))

/**
 * Opens a route. `replace` adds no step for the back button: for changes while the user types or
 * moves through a list.
 */
export function navigate(route: Route, options: { replace?: boolean } = {}): void {
  const hash = routeHref(route)
  if (hash !== window.location.hash) {
    if (options.replace === true) window.history.replaceState(null, '', hash)
    else window.history.pushState(null, '', hash)
  }
  useRoute.setState({ route: parseRoute(hash) })
}

/** Follows the address bar. Call this once, after the start token was removed from the address. */
export function startRouting(): () => void {
  // A click on a link causes two events; the second one is not a navigation and changes nothing.
  const read = () => {
    const route = parseRoute(window.location.hash)
    if (routeHref(route) !== routeHref(useRoute.getState().route)) useRoute.setState({ route })
  }
  read()
  window.addEventListener('popstate', read)
  window.addEventListener('hashchange', read)
  return () => {
    window.removeEventListener('popstate', read)
    window.removeEventListener('hashchange', read)
  }
}

/** Returns the link to the captures that a query finds, for an `<a href>`. */
export const queryHref = (text: string): string =>
  routeHref({ page: 'captures', captureId: null, query: { text } })

/** Returns the link to a capture, for an `<a href>`. */
export const captureHref = (captureId: number): string =>
  routeHref({ page: 'captures', captureId, query: emptyQuery })
