/** Sums for metrics and charts. Amounts are minimal units, times are milliseconds. */
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import { invoiceCurrencies } from '../../../src-preload/domain/invoice-values.ts'
import { type Database, createSql, int64 } from '../../database/sql.ts'

export type Tally = ReturnType<typeof emptyTally>

/** `seconds` is the lower bound of the bucket. */
export type PaymentTime = {
  readonly currency: InvoiceCurrency
  readonly seconds: number
  readonly count: number
}

/** Each span is from one bound to the next; an empty list of currencies means any. */
export type TalliesInput = {
  readonly network: string
  readonly currencies: readonly InvoiceCurrency[]
  readonly bounds: readonly number[]
}

type Span = { readonly from: number; readonly to: number }
export type SpanInput = Omit<TalliesInput, 'bounds'> & Span

/** Rollups cover quarters of an hour, which begin at the same moments in every current time zone. */
const quarterMs = 900_000
const nano = 1_000_000_000n
const endOfTime = Number.MAX_SAFE_INTEGER

/** Splits a span into whole quarters, and the edges before and after them, whose rows are counted. */
function splitSpan({ from, to }: Span) {
  const [firstQuarter, endQuarter] = [Math.ceil(from / quarterMs), Math.floor(to / quarterMs)]
  if (firstQuarter >= endQuarter) {
    return { from, headTo: to, firstQuarter: 0, endQuarter: 0, tailFrom: to, to }
  }
  const [headTo, tailFrom] = [firstQuarter * quarterMs, endQuarter * quarterMs]
  return { from, headTo, firstQuarter, endQuarter, tailFrom, to }
}

/**
 * Buckets are single seconds below ten minutes; above, 128 per doubling, so that none is wider than
 * 0.8 % of its values. The triggers of migration 0014 use the same buckets.
 */
const exactSeconds = 600
const bucketsPerDoubling = 128

function startOfBucket(bucket: number): number {
  if (bucket < exactSeconds) return bucket
  const doubling = Math.floor((bucket - exactSeconds) / bucketsPerDoubling)
  const from = exactSeconds * 2 ** doubling
  const place = (bucket - exactSeconds) % bucketsPerDoubling
  return from + Math.ceil((place * from) / bucketsPerDoubling)
}

const ofCurrency = 'network = $network AND currency = $currency'
const inQuarters = 'quarter >= $firstQuarter AND quarter < $endQuarter'
/** Amounts are summed in two parts, because a sum may exceed SQLite's 64 bits. */
const halves = (column: string) => `${column} / ${nano}, ${column} % ${nano}`

function edgeRows(columns: string, index: string, moment: string, condition = 'true'): string {
  const edge = (from: string, to: string) => `UNION ALL
    SELECT ${columns} FROM invoices INDEXED BY ${index} WHERE ${ofCurrency}
      AND ${moment} >= ${from} AND ${moment} < ${to} AND ${condition} AND confirmed_at IS NOT NULL`
  return `${edge('$from', '$headTo')} ${edge('$tailFrom', '$to')}`
}

const createdSql = `
  SELECT coalesce(sum(count), 0) AS created, coalesce(sum(paid), 0) AS created_paid FROM (
    SELECT count, paid FROM invoice_created WHERE ${ofCurrency} AND ${inQuarters}
    ${edgeRows(`1, status = 'paid'`, 'invoices_by_creation', 'created_at')})`
const endedSql = `
  SELECT status, sum(count) AS count, sum(whole) AS whole, sum(rest) AS rest,
    sum(over_count) AS over_count, sum(over_whole) AS over_whole, sum(over_rest) AS over_rest
  FROM (
    SELECT status, count, whole, rest, over_count, over_whole, over_rest FROM invoice_ended
    WHERE ${ofCurrency} AND status IN (SELECT status FROM invoice_totals WHERE ${ofCurrency})
      AND ${inQuarters}
    ${edgeRows(
      `status, 1, ${halves('amount')}, overpayment > 0, ${halves('overpayment')}`,
      'invoices_by_change',
      'changed_at',
      `status <> 'pending'`,
    )}) GROUP BY status`
const dueSql = `
  SELECT coalesce(sum(count), 0) AS count, sum(whole) AS whole, sum(rest) AS rest FROM (
    SELECT count, whole, rest FROM invoice_due WHERE ${ofCurrency} AND ${inQuarters}
    ${edgeRows(`1, ${halves('amount')}`, 'invoices_pending', 'expires_at', `status = 'pending'`)})`
