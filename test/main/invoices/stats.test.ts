/** Compares charts and statistics with sums of the rows by independent code. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Input, Output } from '../../../src-preload/contract/routes.ts'
import type { InvoiceTally } from '../../../src-preload/contract/invoice-stats.ts'
import type { InvoicesContext } from '../../../src-main/invoices/context.ts'
import { createStatsRoutes } from '../../../src-main/invoices/stats/stats-routes.ts'
import { type Database, openDatabase, transaction } from '../../../src-main/database/database.ts'
import { createInvoiceReader } from '../../../src-main/invoices/store/invoice-reader.ts'
import { createInvoiceTotals } from '../../../src-main/invoices/store/invoice-tallies.ts'
import { migrate } from '../../../src-main/database/migrate.ts'
import { invoiceReaderThread } from '../../../src-main/threads/threads.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { seededRandom } from '../../fixtures/seeded.ts'

const random = seededRandom(14)
const below = (limit: number) => Math.floor(random() * limit)
const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const began = Date.UTC(2025, 2, 20)
const ended = Date.UTC(2025, 10, 10)
/** The times are changes to and from daylight saving time in Berlin and in St. John’s. */
const turns = [Date.UTC(2025, 2, 30, 1), Date.UTC(2025, 9, 26, 1), Date.UTC(2025, 10, 2, 4, 30)]
const now = Date.UTC(2025, 10, 9, 12, 7, 33, 21)
const states = ['pending', 'paid', 'paid', 'paid', 'expired', 'cancelled', 'refunding']
const network = 'mainnet'

const resources = new AsyncDisposableStack()
let database: Database
let routes: ReturnType<typeof createStatsRoutes>
let gatewayStats: { total: number; pending: number; paidAmount: bigint; pendingAmount: bigint }

function moment(): number {
  // Some rows are at full quarters of an hour, where periods meet, and many are near changes of the
  // clock.
  const near =
    random() < 0.3 ? pick(turns) + below(2 * dayMs) - dayMs : began + below(ended - began)
  return random() < 0.2 ? Math.floor(near / 900_000) * 900_000 : near
}

function columns() {
  const createdAt = moment()
  const status = pick(states)
  const takes = random() < 0.5 ? below(700_000) : Math.floor(Math.exp(random() * 15) * 1000)
  return {
    status,
    confirmed_at: random() < 0.03 ? null : now,
    currency: pick(['TON', 'USDT']),
    // A few sums exceed 64 bits.
    amount: random() < 0.02 ? 2n ** 62n + BigInt(below(1e9)) : BigInt(below(2 ** 40)),
    overpayment: random() < 0.1 ? BigInt(below(1e12)) : 0n,
    created_at: createdAt,
    expires_at: now + below(40 * dayMs) - 5 * dayMs,
    // Some payments precede the creation, because the gateway’s clocks may differ.
    changed_at: random() < 0.02 ? createdAt - below(hourMs) : createdAt + takes,
  }
}

function insert(count: number, of: string): void {
  const names = Object.keys(columns())
  const statement = database.prepare(
    `INSERT INTO invoices (network, id, description, pay_to, payment_link, first_seen_at,
       first_source, raw, ${names.join(', ')})
     VALUES (?, ?, '', '0:00', '', 0, 'listing', '{}', ${names.map(() => '?').join(', ')})`,
  )
  for (let index = 0; index < count; index += 1) {
    const id = `${of}-${index}-${random()}`
    statement.run(of, id, ...Object.values(columns()))
  }
}

function change(): void {
  const keys = database
    .prepare('SELECT key FROM invoices')
    .all()
    .map((row) => Number(row['key']))
  for (let index = 0; index < 900; index += 1) {
    const key = pick(keys)
    // The change affects one column, several, or only columns without effect, which the triggers
    // must distinguish.
    const changed = Object.entries(columns()).filter(() => random() < 0.4)
    const set = ['received = received + 1', ...changed.map(([name]) => `${name} = ?`)].join(', ')
    database
      .prepare(`UPDATE invoices SET ${set} WHERE key = ?`)
      .run(...changed.map(([, value]) => value), key)
    if (random() < 0.1) database.prepare('DELETE FROM invoices WHERE key = ?').run(key)
  }
}

