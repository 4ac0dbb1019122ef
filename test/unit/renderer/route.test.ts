import { describe, expect, it } from 'vitest'
import type { Route } from '../../../src-renderer/route.ts'
import { captureHref, emptyQuery, parseRoute, printRoute } from '../../../src-renderer/route.ts'

const routes: Route[] = [
  { page: 'overview' },
  { page: 'settings', section: null },
  { page: 'settings', section: 'tokens' },
  { page: 'sandbox', network: 'mainnet', tab: 'act' },
  { page: 'sandbox', network: 'testnet', tab: 'act' },
  { page: 'sandbox', network: 'testnet', tab: 'deliveries' },
  { page: 'inspector', captureId: null, query: emptyQuery },
  { page: 'inspector', captureId: 123, query: emptyQuery },
  {
    page: 'inspector',
    captureId: 7,
    query: { text: 'a/b?c=d&e #f “ü” 100%', mode: 'inside', pinnedOnly: true },
  },
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

  it('leads to the first tab of the sandbox where it does not know one', () => {
    expect(parseRoute('#/sandbox/__proto__?network=moon')).toEqual({
      page: 'sandbox',
      network: 'mainnet',
      tab: 'act',
    })
  })

  it.each(['0', '-1', '1.5', '1e3', '99999999999999999', 'x'])(
    'does not take %s for a capture',
    (id) => {
      expect(parseRoute(`#/inspector/${id}`)).toMatchObject({ captureId: null })
    },
  )
})
