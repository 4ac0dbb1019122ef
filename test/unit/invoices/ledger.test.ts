/** Tests changes of invoices, claims of deliveries, and reading a list that shifts meanwhile. */
import { describe, expect, test } from 'vitest'
import type { Network } from '../../../src-preload/contract/network.ts'
import type { InvoiceEntry } from '../../../src-main/gateway/invoice-responses.ts'
import type { InvoiceQuestion, InvoicesClient } from '../../../src-main/gateway/invoices.ts'
import {
  type Ledger,
  changesBetween,
  createLedger,
  isOlder,
  isKnownState,
  outcomeOf,
} from '../../../src-main/invoices/ledger/ledger.ts'
import type { InvoicesContext } from '../../../src-main/invoices/context.ts'
import { formatEvent } from '../../../src-main/invoices/ledger/invoice-routes.ts'
import { networksOf, parseClaim } from '../../../src-main/invoices/sync/deliveries.ts'
import { createMissBudget } from '../../../src-main/invoices/sync/reported-invoices.ts'
import {
  commentOf,
  fromGateway,
  toUnconfirmedInvoice,
} from '../../../src-main/invoices/ledger/gateway-invoice.ts'
import { createReadList, readSyncState } from '../../../src-main/invoices/sync/read-list.ts'
import { dueAt } from '../../../src-main/invoices/sync/schedule.ts'

const seen = (status: string, changedAt: number, overpayment = 0n) => ({
  status,
  changedAt,
  overpayment,
})
const word = (status: string, changedAt: number | null, overpayment: bigint | null = null) => ({
  status,
  changedAt,
  overpayment,
})

describe('a response with an invoice', () => {
  test('an older response changes nothing; in the same second a final state prevails, except over a later request', () => {
    expect(isOlder(seen('pending', 1000), seen('paid', 2000), true)).toBe(true)
    expect(isOlder(seen('pending', 1000), seen('paid', 1000), false)).toBe(true)
    expect(isOlder(seen('paid', 1000), seen('pending', 1000), false)).toBe(false)
    expect(isOlder(seen('paid', 1000, 3n), seen('paid', 1000, 5n), false)).toBe(true)
    expect(isOlder(seen('paid', 1000, 3n), seen('paid', 1000, 5n), true)).toBe(false)
    expect(isOlder(seen('settling', 1000), seen('paid', 1000), false)).toBe(true)
  })

  test('a response is recorded change by change, even if the first response shows the final state', () => {
    expect(changesBetween(null, seen('expired', 2000, 7n))).toEqual([
      { kind: 'created' },
      { kind: 'status', from: 'pending', to: 'expired' },
      { kind: 'overpayment', from: 0n, to: 7n },
    ])
    expect(changesBetween(seen('paid', 1), seen('paid', 1))).toEqual([])
  })
})

