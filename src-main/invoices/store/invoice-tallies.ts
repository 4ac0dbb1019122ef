import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { Database } from '../../database/database.ts'
import { invoiceCurrencies } from '../../../src-preload/domain/invoice-words.ts'

export type Amounts = Readonly<Record<InvoiceCurrency, bigint>>

/** What a span adds up to; see `invoiceTally` of the contract. */
export type Tally = {
  readonly created: number
  readonly createdPaid: number
  readonly paid: number
  readonly expired: number
  readonly cancelled: number
  readonly volume: Amounts
  readonly overpaid: number
  readonly overpayment: Amounts
}

type Due = { readonly count: number; readonly amount: Amounts }

/** So many took so long; `seconds` is the least that is in the bucket. */
export type PaymentTime = {
  readonly currency: InvoiceCurrency
  readonly seconds: number
  readonly count: number
}

/** Spans from each moment to the next, milliseconds; an empty list of currencies is any. */
export type TalliesAsked = {
  readonly network: string
  readonly currencies: readonly InvoiceCurrency[]
  readonly bounds: readonly number[]
}

export type SpanAsked = {
  readonly network: string
  readonly currencies: readonly InvoiceCurrency[]
  readonly from: number
  readonly to: number
}

/** Before the first moment, from each to the next, and after the last. */
export type DueAsked = TalliesAsked

/** Rollups are kept by quarters of an hour: those begin together in every time zone of today. */

const quarterMs = 900_000

type Span = { readonly from: number; readonly to: number }

type Split = {
  /** Whole quarters within it, the second not included; null for none. */
  readonly quarters: Span | null
  /** What is left of it at both ends, milliseconds: to be counted by the rows themselves. */
  readonly edges: readonly Span[]
}

/** Pure. */
function splitSpan({ from, to }: Span): Split {
  if (from >= to) return { quarters: null, edges: [] }
  const first = Math.ceil(from / quarterMs)
  const last = Math.floor(to / quarterMs)
  if (first >= last) return { quarters: null, edges: [{ from, to }] }
  const edges = [
    { from, to: first * quarterMs },
    { from: last * quarterMs, to },
  ]
  return { quarters: { from: first, to: last }, edges: edges.filter((edge) => edge.from < edge.to) }
}

/**
 * How long payment took, in buckets: the seconds themselves below ten minutes, and above each
 * doubling of ten minutes divided into 128, so that none is wider than 0.8 % of what is in it. The
 * triggers of migration 0014 reckon the same.
 */

const exactSeconds = 600
const parts = 128

/** The least number of whole seconds that a bucket holds. */
function startOfBucket(bucket: number): number {
  if (bucket < exactSeconds) return bucket
  const doubling = Math.floor((bucket - exactSeconds) / parts)
  const from = exactSeconds * 2 ** doubling
  return from + Math.ceil((((bucket - exactSeconds) % parts) * from) / parts)
}

/** What spans add up to: whole quarters of an hour by the rollups, the rest by the rows, so exactly. */
type InvoiceTallies = {
  /** One for each span from a moment to the next. */
  tallies(asked: TalliesAsked): Tally[]
  /** Pending ones by when they expire: one more than there are moments. */
  due(asked: DueAsked): Due[]
  /** Of those paid within; in no order. */
  paymentTimes(asked: SpanAsked): PaymentTime[]
}

type Row = Readonly<Record<string, unknown>>
type Read = (row: Row) => void

const endOfTime = Number.MAX_SAFE_INTEGER

