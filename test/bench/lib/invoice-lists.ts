/** Measures lists, statistics and charts over many invoices, by the routes of the product. */
import { dataPaths } from '../../../src-main/app/paths.ts'
import { openDatabase, transaction } from '../../../src-main/database/database.ts'
import { createInvoiceStore } from '../../../src-main/invoices/store/invoice-store.ts'
import type { GatewayInvoice } from '../../../src-main/invoices/store/invoice-rows.ts'
import type { Input, Output } from '../../../src-preload/contract/routes.ts'
import { type Figure, median } from './stats.ts'
import type { Product } from './product.ts'

export type ListBench = {
  readonly product: Product
  readonly dataDirectory: string
  readonly network: string
  /** The number of rounds, whose median is reported. */
  readonly times: number
}

type Asked = Input<'invoice.page'>
type Filter = NonNullable<Asked['filter']>

export const listMs = 250
const chartMs = 250
const dayMs = 86_400_000
const sorts = [
  'id',
  'status',
  'amount',
  'received',
  'overpayment',
  'description',
  'payer',
  'created',
  'expires',
  'changed',
] as const

/** Each round has its own filter, so that no cached result of the previous round is used. */
function filtersOf(round: number, now: number): Readonly<Record<string, Filter>> {
  const exact = String(round + 1).padStart(6, '0')
  const from = now - 500 * dayMs - round
  return {
    'one state': { statuses: ['paid', `other-${round}`] },
    'one currency': { currencies: ['TON'], amountTo: `999999.${exact}` },
    'created in a period': { period: { by: 'created', from, to: now - 100 * dayMs } },
    'ended in a period': { period: { by: 'ended', from, to: now - 100 * dayMs } },
    'expires in a period': { period: { by: 'expires', from: now - 30 * dayMs - round, to: null } },
    amounts: { amountFrom: `4.${exact}`, amountTo: `80.${exact}` },
    overpaid: { overpaid: true, amountTo: `999999.${exact}` },
    'needs attention': { matter: 'any', amountTo: `999999.${exact}` },
    'paid within': { paidWithin: { from: 60, to: 301 + round } },
    'a word': { text: ['order', 'hosting', 'premium', 'customer', 'video'][round % 5] ?? '' },
    'a word that is nowhere': { text: `nowhere${round}` },
    'one letter': { text: 'abcdefghij'[round % 10] ?? '' },
    'an id': { text: `9e3779b${round % 10}` },
    'a part of a payer': { text: `a${round}b${round}c${round}d${round}e` },
    'two words': { text: `${'pqrst'[round % 5]}o 1${round}` },
    'a word of another script': { text: ['заказ', 'оплата', 'счёт', 'доставка'][round % 4] ?? '' },
    'everything at once': {
      statuses: ['paid', 'expired'],
      currencies: ['TON'],
      period: { by: 'created', from, to: null },
      amountFrom: `1.${exact}`,
      text: 'box',
    },
  }
}

export async function measureRoutes(bench: ListBench): Promise<Figure[]> {
  const page = (asked: Omit<Asked, 'network' | 'limit'>) =>
    took(() =>
      bench.product.request('invoice.page', { network: bench.network, limit: 100, ...asked }),
    )
  const figures: Figure[] = []
  const rounds = Array.from({ length: bench.times }, (_, round) => round)
  const total = (
    await bench.product.request<Output<'invoice.page'>>('invoice.page', {
      network: bench.network,
      limit: 1,
    })
  ).total

  const opens = await inTurn(rounds, async () => {
    touchInvoice(bench)
    return page({})
  })
  figures.push(
    durationFigure('`invoice.page`, the first rows after a change', median(opens), listMs),
  )

  const orders = await slowest(sorts, async (by) => {
    const places: number[] = []
    for (const descending of [true, false]) {
      const sort = { by, descending }
      const half = await bench.product.request<Output<'invoice.page'>>('invoice.page', {
        network: bench.network,
        sort,
        skip: Math.floor(total / 2),
        limit: 1,
      })
      for (const from of [
        { after: null },
        { after: half.after },
        { before: half.before },
        { before: null },
      ]) {
        places.push(median(await inTurn(rounds, () => page({ from, sort }))))
      }
    }
    return Math.max(...places)
  })
  figures.push(
    durationFigure(
      `\`invoice.page\`, slowest order at any place (${orders.name})`,
      orders.ms,
      listMs,
    ),
  )

  const names = Object.keys(filtersOf(0, 0))
  const filters = await slowest(names, async (name) =>
    median(
      await inTurn(rounds, (round) => {
        touchInvoice(bench)
        return page({ filter: filtersOf(round, Date.now())[name] })
      }),
    ),
  )
  figures.push(
    durationFigure(`\`invoice.page\`, slowest new filter (${filters.name})`, filters.ms, listMs),
  )

  const pairs = names.flatMap((name) => sorts.map((by) => ({ name, by })))
  const deep = await slowest(pairs, async ({ name, by }) => {
    const filter = filtersOf(0, 1.76e12)[name]
    const sort = { by, descending: true }
    const first = await bench.product.request<Output<'invoice.page'>>('invoice.page', {
      network: bench.network,
      filter,
      sort,
      limit: 100,
    })
    return page({ from: { after: first.after }, filter, sort })
  })
  const pair = `${deep.name.name} by ${deep.name.by}`
  figures.push(
    durationFigure(
      `\`invoice.page\`, second page, slowest filter and order (${pair})`,
      deep.ms,
      listMs,
    ),
  )
  return figures
}