describe('a delivery with an invoice', () => {
  const paid = seen('paid', 2000, 5n)

  test('a repeated or late delivery is no news, and a delivery with more or later information is', () => {
    expect(isKnownState(word('paid', 2000, 5n), paid)).toBe(true)
    expect(isKnownState(word('paid', null), paid)).toBe(true)
    expect(isKnownState(word('pending', null), paid)).toBe(true)
    expect(isKnownState(word('cancelled', 1000), paid)).toBe(true)
    expect(isKnownState(word('paid', 2000, 6n), paid)).toBe(false)
    expect(isKnownState(word('paid', 3000), paid)).toBe(false)
    expect(isKnownState(word('expired', 2000), paid)).toBe(false)
  })

  test("a delivery is confirmed, stale or contradicted by the gateway's response", () => {
    expect(outcomeOf(word('paid', 2000), paid)).toBe('confirmed')
    expect(outcomeOf(word('pending', 1000), paid)).toBe('stale')
    expect(outcomeOf(word('paid', 3000), seen('pending', 1000))).toBe('differs')
    expect(outcomeOf(word('paid', 2000, 9n), paid)).toBe('differs')
  })

  test('the claim of a delivery contains only valid fields', () => {
    const body = (fields: object) => JSON.stringify({ id: 'a1', status: 'paid', ...fields })
    const whole = {
      amount: '5',
      date_create: 1_700_000_000_123,
      date_expire: 1_700_000_600,
      date_change: 1_700_000_300,
      payment_link: 'https://app.tonkeeper.com/transfer/UQ?text=a1',
      pay_to_address: `0:${'AB'.repeat(32)}`,
    }
    const claim = parseClaim(body(whole))
    expect(claim).toMatchObject({ id: 'a1', changedAt: 1_700_000_300_000, overpayment: null })
    expect(claim?.entry).toMatchObject({ createdAt: 1_700_000_000_123, currency: 'TON' })
    expect(parseClaim(body({}))).toEqual({
      id: 'a1',
      status: 'paid',
      changedAt: null,
      overpayment: null,
      entry: null,
    })
    for (const id of ['token', 'App', '../x', '', 'a b', 7]) {
      expect(parseClaim(body({ ...whole, id }))).toBeNull()
    }
    expect(parseClaim('[1]')).toBeNull()
    const entry = claim?.entry as InvoiceEntry
    expect(fromGateway(entry)).toMatchObject({ payTo: `0:${'ab'.repeat(32)}`, comment: 'a1' })
    expect(toUnconfirmedInvoice(entry)).toMatchObject({ paymentLink: '', comment: null })
  })

  test('a delivery belongs to the network with its invoice, else to networks with an invoice key, the selected network first', () => {
    const one = (id: string, isAskable: boolean, hasConsole = true) =>
      ({
        id,
        kind: 'custom',
        name: id,
        problem: null,
        urls: { console: hasConsole ? 'https://x' : null },
        secrets: { invoices: isAskable ? { present: true } : null },
      }) as unknown as Network
    const all = [one('a', false), one('b', true), one('c', true), one('none', false, false)]
    expect(networksOf((id) => id === 'a', all, 'c')).toEqual(['a', 'c', 'b'])
    expect(networksOf(() => false, all, 'none')).toEqual(['b', 'c', 'a'])
  })
})

test('a response for a network that was replaced during the request is not stored', async () => {
  const response = Promise.withResolvers<unknown>()
  const written: string[] = []
  const record = () => {
    written.push('a row')
    return []
  }
  const parts = {
    access: { invoices: () => ({ get: () => response.promise }) },
    store: { rows: { find: () => null }, transaction: record },
    now: () => 0,
  }
  const ledger = createLedger(
    parts as unknown as InvoicesContext,
    { isRead: () => false, uncounted: () => new Map() },
    { reconcile: () => undefined, notify: () => undefined },
  )
  // The second time has the same result.
  ledger.forget('shop')
  const [replaced, kept] = [
    ledger.fetch('shop', 'a1', 'fetch'),
    ledger.fetch('other', 'a1', 'fetch'),
  ]
  ledger.forget('shop')
  response.resolve({ id: 'a1', paymentLink: '', payTo: '', paidBy: null })
  await expect(replaced).rejects.toMatchObject({ code: 'NETWORK_UNAVAILABLE' })
  expect(await kept).toBeNull()
  expect(written).toEqual(['a row'])
})

test('the comment of an invoice is the text of its payment link, or null', () => {
  expect(commentOf('https://app.tonkeeper.com/transfer/UQ?amount=1&text=order%2042')).toBe(
    'order 42',
  )
  expect(commentOf('ton://transfer/UQ?text=x')).toBe('x')
  expect(commentOf('https://app.tonkeeper.com/transfer/UQ?amount=1')).toBeNull()
  expect(commentOf('no link')).toBeNull()
})

const formatted = (event: Parameters<typeof formatEvent>[0]) =>
  formatEvent(event, (account) => `<${account}>`)

test('the event of a payment names the payer like other accounts', () => {
  const detail = { amount: '1', currency: 'TON', payer: '0:aa' }
  expect(formatted({ kind: 'payment', source: 'chain', detail })).toBe(
    '0.000000001 TON arrived on the chain from <0:aa>.',
  )
  expect(formatted({ kind: 'linked', source: 'person', detail })).toContain(
    ' from <0:aa> was linked',
  )
})

test('events of an invoice are described in sentences, including undocumented states and times', () => {
  const rest = { at: 0, seenAt: 0, capture: null, transaction: null }
  const created = { amount: '1500000000', currency: 'TON', status: 'pending' }
  expect(formatted({ ...rest, kind: 'created', source: 'listing', detail: created })).toBe(
    'Created for 1.5 TON; in the gateway’s list.',
  )
  const odd = { from: 'pending', to: 'settling' }
  expect(formatted({ ...rest, kind: 'status', source: 'webhook', detail: odd })).toBe(
    '“settling”; checked with the gateway after a delivery.',
  )
  const over = { from: '1000000', to: '2500000', currency: 'USDT' }
  expect(formatted({ ...rest, kind: 'overpayment', source: 'fetch', detail: over })).toBe(
    'The gateway counts an overpayment of 2.5 USDT (1 USDT before); checked with the gateway.',
  )
})