// Searches by bucket and quarter, so that rows outside the span are not read.
const bucketsSql = `
  WITH RECURSIVE buckets (bucket) AS (
    SELECT min(bucket) FROM invoice_payment_times WHERE ${ofCurrency}
    UNION ALL
    SELECT (SELECT min(bucket) FROM invoice_payment_times
      WHERE ${ofCurrency} AND bucket > buckets.bucket)
    FROM buckets WHERE bucket IS NOT NULL
  )
  SELECT bucket, (SELECT sum(count) FROM invoice_payment_times AS times
    WHERE ${ofCurrency} AND times.bucket = buckets.bucket AND ${inQuarters}) AS count
  FROM buckets WHERE bucket IS NOT NULL`
const secondsSql = `
  SELECT seconds, count(*) AS count FROM (SELECT NULL AS seconds WHERE false
    ${edgeRows(
      'max(0, (changed_at - created_at) / 1000)',
      'invoices_by_change',
      'changed_at',
      `status = 'paid'`,
    )}) GROUP BY seconds`

/** Sums spans exactly: whole quarters of an hour from the rollups, the rest from rows. */
export function createInvoiceTallies(database: Database) {
  const sql = createSql(database, { whole: int64, rest: int64, overWhole: int64, overRest: int64 })

  return {
    tallies: ({ network, currencies, bounds }: TalliesInput): Tally[] =>
      spansOf(bounds).map((span) => {
        const tally = emptyTally()
        for (const currency of chosen(currencies)) {
          const values = { network, currency, ...splitSpan(span) }
          const made = sql.get<Pick<Tally, 'created' | 'createdPaid'>>(createdSql, values)
          tally.created += made?.created ?? 0
          tally.createdPaid += made?.createdPaid ?? 0
          for (const row of sql.all<EndedRow>(endedSql, values)) {
            const { status, count } = row
            if (status === 'paid' || status === 'expired' || status === 'cancelled') {
              tally[status] += count
            }
            if (status === 'paid') tally.volume[currency] += joinHalves(row.whole, row.rest)
            tally.overpaid += row.overCount
            tally.overpayment[currency] += joinHalves(row.overWhole, row.overRest)
          }
        }
        return tally
      }),
    /** Counts pending invoices by expiry: before the first bound, between bounds, and after the last. */
    due: ({ network, currencies, bounds }: TalliesInput) =>
      spansOf([0, ...bounds, endOfTime]).map((span) => {
        const due = { count: 0, amount: { TON: 0n, USDT: 0n } }
        for (const currency of chosen(currencies)) {
          const row = sql.get<AmountRow>(dueSql, { network, currency, ...splitSpan(span) })
          due.count += row?.count ?? 0
          due.amount[currency] += joinHalves(row?.whole, row?.rest)
        }
        return due
      }),
    paymentTimes({ network, currencies, ...span }: SpanInput): PaymentTime[] {
      return chosen(currencies).flatMap((currency) => {
        const values = { network, currency, ...splitSpan(span) }
        const buckets = sql.all<{ bucket: number; count: number | null }>(bucketsSql, values)
        return [
          ...buckets.map(({ bucket, count }) => ({ seconds: startOfBucket(bucket), count })),
          ...sql.all<{ seconds: number; count: number }>(secondsSql, values),
        ].flatMap(({ seconds, count }) => (count ? [{ currency, seconds, count }] : []))
      })
    },
  }
}

type AmountRow = Readonly<{ count: number; whole: bigint | null; rest: bigint | null }>

type EndedRow = AmountRow &
  Readonly<{ status: string; overCount: number; overWhole: bigint; overRest: bigint }>

function joinHalves(whole: bigint | null | undefined, rest: bigint | null | undefined): bigint {
  return (whole ?? 0n) * nano + (rest ?? 0n)
}

function chosen(currencies: readonly InvoiceCurrency[]): readonly InvoiceCurrency[] {
  return currencies.length === 0 ? invoiceCurrencies : [...new Set(currencies)]
}

function spansOf(bounds: readonly number[]): Span[] {
  return bounds.slice(1).map((to, index) => ({ from: bounds[index] ?? to, to }))
}

function emptyTally() {
  return {
    created: 0,
    createdPaid: 0,
    paid: 0,
    expired: 0,
    cancelled: 0,
    overpaid: 0,
    volume: { TON: 0n, USDT: 0n },
    overpayment: { TON: 0n, USDT: 0n },
  }
}

export function createInvoiceTotals(database: Database) {
  const sql = createSql(database, { whole: int64, rest: int64 })
  return {
    /** Triggers update these few rows, however many invoices there are. */
    of: (network: string) =>
      sql
        .all<
          AmountRow & {
            readonly currency: InvoiceCurrency
            readonly status: string
            /** Only this number counts rows that only a delivery reported. */
            readonly unconfirmed: number
          }
        >(
          `SELECT currency, status, count, whole, rest, unconfirmed FROM invoice_totals
           WHERE network = ?`,
          network,
        )
        .map(({ whole, rest, ...row }) => ({ ...row, amount: joinHalves(whole, rest) })),
  }
}
