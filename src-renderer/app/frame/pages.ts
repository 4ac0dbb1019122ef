import type { IconName } from '../../ui/icons.tsx'
import { registerShortcut } from '../../ui/keyboard.ts'
import { lookupsHome, explorerHome } from '../chain-route.ts'
import { invoicesHome } from '../invoices-route.ts'
import { type Route, emptyQuery, navigate, sandboxHome } from '../route.ts'
import { setupHome } from '../setup-route.ts'
import { webhooksHome } from '../webhooks-route.ts'
import { openPalette, openShortcutSheet } from './overlays.ts'

const group = 'Everywhere'

/** A part of a page with its own address. The palette also finds it by its `words`. */
type View = {
  readonly label: string
  readonly words: string
  readonly route: Route
  /** True for a view that is opened from another view or by the palette, and is not in the page's bar. */
  readonly isTask?: boolean
}

type Page = {
  readonly keys: readonly [string]
  readonly name: string
  readonly icon: IconName
  readonly words: string
  readonly route: Route
  /** The first view is the page itself. */
  readonly views?: readonly View[]
}

const captures: Route = { page: 'captures', captureId: null, query: emptyQuery }
const sandbox = { page: 'sandbox', network: 'mainnet' } as const

const view = (label: string, route: Route, words = ''): View => ({ label, route, words })
const task = (...of: Parameters<typeof view>): View => ({ ...view(...of), isTask: true })

/** The pages in the order of the navigation, with their shortcuts and the views of each page. */
export const pages: readonly Page[] = [
  {
    keys: ['g o'],
    name: 'Overview',
    icon: 'overview',
    words: '',
    route: { page: 'overview' },
    views: [
      view('Overview', { page: 'overview' }),
      task('Set up a gateway', setupHome, 'connect mainnet testnet guide key first delivery'),
      task('Jobs', { page: 'jobs' }, 'replays resend many invoices results'),
    ],
  },
  {
    keys: ['g i'],
    name: 'Inspector',
    icon: 'inspector',
    words: 'captures webhooks list',
    route: captures,
    views: [
      view('Captures', captures),
      view(
        'Forwarding',
        { page: 'delivery', view: 'forwarding', rule: null },
        'forward rules targets local server',
      ),
      view(
        'Responses',
        { page: 'delivery', view: 'responses' },
        'answers rules status delay hang cut mock',
      ),
      view('Tunnels', { page: 'delivery', view: 'tunnels' }, 'public url ngrok cloudflared'),
    ],
  },
  {
    keys: ['g w'],
    name: 'Webhooks',
    icon: 'webhooks',
    words: 'subscriptions endpoint failures missed',
    route: webhooksHome,
    views: [
      view('List', webhooksHome),
      view('Subscriptions file', { ...webhooksHome, view: 'file' }, 'yaml csv plan apply undo'),
    ],
  },
  {
    keys: ['g t'],
    name: 'Explorer',
    icon: 'transactions',
    words: 'transactions search hash address block',
    route: explorerHome,
    views: [
      view('Search', explorerHome),
      view('Blocks', { ...explorerHome, view: 'blocks' }, 'masterchain shards'),
      view('Watched', { ...explorerHome, view: 'watched' }, 'accounts live alert rules'),
      view(
        'Exports',
        { ...explorerHome, view: 'exports', id: null },
        'history koinly hledger beancount',
      ),
      view(
        'Build',
        { ...explorerHome, view: 'build', isSigned: false },
        'message transfer jetton call',
      ),
    ],
  },
  {
    keys: ['g a'],
    name: 'Accounts',
    icon: 'accounts',
    words: 'bulk lookup list csv',
    route: lookupsHome,
    views: [
      view('Lookups', lookupsHome),
      view('Address book', { ...lookupsHome, view: 'labels' }, 'labels names import'),
      task('New lookup', { ...lookupsHome, view: 'new' }, 'bulk paste addresses csv'),
    ],
  },
  {
    keys: ['g v'],
    name: 'Invoices',
    icon: 'invoices',
    words: 'payments merchant ledger',
    route: invoicesHome,
    views: [
      view('Invoices', invoicesHome),
      view(
        'Needs attention',
        { ...invoicesHome, view: 'attention', matter: null },
        'overpaid late refund matters',
      ),
      view('Payments', { ...invoicesHome, view: 'payments' }, 'received matched chain'),
      view(
        'Reconciliation',
        { ...invoicesHome, view: 'reconciliation' },
        'close of day statement books',
      ),
      task(
        'Create from a file',
        { ...invoicesHome, view: 'issue', draft: null },
        'csv bulk issue import',
      ),
      task('Set up', { ...invoicesHome, view: 'setup' }, 'access token application recipient'),
    ],
  },
  {
    keys: ['g b'],
    name: 'Sandbox',
    icon: 'sandbox',
    words: 'chain wallets faucet send pay invoice',
    route: sandboxHome,
    views: [
      view('Actions', sandboxHome),
      view(
        'Control',
        { ...sandbox, tab: 'control' },
        'clock virtual time deliveries policy retries faults snapshots revert',
      ),
      view('Calls', { ...sandbox, tab: 'calls' }, 'requests log api clients'),
      view('Invoices', { ...sandbox, tab: 'invoices' }, 'access matching'),
      view('Connect', { ...sandbox, tab: 'connect' }, 'your backend url key address'),
    ],
  },
  {
    keys: ['g s'],
    name: 'Settings',
    icon: 'settings',
    words: 'preferences options',
    route: { page: 'settings', section: null },
  },
]

/** Returns the page of the navigation to which a route belongs. */
export function railPageOf(page: Route['page']): Route['page'] {
  // The pages for work with captures belong to the Inspector.
  if (page === 'delivery') return 'captures'
  return page === 'setup' || page === 'jobs' ? 'overview' : page
}

const keyOf = (route: Route) => `${route.page} ${'view' in route ? route.view : ''}`

/**
 * Returns the views in the bar of a route's page, and the task that the route shows. `part` means
 * that the route belongs to the view.
 */
export function viewsOf(route: Route) {
  const page = pages.find((each) => each.route.page === railPageOf(route.page))
  const views = page?.views ?? []
  const shown = views.find((each) => keyOf(each.route) === keyOf(route))
  // An object without its own view, such as a webhook, was opened from the first view.
  const listed = views.filter((each) => each.isTask !== true || each === shown)
  return {
    name: page?.name ?? '',
    views: listed.map((each, index) => ({
      ...each,
      shows: each === shown ? 'all' : shown === undefined && index === 0 ? 'part' : null,
    })),
  }
}

/** Registers the keys of the frame before those of any page, so that a page's own `/` takes precedence. */
export function startFrame(): () => void {
  const removes = [
    { keys: ['mod+k'], label: 'Search or run a command', group, run: openPalette },
    { keys: ['/'], label: 'Search', group, run: openPalette },
    { keys: ['?'], label: 'Show keyboard shortcuts', group, run: openShortcutSheet },
    ...pages.map(({ keys, name, route }) => ({
      keys,
      label: `Go to ${name}`,
      group,
      run: () => navigate(route),
    })),
  ].map((shortcut) => registerShortcut(shortcut))
  return () => {
    for (const remove of removes) remove()
  }
}