test('requests for unknown invoices are limited to a few per second', () => {
  let at = 0
  const budget = createMissBudget(() => at)
  let asked = 0
  const askAll = () => {
    for (; budget.waitMs() === 0; asked += 1) budget.missed()
  }
  askAll()
  at = 10_000
  askAll()
  expect(asked).toBeLessThanOrEqual(201)
  expect(asked).toBeGreaterThan(150)
})

test('a failed sync is retried with growing delays, a slow sync runs less often, and the sandbox is retried soon', () => {
  const tried = { endedAt: 1_000_000, tookMs: 0, failures: 0 }
  expect(dueAt(tried, true)).toBe(1_060_000)
  expect(dueAt({ ...tried, tookMs: 20_000 }, true)).toBe(1_200_000)
  expect(dueAt({ ...tried, failures: 20 }, true)).toBe(1_600_000)
  expect(dueAt({ ...tried, failures: 20 }, true, true)).toBe(1_005_000)
})

describe('a list of invoices that shifts while it is read', () => {
  const network = 'sandbox'

  /** Simulates a gateway that returns short pages, and whose list the test changes between two pages. */
  function shop(ids: string[], most: number, afterPage: (page: number, ids: string[]) => void) {
    const read = new Set<string>()
    let pages = 0
    const client = {
      list({ offset = 0, limit = 100 }: InvoiceQuestion) {
        const some = ids.slice(offset, offset + Math.min(limit, most))
        const invoices = some.map((id) => ({ id, createdAt: Number(id), status: 'paid' }))
        const count = ids.length
        afterPage((pages += 1), ids)
        return Promise.resolve({ invoices, unread: [], count })
      },
    } as unknown as InvoicesClient
    const context = { access: { invoices: () => client }, store: { rows: {} }, now: () => 0 }
    const ledger = {
      record: (_network: string, entries: readonly InvoiceEntry[]) =>
        entries.forEach(({ id }) => read.add(id)),
      fetch: () => Promise.resolve(null),
      missing: () => undefined,
    }
    const list = createReadList(
      context as unknown as InvoicesContext,
      ledger as unknown as Ledger,
      () => ({ appId: null, projectId: null }),
    )
    const signal = new AbortController().signal
    const reading = { asking: { signal }, onRead: () => undefined, onUnread: () => undefined }
    return {
      read,
      async all() {
        let state = readSyncState(undefined)
        do state = await list.full(network, state, reading)
        while (state.full !== null)
      },
      newest: (listedTo: number | null) =>
        list.newest(network, { ...readSyncState(undefined), listedTo }, reading),
    }
  }

  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => String(from + index))

  test('a full sync reads every invoice although some vanish, others appear and pages are short', async () => {
    const ids = numbered(0, 3000)
    const gateway = shop(ids, 300, (page, all) => {
      // Thirty invoices that were already read disappear, so later invoices move before the page's beginning.
      if (page === 3) all.splice(0, 30)
      if (page === 5) all.push('9000')
    })
    await gateway.all()
    expect(numbered(0, 3000).filter((id) => !gateway.read.has(id))).toEqual([])
    expect(gateway.read.has('9000')).toBe(true)
  })

  test('a sync of the newest invoices continues to the last listed time, across invoices that are stored already', async () => {
    const ids = numbered(0, 2000)
      .map((id) => String(Number(id) * 1000))
      .reverse()
    const gateway = shop(ids, 1000, () => undefined)
    const state = await gateway.newest(1_500_000)
    expect(state.listedTo).toBe(1_999_000)
    expect(gateway.read.has('1500000')).toBe(true)
    expect(gateway.read.has('1000')).toBe(false)
  })

  test('a shop that was empty at its first sync loses no invoice at its next sync', async () => {
    const ids: string[] = []
    const gateway = shop(ids, 1000, () => undefined)
    const { listedTo } = await gateway.newest(null)
    ids.push(...numbered(0, 2500).reverse())
    await gateway.newest(listedTo)
    expect(gateway.read.size).toBe(2500)
  })
})

test('a sync state of another version, or no state, starts from the beginning', () => {
  expect(readSyncState('{"listedTo":"soon"}').listedTo).toBeNull()
  expect(readSyncState('{').full).toBeNull()
})
