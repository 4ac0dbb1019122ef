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
  { page: 'sandbox', network: 'mainnet', tab: 'act' },
  { page: 'sandbox', network: 'testnet', tab: 'act' },
  { page: 'sandbox', network: 'testnet', tab: 'deliveries' },
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
]

describe('the routes of the window', () => {
  it.each(routes)('a route of the page $page is parsed from its formatted link', (route) => {
    expect(parseRoute(routeHref(route))).toEqual(route)
  })

  it('a capture has a link of its own', () => {
    expect(captureHref(123)).toBe('#/inspector/123')
  })

  it.each(['', '#', '#/', '#/nowhere', '#start=abc', '#/__proto__', '#/constructor/1'])(
    'the invalid link %j leads to the overview',
    (hash) => {
      expect(parseRoute(hash)).toEqual({ page: 'overview' })
    },
  )

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

  it('an unknown tab of the sandbox leads to its first tab', () => {
    expect(parseRoute('#/sandbox/__proto__?network=moon')).toEqual({
      page: 'sandbox',
      network: 'mainnet',
      tab: 'act',
    })
  })

  it('an unknown network and an invalid number in a link are ignored', () => {
    expect(parseRoute('#/transactions/account/a?network=moon&from=x&direction=up')).toEqual({
      page: 'explorer',
      network: null,
      view: 'account',
      address: 'a',
      filter: emptyFilter,
    })
    expect(parseRoute('#/transactions/tx')).toMatchObject({ view: 'home' })
    expect(parseRoute('#/accounts/job/0x1')).toMatchObject({ view: 'home' })
    expect(parseRoute('#/transactions/tx/%E0%A4%A')).toMatchObject({ hash: '%E0%A4%A' })
  })

  it.each(['0', '-1', '1.5', '1e3', '99999999999999999', 'x'])(
    'the id %s is refused as a capture in a link',
    (id) => {
      expect(parseRoute(`#/inspector/${id}`)).toMatchObject({ captureId: null })
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