export function createInvoiceTallies(database: Database): InvoiceTallies {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    return statement
  }
  const where = 'WHERE network = ? AND currency = ?'
  const inQuarters = 'quarter >= ? AND quarter < ?'
  const confirmed = 'confirmed_at IS NOT NULL'
  const asked = `sum(whole) AS whole, sum(rest) AS rest`
  const askedByRows = `sum(amount / 1000000000) AS whole, sum(amount % 1000000000) AS rest`
  const created = prepare(
    `SELECT sum(count) AS count, sum(paid) AS paid FROM invoice_created ${where} AND ${inQuarters}`,
  )
  const createdByRows = prepare(
    `SELECT count(*) AS count, sum(status = 'paid') AS paid
     FROM invoices INDEXED BY invoices_by_creation
     ${where} AND created_at >= ? AND created_at < ? AND ${confirmed}`,
  )
  const states = database.prepare(`SELECT status FROM invoice_totals ${where}`)
  const ended = prepare(
    `SELECT sum(count) AS count, ${asked}, sum(over_count) AS over_count,
       sum(over_whole) AS over_whole, sum(over_rest) AS over_rest
     FROM invoice_ended ${where} AND status = ? AND ${inQuarters}`,
  )
  const endedByRows = prepare(
    `SELECT status, count(*) AS count, ${askedByRows}, sum(overpayment > 0) AS over_count,
       sum(overpayment / 1000000000) AS over_whole, sum(overpayment % 1000000000) AS over_rest
     FROM invoices INDEXED BY invoices_by_change
     ${where} AND changed_at >= ? AND changed_at < ? AND status <> 'pending' AND ${confirmed}
     GROUP BY status`,
  )
  const due = prepare(
    `SELECT sum(count) AS count, ${asked} FROM invoice_due ${where} AND ${inQuarters}`,
  )
  const dueByRows = prepare(
    `SELECT count(*) AS count, ${askedByRows} FROM invoices INDEXED BY invoices_pending
     ${where} AND expires_at >= ? AND expires_at < ? AND status = 'pending' AND ${confirmed}`,
  )
  // The buckets are looked up one by one, and of each the quarters: what is outside is not read.
  const times = database.prepare(
    `WITH RECURSIVE buckets (bucket) AS (
       SELECT min(bucket) FROM invoice_payment_times WHERE network = $network AND currency = $currency
       UNION ALL
       SELECT (SELECT min(bucket) FROM invoice_payment_times
         WHERE network = $network AND currency = $currency AND bucket > buckets.bucket)
       FROM buckets WHERE bucket IS NOT NULL
     )
     SELECT bucket, (SELECT sum(count) FROM invoice_payment_times AS times
       WHERE network = $network AND currency = $currency AND times.bucket = buckets.bucket
         AND quarter >= $from AND quarter < $to) AS count
     FROM buckets WHERE bucket IS NOT NULL`,
  )
  const timesByRows = database.prepare(
    `SELECT max(0, (changed_at - created_at) / 1000) AS seconds, count(*) AS count
     FROM invoices INDEXED BY invoices_by_change
     ${where} AND changed_at >= ? AND changed_at < ? AND status = 'paid' AND ${confirmed}
     GROUP BY seconds`,
  )

  function readCreated(network: string, currency: string, span: Span, read: Read): void {
    const { quarters, edges } = splitSpan(span)
    if (quarters !== null) {
      read(created.get(network, currency, quarters.from, quarters.to) ?? {})
    }
    for (const { from, to } of edges) read(createdByRows.get(network, currency, from, to) ?? {})
  }

  function readEnded(
    network: string,
    currency: string,
    { known, ...span }: Span & { readonly known: readonly string[] },
    read: (status: string, row: Row) => void,
  ): void {
    const { quarters, edges } = splitSpan(span)
    for (const status of quarters === null ? [] : known) {
      read(
        status,
        ended.get(network, currency, status, quarters?.from ?? 0, quarters?.to ?? 0) ?? {},
      )
    }
    for (const { from, to } of edges) {
      for (const row of endedByRows.iterate(network, currency, from, to)) {
        read(row['status'] as string, row)
      }
    }
  }

  function statesOf(network: string, currency: string): string[] {
    const all = states.all(network, currency).map((row) => row['status'] as string)
    return all.filter((status) => status !== 'pending')
  }

  return {
    tallies({ network, currencies, bounds }) {
      const known = new Map(invoiceCurrencies.map((each) => [each, statesOf(network, each)]))
      return spansOf(bounds).map((span) => {
        const sum = emptySum()
        for (const currency of chosen(currencies)) {
          readCreated(network, currency, span, (row) => {
            sum.created += count(row, 'count')
            sum.createdPaid += count(row, 'paid')
          })
          const asked = { ...span, known: known.get(currency) ?? [] }
          readEnded(network, currency, asked, (status, row) => {
            if (status === 'paid' || status === 'expired' || status === 'cancelled') {
              sum[status] += count(row, 'count')
            }
            if (status === 'paid') sum.volume[currency] += joinUnits(row['whole'], row['rest'])
            sum.overpaid += count(row, 'over_count')
            sum.overpayment[currency] += joinUnits(row['over_whole'], row['over_rest'])
          })
        }
        return sum
      })
    },
    due({ network, currencies, bounds }) {
      return spansOf([0, ...bounds, endOfTime]).map((span) => {
        const amount = { TON: 0n, USDT: 0n }
        let found = 0
        for (const currency of chosen(currencies)) {
          const read: Read = (row) => {
            found += count(row, 'count')
            amount[currency] += joinUnits(row['whole'], row['rest'])
          }
          const { quarters, edges } = splitSpan(span)
          if (quarters !== null) {
            read(due.get(network, currency, quarters.from, quarters.to) ?? {})
          }
          for (const { from, to } of edges) read(dueByRows.get(network, currency, from, to) ?? {})
        }
        return { count: found, amount }
      })
    },
    paymentTimes({ network, currencies, ...span }) {
      const { quarters, edges } = splitSpan(span)
      const found: PaymentTime[] = []
      for (const currency of chosen(currencies)) {
        const add = (seconds: number, its: unknown) => {
          if (Number(its) > 0) found.push({ currency, seconds, count: Number(its) })
        }
        if (quarters !== null) {
          const values = { $network: network, $currency: currency }
          for (const row of times.iterate({ ...values, $from: quarters.from, $to: quarters.to })) {
            add(startOfBucket(Number(row['bucket'])), row['count'])
          }
        }
        for (const { from, to } of edges) {
          for (const row of timesByRows.iterate(network, currency, from, to)) {
            add(Number(row['seconds']), row['count'])
          }
        }
      }
      return found
    },
  }
}

