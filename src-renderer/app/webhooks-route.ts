/** Parses the part of the address bar for the Webhooks page. */
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { formatLink } from './link.ts'

export const webhookTabs = ['overview', 'accounts', 'deliveries', 'missed', 'changes'] as const
export type WebhookTab = (typeof webhookTabs)[number]

/** The ranges of the history of failures. */
export const historyRanges = ['15m', '1h', '6h', '24h', '7d', '30d', '90d'] as const
export type HistoryRange = (typeof historyRanges)[number]

/**
 * `network` is the network of the link; null for the selected network. A webhook's id is an int64.
 */
export type WebhooksRoute = {
  readonly page: 'webhooks'
  readonly network: NetworkId | null
} & WebhooksView

type WebhooksView =
  | { readonly view: 'home' }
  | {
      readonly view: 'webhook'
      readonly id: string
      readonly tab: WebhookTab
      /** The open item of the tab: an account, a check or a change; empty if there is none. */
      readonly item: string
      readonly range: HistoryRange
    }
  /** Subscriptions as a file. */
  | { readonly view: 'file' }

export const webhooksHome: WebhooksRoute = { page: 'webhooks', network: null, view: 'home' }

/** Returns the route of a webhook, with an account, a check or another item of the tab open. */
export function webhookRoute(
  { id, network }: { readonly id: string; readonly network: NetworkId },
  tab: WebhookTab = 'overview',
  item = '',
  range: HistoryRange = '24h',
): WebhooksRoute {
  return { page: 'webhooks', network, view: 'webhook', id, tab, item, range }
}

/** Replaces the account in the address while accounts are being added. */
export const addAccountsItem = 'add'

/** Tabs of earlier versions, with the tabs that replace them. */
const formerTabs = new Map<string, WebhookTab>([
  ['', 'overview'],
  ['failures', 'deliveries'],
  ['opcodes', 'overview'],
])

/** @returns null for an unknown path */
export function parseWebhooks(
  parts: readonly string[],
  search: URLSearchParams,
): WebhooksRoute | null {
  const of = { page: 'webhooks', network: search.get('network') } as const
  const [first = '', name = '', item = ''] = parts
  if (first === '') return { ...of, view: 'home' }
  if (first === 'file') return { ...of, view: 'file' }
  const tab = webhookTabs.find((each) => each === name) ?? formerTabs.get(name)
  if (!/^\d{1,19}$/.test(first) || tab === undefined) return null
  const range = historyRanges.find((each) => each === search.get('range')) ?? '24h'
  return { ...of, view: 'webhook', id: first, tab, item, range }
}

export function formatWebhooksRoute(route: WebhooksRoute): string {
  const { network, view } = route
  if (view === 'home') return formatLink(['webhooks'], { network })
  if (view === 'file') return formatLink(['webhooks', 'file'], { network })
  const { id, tab, item, range } = route
  const path = ['webhooks', id, tab === 'overview' && item === '' ? '' : tab, item]
  return formatLink(path, { network, range: range === '24h' ? null : range })
}
