import type { IconName } from '../../ui/icons.tsx'
import { registerShortcut } from '../../ui/keyboard.ts'
import { lookupsHome, explorerHome } from '../chain-route.ts'
import { invoicesHome } from '../invoices-route.ts'
import { type Route, emptyQuery, navigate, sandboxHome } from '../route.ts'
import { webhooksHome } from '../webhooks-route.ts'
import { openPalette, openShortcutSheet } from './overlays.ts'

const group = 'Everywhere'

/** The pages in the order of the rail, with their shortcuts. The palette also finds them by their `words`. */
export const pages: readonly {
  readonly keys: readonly [string]
  readonly name: string
  readonly icon: IconName
  readonly words: string
  readonly route: Route
}[] = [
  {
    keys: ['g o'],
    name: 'Overview',
    icon: 'overview',
    words: '',
    route: { page: 'overview' },
  },
  {
    keys: ['g i'],
    name: 'Inspector',
    icon: 'inspector',
    words: 'captures webhooks list',
    route: { page: 'captures', captureId: null, query: emptyQuery },
  },
  {
    keys: ['g w'],
    name: 'Webhooks',
    icon: 'webhooks',
    words: 'subscriptions endpoint failures missed',
    route: webhooksHome,
  },
  {
    keys: ['g t'],
    name: 'Explorer',
    icon: 'transactions',
    words: 'transactions search hash address block',
    route: explorerHome,
  },
  {
    keys: ['g a'],
    name: 'Accounts',
    icon: 'accounts',
    words: 'bulk lookup list csv',
    route: lookupsHome,
  },
  {
    keys: ['g v'],
    name: 'Invoices',
    icon: 'invoices',
    words: 'payments merchant ledger',
    route: invoicesHome,
  },
  {
    keys: ['g b'],
    name: 'Sandbox',
    icon: 'sandbox',
    words: 'chain wallets faucet send pay invoice',
    route: sandboxHome,
  },
  {
    keys: ['g s'],
    name: 'Settings',
    icon: 'settings',
    words: 'preferences options',
    route: { page: 'settings', section: null },
  },
]

/** The page of the rail that a route belongs to. */
export function railPageOf(page: Route['page']): Route['page'] {
  // The pages for work with captures belong to the Inspector.
  if (page === 'delivery') return 'captures'
  return page === 'setup' ? 'overview' : page
}

/** The keys of the frame. Registered before any page's, so that a page's own `/` wins over ours. */
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