function chosen(currencies: readonly InvoiceCurrency[]): readonly InvoiceCurrency[] {
  return currencies.length === 0 ? invoiceCurrencies : [...new Set(currencies)]
}

function spansOf(bounds: readonly number[]): Span[] {
  return bounds.slice(1).map((to, index) => ({ from: bounds[index] ?? to, to }))
}

function count(row: Row, name: string): number {
  return Number(row[name] ?? 0)
}

function emptySum() {
  return {
    created: 0,
    createdPaid: 0,
    paid: 0,
    expired: 0,
    cancelled: 0,
    volume: { TON: 0n, USDT: 0n },
    overpaid: 0,
    overpayment: { TON: 0n, USDT: 0n },
  }
}

/** Of one currency and state, as the gateway has confirmed them. */
type InvoiceTotal = {
  readonly currency: InvoiceCurrency
  readonly status: string
  readonly count: number
  /** What they ask, minimal units. */
  readonly amount: bigint
  /** Those that only a delivery has told of are counted here alone. */
  readonly unconfirmed: number
}

export type InvoiceTotals = {
  /** Kept by triggers (migration 0014): a read of a few rows, however many invoices there are. */
  of(network: string): InvoiceTotal[]
}

export function createInvoiceTotals(database: Database): InvoiceTotals {
  const select = database.prepare(
    `SELECT currency, status, count, whole, rest, unconfirmed FROM invoice_totals WHERE network = ?`,
  )
  select.setReadBigInts(true)
  return {
    of: (network) =>
      select.all(network).map((row) => ({
        currency: row['currency'] as InvoiceCurrency,
        status: row['status'] as string,
        count: Number(row['count']),
        amount: joinUnits(row['whole'], row['rest']),
        unconfirmed: Number(row['unconfirmed']),
      })),
  }
}

/** Sums of amounts pass SQLite's 64 bits, so they are kept and summed in two parts. */

const nano = 1_000_000_000n

/** @param rest sums of `amount % 10^9`; null, as SQLite has it, for a sum of nothing */
function joinUnits(whole: unknown, rest: unknown): bigint {
  const read = (part: unknown) => BigInt((part ?? 0) as bigint | number)
  return read(whole) * nano + read(rest)
}
