/**
 * Tests values of payments at the gateway's rates: arithmetic, the nearest rate, and the number of
 * requests.
 */
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src-main/database/database.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { ratesChartResponse } from '../../../src-main/gateway/query-responses.ts'
import type { QueryClient } from '../../../src-main/gateway/query.ts'
import { fiatCells } from '../../../src-main/invoices/export/fiat-cells.ts'
import { createFiat, windowsOf } from '../../../src-main/invoices/fiat/fiat-rates.ts'
import { describeFiat } from '../../../src-main/invoices/fiat/fiat-view.ts'
import { createInvoiceStore } from '../../../src-main/invoices/store/invoice-store.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import {
  fiatValue,
  nearestPoint,
  reachMs,
  toDecimalText,
} from '../../../src-preload/domain/fiat.ts'

// Multiplying doubles, or truncating, would be a cent off.
test.each([
  [1_000_000_000n, 9, '5.005', 'USD', '5.01'],
  [1_000_000_000n, 9, '5.0049999999999999', 'USD', '5.00'],
  [1n, 9, '5', 'USD', '0.00'],
  [1_500_000n, 6, '1', 'JPY', '2'],
  [9_223_372_036_854_775_807n, 9, '3.1', 'EUR', '28592453314.25'],
  [123_456_789n, 6, '0.9166666666666666', 'EUR', '113.17'],
] as const)(
  '%d units with %d decimals at a rate of %s %s are worth %s',
  (units, decimals, rate, fiat, value) => {
    expect(fiatValue(units, decimals, rate, fiat)).toBe(value)
  },
)

test('a rate becomes a decimal without an exponent, and invalid prices are omitted', () => {
  const texts = [1e-7, 5.1234, 1e21, '2.50', 12n, 0, -1, null, 'NaN', '1e999999']
  expect(texts.map(toDecimalText)).toEqual([
    ...['0.0000001', '5.1234', '1000000000000000000000', '2.5', '12'],
    ...[null, null, null, null, null],
  ])
  const points = [[1_700_000_000, 2.5], [1_700_000_060, null], 'odd', [1_700_000_120, 3, 'more']]
  expect(ratesChartResponse.parse({ points })).toEqual([
    { at: 1_700_000_000_000, rate: '2.5' },
    { at: 1_700_000_120_000, rate: '3' },
  ])
  expect(ratesChartResponse.parse({ points: null })).toEqual([])
})

test('the nearest rate is used in any order, unless it is too far away', () => {
  const points = [30, 10, 20].map((at) => ({ at, rate: String(at) }))
  expect([0, 14, 15, 26, 99].map((at) => nearestPoint(points, at)?.at)).toEqual([
    ...[10, 10, 10, 30, 30],
  ])
  expect(nearestPoint(points, 31 + reachMs)).toBe(null)
  expect(nearestPoint([], 0)).toBe(null)
})

test('times within a week share a request', () => {
  const day = 24 * 3_600_000
  expect(windowsOf([9 * day, 0, day, day, 7 * day])).toEqual([[0, day, 7 * day], [9 * day]])
})

describe('cells of a file', () => {
  const fiat = { currency: 'USD', problems: { USDT: 'It is off.' } } as const
  const ton = { currency: 'TON', amount: 1_500_000_000n } as const
  const times = { print: String }
  const known = describeFiat(fiat, ton, { rate: '3.333', rateAt: 7 })

  test('the cells for several payments contain the sum of the rounded values', () => {
    expect(fiatCells([known, known, null], times)).toEqual({
      fiat_value: '10.00',
      fiat_currency: 'USD',
      fiat_rate: '3.333 3.333',
      fiat_rate_at: '7 7',
      fiat_source: 'gateway',
    })
    expect(fiatCells([null], times)).toMatchObject({ fiat_value: null, fiat_currency: null })
  })

  // A sum without one of its payments would look complete.
  test('the cells for a payment without a value contain no sum and state the reason', () => {
    const usdt = { currency: 'USDT', amount: 1n } as const
    const sources = [
      describeFiat(fiat, ton, { rate: null, rateAt: null }),
      describeFiat(fiat, ton, null),
      describeFiat(fiat, usdt, null),
    ].map((unknown) => fiatCells([known, unknown], times))
    expect(sources.map((cells) => cells.fiat_value)).toEqual([null, null, null])
    expect(sources.map((cells) => cells.fiat_source)).toEqual([
      'unknown: The gateway has no rate in USD near the payment’s time.',
      'unknown: The rate is not loaded yet.',
      'unknown: The rate could not be loaded: It is off.',
    ])
    expect(sources[0]).toMatchObject({ fiat_rate: '3.333 none', fiat_rate_at: '7 none' })
  })
})

type Span = Parameters<QueryClient['ratesChart']>[0]