export async function measureCharts({ product, network, times }: ListBench): Promise<Figure[]> {
  const to = Date.now()
  const span = { network, from: to - 729 * dayMs, to }
  const zone = 'Europe/Berlin'
  const year = { ...span, from: to - 399 * dayMs }
  const charts: readonly (readonly [string, string, object])[] = [
    ['figures of two years', 'invoiceStats.totals', span],
    ['400 days', 'invoiceStats.series', { ...year, step: 'day', zone }],
    ['two years by weeks', 'invoiceStats.series', { ...span, step: 'week', zone }],
    ['two years by months', 'invoiceStats.series', { ...span, step: 'month', zone }],
    ['time to payment, two years', 'invoiceStats.timeToPayment', span],
    ['open by expiry', 'invoiceStats.openByExpiry', { network }],
  ]
  const rounds = Array.from({ length: times }, (_, round) => round)
  return inTurn(charts, async ([name, route, input]) => {
    const ms = median(await inTurn(rounds, () => took(() => product.request(route, input))))
    return durationFigure(`\`${route}\`: ${name}`, ms, chartMs)
  })
}

/** Measures how long a page of the gateway's list blocks the main thread. */
export function measureWrites({ dataDirectory, times }: Omit<ListBench, 'product'>): Figure[] {
  const database = openDatabase(dataPaths(dataDirectory).database)
  try {
    const store = createInvoiceStore(database)
    const network = 'testnet'
    const inserts: number[] = []
    const updates: number[] = []
    for (let round = 0; round < times; round += 1) {
      const told = Array.from({ length: 1000 }, (_, index) => toldOf(round * 1000 + index))
      const sighting = { at: 0, source: 'listing', confirmedAt: 1, reportedStatus: null } as const
      const keys: number[] = []
      const write = (work: () => void) => {
        const from = performance.now()
        transaction(database, work)
        return performance.now() - from
      }
      inserts.push(
        write(() => keys.push(...told.map((each) => store.rows.insert(network, each, sighting)))),
      )
      updates.push(
        write(() => {
          for (const [index, each] of told.entries()) {
            const paid = { ...each, status: 'paid', changedAt: each.changedAt + index * 1000 }
            store.rows.update(keys[index] ?? 0, { ...paid, paidBy: addressOf(index * 7919) }, 2)
          }
        }),
      )
    }
    transaction(database, () => database.exec(`DELETE FROM invoices WHERE network = '${network}'`))
    return [
      { name: '1,000 new invoices written in one transaction', value: inMs(median(inserts)) },
      { name: '1,000 of them paid, in one transaction', value: inMs(median(updates)) },
    ]
  } finally {
    database.close()
  }
}

function toldOf(number: number): GatewayInvoice {
  const createdAt = Date.UTC(2025, 0, 1) + number * 1000
  const mixed = Math.imul(number + 1, 0x9e37_79b1) >>> 0
  const id = `w${mixed.toString(16)}`
  return {
    id,
    status: 'pending',
    currency: number % 2 === 0 ? 'TON' : 'USDT',
    amount: BigInt(mixed),
    overpayment: 0n,
    description: `Order ${mixed}: something`,
    payTo: addressOf(1),
    paidBy: null,
    paymentLink: `https://app.tonkeeper.com/transfer/${addressOf(1)}?amount=${mixed}&text=${id}`,
    comment: id,
    createdAt,
    expiresAt: createdAt + dayMs,
    changedAt: createdAt,
    raw: JSON.stringify({ id, status: 'pending', filler: 'x'.repeat(350) }),
  }
}

function addressOf(number: number): string {
  return `0:${(Math.imul(number, 0x9e37_79b1) >>> 0).toString(16).padStart(8, '0').repeat(8)}`
}

/**
 * Touches an invoice as a change would: sort orders are read again, and filters are checked for
 * this invoice.
 */
export function touchInvoice({
  dataDirectory,
  network,
}: Pick<ListBench, 'dataDirectory' | 'network'>): void {
  const database = openDatabase(dataPaths(dataDirectory).database, { synchronous: 'NORMAL' })
  try {
    database
      .prepare(
        `UPDATE invoices SET received = received + 1
         WHERE key = (SELECT key FROM invoices WHERE network = ? LIMIT 1)`,
      )
      .run(network)
  } finally {
    database.close()
  }
}

async function inTurn<T, R>(of: readonly T[], work: (each: T) => R | Promise<R>): Promise<R[]> {
  const found: R[] = []
  for (const each of of) found.push(await work(each))
  return found
}

async function slowest<T>(
  of: readonly T[],
  work: (each: T) => Promise<number>,
): Promise<{ readonly name: T; readonly ms: number }> {
  const all = await inTurn(of, async (name) => ({ name, ms: await work(name) }))
  const sorted = all.toSorted((a, b) => b.ms - a.ms)
  for (const { name, ms } of sorted.slice(0, 5)) {
    process.stderr.write(`${JSON.stringify(name)}: ${inMs(ms)}\n`)
  }
  const [first] = sorted
  if (first === undefined) throw new Error('There is nothing to measure.')
  return first
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const inMs = (value: number) => `${value.toFixed(0)} ms`

export const durationFigure = (name: string, value: number, limit: number): Figure => ({
  name,
  value: inMs(value),
  wanted: `< ${limit} ms`,
  met: value < limit,
})
