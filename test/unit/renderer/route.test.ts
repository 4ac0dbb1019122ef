import { describe, expect, it, vi } from 'vitest'
import {
  type Route,
  captureHref,
  emptyQuery,
  parseRoute,
  printRoute,
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
  { page: 'inspector', captureId: null, query: emptyQuery },
  { page: 'inspector', captureId: 123, query: emptyQuery },
  { page: 'workbench', view: 'forwarding', rule: 2 },
  { page: 'workbench', view: 'compare', left: 'capture-1', right: 'replay-2-0' },
  {
    page: 'inspector',
    captureId: 7,
    query: { text: 'a/b?c=d&e #f “ü” 100% body:"x"' },
  },
  { page: 'transactions', network: null, view: 'home' },
  { page: 'transactions', network: 'sandbox', view: 'blocks' },
  { page: 'transactions', network: 'sandbox', view: 'send' },
  { page: 'transactions', network: 'custom-0123abcd', view: 'tx', hash: 'a/+=b%' },
  { page: 'transactions', network: 'mainnet', view: 'block', id: '(-1,8000000000000000,123)' },
  {
    page: 'transactions',
    network: 'mainnet',
    view: 'account',
    address: `0:${'a1'.repeat(32)}`,
    filter: emptyFilter,
  },
  {
    page: 'transactions',
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
  { page: 'accounts', network: null, view: 'home' },
  { page: 'accounts', network: 'sandbox', view: 'new' },
  { page: 'accounts', network: null, view: 'job', id: 12 },
  { page: 'accounts', network: 'mainnet', view: 'labels' },
]

describe('routes', () => {
  it.each(routes)('$page is read back from what was printed', (route) => {
    expect(parseRoute(printRoute(route))).toEqual(route)
  })

  it('gives a capture a link of its own', () => {
    expect(captureHref(123)).toBe('#/inspector/123')
  })

  it.each(['', '#', '#/', '#/nowhere', '#start=abc', '#/__proto__', '#/constructor/1'])(
    'leads from %j to the overview',
    (hash) => {
      expect(parseRoute(hash)).toEqual({ page: 'overview' })
    },
  )

  it('a link to the removed page of the blockchain configuration leads to the explorer’s search', () => {
    const link = parseLink('tondesk://transactions/config?network=testnet')
    const home = { page: 'transactions', network: 'testnet', view: 'home' }
    expect([parseRoute(link ?? ''), parseRoute('#/transactions/config?network=testnet')]).toEqual([
      home,
      home,
    ])
  })

  it('leads to the first tab of the sandbox where it does not know one', () => {
    expect(parseRoute('#/sandbox/__proto__?network=moon')).toEqual({
      page: 'sandbox',
      network: 'mainnet',
      tab: 'act',
    })
  })

  it('takes no network it does not know, and no number that is none', () => {
    expect(parseRoute('#/transactions/account/a?network=moon&from=x&direction=up')).toEqual({
      page: 'transactions',
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
    'does not take %s for a capture',
    (id) => {
      expect(parseRoute(`#/inspector/${id}`)).toMatchObject({ captureId: null })
    },
  )
})

it('a link that is followed is one step, though the browser tells of it twice', () => {
  const browser = Object.assign(new EventTarget(), { location: { hash: '#/overview' } })
  vi.stubGlobal('window', browser)
  const stop = startRouting()
  try {
    browser.location.hash = '#/transactions'
    browser.dispatchEvent(new Event('popstate'))
    const { route } = useRoute.getState()
    expect(route.page).toBe('transactions')
    browser.dispatchEvent(new Event('hashchange'))
    // Whoever waits for an answer would otherwise think that the person has left.
    expect(useRoute.getState().route).toBe(route)
  } finally {
    stop()
    vi.unstubAllGlobals()
  }
})