beforeAll(() => {
  const directory = resources.use(temporaryDirectory())
  const path = join(directory.path, 'tondesk.db')
  database = openDatabase(path, { synchronous: 'NORMAL' })
  resources.defer(() => database.close())
  migrate(database, () => undefined)
  transaction(database, () => {
    insert(3000, network)
    insert(200, 'testnet')
    change()
    insert(300, network)
  })
  const reader = createInvoiceReader(path, invoiceReaderThread, (message) => {
    throw new Error(message)
  })
  resources.defer(() => reader.close())
  const client = { stats: () => Promise.resolve({ ...gatewayStats, currency: 'TON' }) }
  const context = {
    access: {
      info: () => ({ id: network }),
      invoices: () => client,
      interest: () => new AbortController().signal,
    },
    store: { totals: createInvoiceTotals(database) },
    chainNow: () => Promise.resolve(now),
    now: () => 0,
  } as unknown as InvoicesContext
  routes = createStatsRoutes(context, reader, () => ({ appId: null, projectId: null }))
})
afterAll(() => resources.disposeAsync())

type Row = {
  status: string
  currency: 'TON' | 'USDT'
  amount: bigint
  overpayment: bigint
  createdAt: number
  expiresAt: number
  changedAt: number
}

function rows(currencies: readonly string[]): Row[] {
  const statement = database.prepare(
    `SELECT status, currency, amount, overpayment, created_at, expires_at, changed_at FROM invoices
     WHERE network = ? AND confirmed_at IS NOT NULL
       AND (? = '[]' OR currency IN (SELECT value FROM json_each(?)))`,
  )
  statement.setReadBigInts(true)
  const chosen = JSON.stringify(currencies)
  return statement.all(network, chosen, chosen).map((row) => ({
    status: row['status'] as string,
    currency: row['currency'] as Row['currency'],
    amount: row['amount'] as bigint,
    overpayment: row['overpayment'] as bigint,
    createdAt: Number(row['created_at']),
    expiresAt: Number(row['expires_at']),
    changedAt: Number(row['changed_at']),
  }))
}

const sum = (of: readonly Row[], currency: string, by: 'amount' | 'overpayment') =>
  of
    .filter((row) => row.currency === currency)
    .reduce((total, row) => total + row[by], 0n)
    .toString()

function tallyOf(all: readonly Row[], from: number, to: number): InvoiceTally {
  const created = all.filter(({ createdAt }) => createdAt >= from && createdAt < to)
  const done = all.filter(
    ({ status, changedAt }) => status !== 'pending' && changedAt >= from && changedAt < to,
  )
  const count = (of: readonly Row[], status: string) =>
    of.filter((row) => row.status === status).length
  const paid = done.filter(({ status }) => status === 'paid')
  return {
    created: created.length,
    createdPaid: count(created, 'paid'),
    paid: paid.length,
    expired: count(done, 'expired'),
    cancelled: count(done, 'cancelled'),
    volume: { TON: sum(paid, 'TON', 'amount'), USDT: sum(paid, 'USDT', 'amount') },
    overpaid: done.filter(({ overpayment }) => overpayment > 0n).length,
    overpayment: { TON: sum(done, 'TON', 'overpayment'), USDT: sum(done, 'USDT', 'overpayment') },
  }
}

const spans = {
  'whole days': { from: Date.UTC(2025, 2, 28, 23), to: Date.UTC(2025, 3, 4, 22) },
  'until a moment within a quarter': { from: now - 30 * dayMs - 12_345, to: now },
  'less than a quarter': { from: now - dayMs + 1, to: now - dayMs + 10 * minuteMs },
  'all there is': { from: 0, to: ended + 400 * dayMs },
} as const

test.each([
  ['Europe/Berlin', 'day'],
  ['Europe/Berlin', 'hour'],
  ['America/St_Johns', 'day'],
  ['Asia/Kathmandu', 'day'],
  ['Pacific/Apia', 'week'],
  ['UTC', 'month'],
] as const)(
  'in %s the steps by %s equal the sums of their rows, and add up to the totals',
  async (zone, step) => {
    const about = step === 'hour' ? [turns[0], turns[1]] : [turns[1]]
    const wide = step === 'hour' ? 3 * dayMs : 60 * dayMs
    const asked = about.map((turn = 0) => ({ from: turn - wide - 4321, to: turn + wide }))
    for (const currencies of [[], ['TON']] as const) {
      const all = rows(currencies)
      for (const span of asked) {
        const question = { network, ...span, currencies: [...currencies] }
        const { steps } = await routes['invoiceStats.series']({ ...question, step, zone })
        expect(steps[0]?.startsAt).toBe(span.from)
        expect(steps.at(-1)?.endsAt).toBe(span.to)
        for (const [index, { startsAt, endsAt, tally }] of steps.entries()) {
          expect(startsAt).toBe(steps[index - 1]?.endsAt ?? span.from)
          expect(tally).toEqual(tallyOf(all, startsAt, endsAt))
        }
        const figures = await routes['invoiceStats.totals'](question)
        expect(figures.now).toEqual(tallyOf(all, span.from, span.to))
        expect(steps.reduce((total, { tally }) => total + tally.created, 0)).toBe(
          figures.now.created,
        )
      }
    }
  },
)

