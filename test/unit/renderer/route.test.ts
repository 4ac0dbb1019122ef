import { describe, expect, it, vi } from 'vitest'
import {
  type Route,
  captureHref,
  emptyQuery,
  parseRoute,
  routeHref,
  startRouting,
  useRoute,
} from '../../../src-renderer/app/route.ts'
import { parseLink } from '../../../src-preload/domain/links.ts'
import { emptyFilter } from '../../../src-renderer/app/chain-route.ts'

const routes: Route[] = [
  { page: 'overview' },
  { page: 'settings', section: null },
  { page: 'settings', section: 'tokens' },
  { page: 'sandbox', network: 'mainnet', tab: 'actions' },
  { page: 'sandbox', network: 'testnet', tab: 'actions' },
  { page: 'sandbox', network: 'testnet', tab: 'control' },
  { page: 'captures', captureId: null, query: emptyQuery },
  { page: 'captures', captureId: 123, query: emptyQuery },
  { page: 'delivery', view: 'forwarding', rule: 2 },
  { page: 'delivery', view: 'compare', left: 'capture-1', right: 'replay-2-0' },
  {
    page: 'captures',
    captureId: 7,
    query: { text: 'a/b?c=d&e #f “ü” 100% body:"x"' },
  },
  { page: 'explorer', network: null, view: 'home' },
  { page: 'explorer', network: 'sandbox', view: 'blocks' },
  { page: 'explorer', network: 'sandbox', view: 'build', isSigned: true },
  { page: 'explorer', network: 'custom-0123abcd', view: 'tx', hash: 'a/+=b%' },
  { page: 'explorer', network: 'mainnet', view: 'block', id: '(-1,8000000000000000,123)' },
  {
    page: 'explorer',
    network: 'mainnet',
    view: 'account',
    address: `0:${'a1'.repeat(32)}`,
    filter: emptyFilter,
  },
  {
    page: 'explorer',
    network: 'sandbox',
    view: 'account',
    address: `-1:${'0'.repeat(64)}`,
    filter: {
      direction: 'out',
      asset: 'TON',
      opcode: '0x0f8a7ea5',
      from: 1_700_000_000_000,
      to: 0,
    },
  },
  { page: 'lookups', network: null, view: 'home' },
  { page: 'lookups', network: 'sandbox', view: 'new' },
  { page: 'lookups', network: null, view: 'job', id: 12 },
  { page: 'lookups', network: 'mainnet', view: 'labels' },
  { page: 'explorer', network: 'mainnet', view: 'watched' },
  { page: 'explorer', network: null, view: 'exports', id: null },
  { page: 'explorer', network: null, view: 'exports', id: 3 },
  { page: 'invoices', network: 'mainnet', view: 'reconciliation' },
  { page: 'invoices', network: 'mainnet', view: 'setup' },
  { page: 'jobs' },
]

/** Every address that commit 23d917de wrote, with the address that leads to the same place now. */
const formerAddresses: Readonly<Record<string, string>> = {
  '#/overview': '#/overview',
  '#/overview/setup': '#/overview/setup',
  '#/overview/setup/key': '#/overview/setup/key',
  '#/overview/setup/delivery?network=testnet': '#/overview/setup/delivery?network=testnet',
  '#/inspector': '#/inspector',
  '#/inspector/12': '#/inspector/12',
  '#/inspector?q=order-42': '#/inspector?q=order-42',
  '#/inspector?q=paid&mode=inside&pinned=1': '#/inspector?q=contains%3Apaid+pinned%3Ayes',
  '#/inspector/forwarding': '#/inspector/forwarding',
  '#/inspector/forwarding/2': '#/inspector/forwarding/2',
  '#/inspector/replays': '#/jobs',
  '#/inspector/replays/3': '#/inspector/replays/3',
  '#/inspector/answers': '#/inspector/responses',
  '#/inspector/tunnels': '#/inspector/tunnels',
  '#/inspector/compare': '#/inspector/compare',
  '#/inspector/compare?left=capture-1&right=replay-2-0':
    '#/inspector/compare?left=capture-1&right=replay-2-0',
  '#/transactions': '#/explorer',
  '#/transactions/tx/ab': '#/explorer/tx/ab',
  '#/transactions/account/0%3Aab?direction=in&network=mainnet':
    '#/explorer/account/0:ab?direction=in&network=mainnet',
  '#/transactions/jetton/0:ab': '#/explorer/jetton/0:ab',
  '#/transactions/nft/0:ab': '#/explorer/nft/0:ab',
  '#/transactions/collection/0:ab': '#/explorer/collection/0:ab',
  '#/transactions/nfts/0:ab': '#/explorer/nfts/0:ab',
  '#/transactions/contract/0:ab': '#/explorer/contract/0:ab',
  '#/transactions/block/(-1,8000000000000000,7)': '#/explorer/block/(-1,8000000000000000,7)',
  '#/transactions/blocks': '#/explorer/blocks',
  '#/transactions/config': '#/explorer',
  '#/transactions/send': '#/explorer/build?signed=1',
  '#/transactions/build': '#/explorer/build',
  '#/accounts': '#/accounts',
  '#/accounts/new': '#/accounts/new',
  '#/accounts/job/5': '#/accounts/job/5',
  '#/accounts/labels': '#/accounts/labels',
  '#/accounts/histories': '#/explorer/exports',
  '#/accounts/history/4?network=sandbox': '#/explorer/exports/4?network=sandbox',
  '#/accounts/watched': '#/explorer/watched',
  '#/webhooks': '#/webhooks',
  '#/webhooks/file?network=testnet': '#/webhooks/file?network=testnet',
  '#/webhooks/7': '#/webhooks/7',
  '#/webhooks/7/accounts/add': '#/webhooks/7/accounts/add',
  '#/webhooks/7/accounts/0%3Aab': '#/webhooks/7/accounts/0:ab',
  '#/webhooks/7/opcodes': '#/webhooks/7',
  '#/webhooks/7/deliveries?range=7d': '#/webhooks/7/deliveries?range=7d',
  '#/webhooks/7/failures/0:ab?range=1h': '#/webhooks/7/deliveries/0:ab?range=1h',
  '#/webhooks/7/missed/4': '#/webhooks/7/missed/4',
  '#/webhooks/7/changes/5': '#/webhooks/7/changes/5',
  '#/invoices': '#/invoices',
  '#/invoices?status=paid&sort=-amount': '#/invoices?status=paid&sort=-amount',
  '#/invoices/of/inv_1': '#/invoices/of/inv_1',
  '#/invoices/attention': '#/invoices/attention',
  '#/invoices/attention/3': '#/invoices/attention/3',
  '#/invoices/payments': '#/invoices/payments',
  '#/invoices/closing?network=mainnet': '#/invoices/reconciliation?network=mainnet',
  '#/invoices/issue': '#/invoices/issue',
  '#/invoices/issue/draft-1': '#/invoices/issue/draft-1',
  '#/invoices/jobs': '#/jobs',
  '#/invoices/jobs/4': '#/invoices/jobs/4',
  '#/invoices/access': '#/invoices/setup',
  '#/sandbox': '#/sandbox',
  '#/sandbox?network=testnet': '#/sandbox?network=testnet',
  '#/sandbox/clock': '#/sandbox/control',
  '#/sandbox/deliveries': '#/sandbox/control',
  '#/sandbox/faults?network=testnet': '#/sandbox/control?network=testnet',
  '#/sandbox/invoices': '#/sandbox/invoices',
  '#/sandbox/snapshots': '#/sandbox/control',
  '#/sandbox/connect': '#/sandbox/connect',
  '#/settings': '#/settings',
  '#/settings/tokens': '#/settings/tokens',
}