function openFiat() {
  const database = openDatabase(':memory:')
  migrate(database, () => undefined)
  const store = createInvoiceStore(database)
  const asked: Span[] = []
  const running: Promise<void>[] = []
  const world = {
    fiat: null as 'USD' | 'EUR' | null,
    now: 1_800_000_000_000,
    rate: (() => '2') as (span: Span) => string | null,
  }
  const ratesChart = (span: Span) => {
    asked.push(span)
    const rate = world.rate(span)
    return Promise.resolve(rate === null ? [] : [{ at: span.from + reachMs, rate }])
  }
  const context = {
    store,
    now: () => world.now,
    onBug: (error: unknown) => expect.unreachable(String(error)),
    settings: { get: () => ({ reports: { fiatCurrency: world.fiat } }) },
    networks: { state: () => ({ networks: [{ id: 'mainnet' }] }) },
    access: { info: () => ({ kind: 'mainnet' }), query: () => ({ ratesChart }) },
  }
  const parts = {
    changes: { payments: () => undefined, invoices: () => undefined },
    clock: { now: () => world.now },
    requests: {
      isRunning: () => false,
      start(_network: string, { run }: { run: (signal: AbortSignal) => Promise<void> }) {
        const done = run(new AbortController().signal)
        running.push(done)
        return done
      },
    },
  }
  const fiat = createFiat(
    context as unknown as Parameters<typeof createFiat>[0],
    parts as unknown as Parameters<typeof createFiat>[1],
  )
  let lt = 0n
  return {
    asked,
    world,
    fiat,
    store,
    database,
    pay: (at: number, currency: 'TON' | 'USDT' = 'TON') => {
      lt += 1n
      store.payments.add('mainnet', {
        account: '0:0',
        hash: String(lt),
        lt,
        at,
        currency,
        amount: 1n,
        payer: '0:1',
        comment: null,
        commentKey: null,
      })
    },
    rateAt: (at: number, asset: 'TON' | 'USDT' = 'TON') =>
      store.fiatRates.get({ network: 'mainnet', asset, fiat: world.fiat ?? 'USD' }, at),
    tick: async () => {
      fiat.tick()
      await Promise.all(running.splice(0))
    },
  }
}

test('no rates are requested without a currency, and one request serves many payments', async () => {
  const { asked, world, fiat, pay, rateAt, tick } = openFiat()
  const begin = world.now - 3 * 24 * 3_600_000
  for (let index = 0; index < 3000; index += 1) pay(begin + index * 60_000)
  await tick()
  expect([asked, fiat.chosen('mainnet')]).toEqual([[], null])

  world.fiat = 'USD'
  await tick()
  await tick()
  expect(asked).toEqual([
    { token: 'ton', currency: 'USD', from: begin - reachMs, to: begin + 2999 * 60_000 + reachMs },
  ])
  expect(rateAt(begin + 60_000)).toEqual({ rate: '2', rateAt: begin })
  // The gateway's only rate is too far away.
  expect(rateAt(begin + reachMs + 60_000)).toEqual({ rate: null, rateAt: null })

  // New payments wait for a common request, which does not reach into the future.
  pay(world.now)
  pay(world.now - 60_000)
  await tick()
  expect(asked).toHaveLength(1)
  world.now += 60_000
  await tick()
  await tick()
  expect(asked.slice(1)).toMatchObject([{ to: world.now }])
})

test('rates that the gateway refused are requested again later, and the other asset still has its rates', async () => {
  const { asked, world, fiat, pay, rateAt, tick } = openFiat()
  world.fiat = 'EUR'
  world.rate = ({ token }) => {
    if (token !== 'ton') return '1'
    throw new AppError('GATEWAY', 'It responded 404.')
  }
  const [ton, usdt] = [world.now - 20, world.now - 10]
  pay(ton)
  pay(usdt, 'USDT')
  await tick()
  await tick()
  expect(fiat.chosen('mainnet')).toMatchObject({ problems: { TON: 'It responded 404.' } })
  expect([asked.length, rateAt(ton), rateAt(usdt, 'USDT')?.rate]).toEqual([2, null, '1'])
  world.rate = () => '4'
  world.now += 10 * 60_000
  await tick()
  await tick()
  expect([asked.length, rateAt(ton)?.rate]).toEqual([3, '4'])
  expect(fiat.chosen('mainnet')?.problems.TON).toBe(undefined)
})

// The keys of deleted payments are used again, so a cache by key would leave the new payments without a rate.
test('payments stored after a network was deleted have their rates', async () => {
  const { world, fiat, store, pay, rateAt, tick } = openFiat()
  world.fiat = 'USD'
  for (const at of [1, 2, 3]) pay(world.now - at)
  await tick()
  while (store.payments.forgetSome('mainnet') || store.fiatRates.forgetSome('mainnet')) continue
  fiat.forget()
  pay(world.now - 9)
  await tick()
  expect([rateAt(world.now - 1), rateAt(world.now - 9)?.rate]).toEqual([null, '2'])
})