test.each(Object.entries(spans))(
  'statistics of %s equal the sums of the rows, also for the period before',
  async (_, span) => {
    for (const currencies of [[], ['USDT']] as const) {
      const all = rows(currencies)
      const question = { network, ...span, currencies: [...currencies] }
      const figures = await routes['invoiceStats.totals'](question)
      expect(figures.now).toEqual(tallyOf(all, span.from, span.to))
      expect(figures.before).toEqual(tallyOf(all, 2 * span.from - span.to, span.from))

      const took = all
        .filter((row) => row.status === 'paid')
        .filter(({ changedAt }) => changedAt >= span.from && changedAt < span.to)
        .map((row) => Math.max(0, Math.trunc((row.changedAt - row.createdAt) / 1000)))
        .sort((a, b) => a - b)
      const median = took[Math.ceil(took.length / 2) - 1]
      if (median === undefined) expect(figures.medianSeconds).toBeNull()
      else {
        const isExact = median < 600
        expect(Math.abs((figures.medianSeconds ?? -1) - median)).toBeLessThanOrEqual(
          isExact ? 0 : median * 0.02,
        )
      }
      const { buckets } = await routes['invoiceStats.timeToPayment'](question)
      for (const { fromSeconds, toSeconds, count } of buckets) {
        const within = took.filter((each) => each >= fromSeconds && each < (toSeconds ?? Infinity))
        expect(count.TON + count.USDT).toBe(within.length)
      }
    }
  },
)

test('open amounts by expiry are divided exactly at the present time', async () => {
  const pending = rows([]).filter(({ status }) => status === 'pending')
  const { steps } = await routes['invoiceStats.openByExpiry']({ network, currencies: [] })
  expect(steps[0]).toMatchObject({ from: null, to: now })
  expect(steps.at(-1)).toMatchObject({ to: null })
  for (const { from, to, count, amount } of steps) {
    const due = pending.filter(
      ({ expiresAt }) => expiresAt >= (from ?? 0) && expiresAt < (to ?? Infinity),
    )
    expect(count).toBe(due.length)
    expect(amount).toEqual({ TON: sum(due, 'TON', 'amount'), USDT: sum(due, 'USDT', 'amount') })
  }
  const question = { network, from: now - dayMs, to: now, currencies: [] }
  const { open } = await routes['invoiceStats.totals'](question)
  expect(open).toEqual({
    count: pending.length,
    amount: { TON: sum(pending, 'TON', 'amount'), USDT: sum(pending, 'USDT', 'amount') },
    withinHour: pending.filter(({ expiresAt }) => expiresAt >= now && expiresAt < now + hourMs)
      .length,
  })
})

test('the gateway’s statistics are compared with the ledger’s to the last unit', async () => {
  const compare = async (): Promise<Output<'invoiceStats.gateway'>[number] | undefined> => {
    const input: Input<'invoiceStats.gateway'> = { network }
    return (await routes['invoiceStats.gateway'](input))[0]
  }
  const all = rows(['TON'])
  const of = (status: string) => all.filter((row) => row.status === status)
  gatewayStats = {
    total: all.length,
    pending: of('pending').length,
    paidAmount: BigInt(sum(of('paid'), 'TON', 'amount')),
    pendingAmount: BigInt(sum(of('pending'), 'TON', 'amount')),
  }
  expect(await compare()).toMatchObject({ currency: 'TON', agrees: true })
  gatewayStats = { ...gatewayStats, paidAmount: gatewayStats.paidAmount + 1n }
  expect(await compare()).toMatchObject({ agrees: false })
})

test('the tables of sums are empty after all invoices are deleted', () => {
  const left = database.prepare('DELETE FROM invoices')
  transaction(database, () => left.run())
  for (const table of ['totals', 'created', 'ended', 'due', 'payment_times']) {
    expect(database.prepare(`SELECT * FROM invoice_${table}`).all()).toEqual([])
  }
})