describe('the routes of the window', () => {
  it.each(routes)('a route of the page $page is parsed from its formatted link', (route) => {
    expect(parseRoute(routeHref(route))).toEqual(route)
  })

  it('a capture has a link of its own', () => {
    expect(captureHref(123)).toBe('#/inspector/123')
  })

  it.each(Object.entries(formerAddresses))(
    'the address %s of an earlier version leads to %s',
    (former, now) => {
      expect(routeHref(parseRoute(former))).toBe(now)
    },
  )

  it.each(['', '#', '#/'])('the empty address %j leads to the overview', (hash) => {
    expect(parseRoute(hash)).toEqual({ page: 'overview' })
  })

  it.each([
    ...['#/nowhere', '#start=abc', '#/__proto__', '#/constructor/1', '#/overview/x'],
    ...['#/transactions/sandbox/build', '#/transactions/tx', '#/accounts/job/0x1'],
    ...['#/sandbox/__proto__', '#/webhooks/x', '#/webhooks/7/__proto__', '#/invoices/inv_1'],
    ...['#/overview/setup/x', '#/inspector/forwarding/x', '#/inspector/replays/x'],
  ])('the unknown address %s is kept, and its page says that there is none', (hash) => {
    const route = parseRoute(hash)
    expect(route.page).toBe('unknown')
    expect(parseRoute(routeHref(route))).toEqual(route)
  })

  it("a link to the removed page of the blockchain configuration leads to the explorer's search", () => {
    const link = parseLink('tondesk://transactions/config?network=testnet')
    const home = { page: 'explorer', network: 'testnet', view: 'home' }
    expect([parseRoute(link ?? ''), parseRoute('#/transactions/config?network=testnet')]).toEqual([
      home,
      home,
    ])
  })

  it.each([`0:${'ab'.repeat(32)}`, `0%3A${'ab'.repeat(32)}`])(
    'an account of a webhook is found with the colon as it is or encoded, as earlier links have it: %s',
    (item) => {
      const link = `#/webhooks/7/accounts/${item}?network=sandbox`
      const route = parseRoute(link)
      expect(route).toMatchObject({ page: 'webhooks', id: '7', item: `0:${'ab'.repeat(32)}` })
      expect(routeHref(route)).toBe(link.replace('%3A', ':'))
    },
  )

  it('an unknown network and an invalid number in the query of a link are ignored', () => {
    expect(parseRoute('#/transactions/account/a?network=moon&from=x&direction=up')).toEqual({
      page: 'explorer',
      network: null,
      view: 'account',
      address: 'a',
      filter: emptyFilter,
    })
    expect(parseRoute('#/transactions/tx/%E0%A4%A')).toMatchObject({ hash: '%E0%A4%A' })
  })

  it.each(['0', '-1', '1.5', '1e3', '99999999999999999', 'x'])(
    'the id %s is refused as a capture in a link',
    (id) => {
      expect(parseRoute(`#/inspector/${id}`)).toMatchObject({ page: 'unknown' })
    },
  )
})

it('a followed link changes the route once, although the browser sends two events', () => {
  const browser = Object.assign(new EventTarget(), { location: { hash: '#/overview' } })
  vi.stubGlobal('window', browser)
  const stop = startRouting()
  try {
    browser.location.hash = '#/transactions'
    browser.dispatchEvent(new Event('popstate'))
    const { route } = useRoute.getState()
    expect(route.page).toBe('explorer')
    browser.dispatchEvent(new Event('hashchange'))
    // A second change would look as if the user had left the page.
    expect(useRoute.getState().route).toBe(route)
  } finally {
    stop()
    vi.unstubAllGlobals()
  }
})
