import type { SQLOutputValue } from 'node:sqlite'
import type { InvoiceColumn } from '../../../src-preload/contract/invoice-export.ts'
import type { InvoicePageInput } from '../../../src-preload/contract/invoice.ts'
import type { PaymentFiat } from '../../../src-preload/contract/payment.ts'
import type { Currency } from '../../../src-preload/domain/amount.ts'
import type { FiatCurrency } from '../../../src-preload/domain/fiat.ts'
import { type Database, createSql } from '../../database/sql.ts'
import { describeGroup, linkOfGroup } from '../matching/together.ts'
import type { StoredRate } from './fiat-rates.ts'
import { createReadInvoices, createReconciledRows } from './invoice-rows.ts'
import { filterCondition, orderBy, termsOf, unconfirmedKeys } from './invoice-lists.ts'

export const furtherColumns = ['comment', 'first_seen', 'first_source', 'confirmed'] as const
export type StoredColumn =
  | InvoiceColumn
  | (typeof furtherColumns)[number]
  | 'fiat'
  | 'tolerance'
  | 'together'

/** Amounts are digits of minimal units, times are milliseconds, `matters` is a bit set. */
export type RawRow = readonly SQLOutputValue[]

/** Every row begins with these columns; the requested ones follow. */
export const leadingColumns: readonly StoredColumn[] = [
  'status',
  'currency',
  'amount',
  'received',
  'overpayment',
  'matters',
  'uncounted',
  'refunded',
  'fiat',
  'tolerance',
  'together',
]

/** Amounts are digits of minimal units, times are milliseconds. */
export type PaymentRow = Readonly<{
  at: number
  invoice: string | null
  currency: string
  amount: string
  payer: string
  payer_label: string | null
  comment: string | null
  account: string
  certainty: string | null
  hash: string
  lt: string
  fiat: PaymentFiat | null
}>

type FoundPayment = Omit<PaymentRow, 'fiat'> & StoredRate & { readonly isAsked: number }

export type FiatReader = {
  readonly currency: FiatCurrency
  readonly read: (
    payment: { readonly currency: Currency; readonly amount: bigint },
    stored: StoredRate | null,
  ) => PaymentFiat
}

/** `row` begins with the leading columns of the invoice. */
export type DiscrepancyRow = Readonly<{
  row: RawRow
  invoice: string
  kind: string
  amount: string | null
  since: number
  note: string
}>

/** The rates of payments `p` in the currency of the export. */
const joinedRates = `LEFT JOIN fiat_rates r ON r.network = p.network AND r.asset = p.currency
  AND r.fiat = (SELECT fiat FROM temp.chosen) AND r.at = p.at`

const senderSql = (condition: string) =>
  `(SELECT payer FROM payments WHERE ${condition} ORDER BY at DESC, lt DESC LIMIT 1)`
/**
 * The payer that the gateway reports, else the sender of the latest payment for the invoice,
 * whether it counts or not.
 */
const payerSql = `coalesce(invoices.paid_by,
  CASE WHEN received > 0 THEN ${senderSql('invoice_key = invoices.key')} END,
  ${senderSql("named_key = invoices.key AND invoice_key IS NULL AND linked_by IS NOT 'person'")})`

// Values are read as text, because an amount may exceed a JavaScript number, and a bigint would be
// formatted again anyway.
const expressions: Readonly<Record<StoredColumn, string>> = {
  network: 'invoices.network',
  id: 'invoices.id',
  status: 'invoices.status',
  currency: 'invoices.currency',
  amount: 'CAST(invoices.amount AS TEXT)',
  // The sum has no meaning until the address has been read far enough.
  received: `CASE WHEN received > 0 OR (
      SELECT invoices.created_at BETWEEN read_from AND read_to FROM invoice_accounts
      WHERE network = invoices.network AND account = invoices.pay_to
    ) THEN CAST(invoices.received AS TEXT) END`,
  overpayment: 'CAST(invoices.overpayment AS TEXT)',
  refunded: 'CAST(invoices.refunded AS TEXT)',
  description: 'invoices.description',
  order_reference: 'invoices.order_reference',
  payer: payerSql,
  payer_label: `(SELECT name FROM labels
    WHERE network = invoices.network AND address = ${payerSql})`,
  pay_to: 'invoices.pay_to',
  created: 'invoices.created_at',
  expires: 'invoices.expires_at',
  changed: 'invoices.changed_at',
  paid_on_chain: 'invoices.paid_at',
  // Most rows have at most one payment, so the reader sorts several.
  transactions: `CASE WHEN received > 0 THEN (
      SELECT group_concat(lt || ':' || hash, ' ') FROM payments WHERE invoice_key = invoices.key
    ) END`,
  matters: 'invoices.open_matters',
  payment_link: 'coalesce((SELECT link FROM temp.together WHERE key = invoices.key), payment_link)',
  tolerance: 'CAST(invoices.tolerance AS TEXT)',
  together: '(SELECT together FROM temp.together WHERE key = invoices.key)',
  // The code that writes the row derives these values from other columns.
  due: 'NULL',
  accepted_short: 'NULL',
  counts_with: 'NULL',
  to_return: 'NULL',
  fiat: `CASE WHEN received > 0 THEN (
      SELECT group_concat(concat_ws(':', p.lt, p.currency, p.amount, r.at IS NOT NULL,
        coalesce(r.rate, ''), coalesce(r.rate_at, '')), ' ')
      FROM payments p ${joinedRates} WHERE p.invoice_key = invoices.key
    ) END`,
  fiat_value: 'NULL',
  fiat_currency: 'NULL',
  fiat_rate: 'NULL',
  fiat_rate_at: 'NULL',
  fiat_source: 'NULL',
  uncounted: '(SELECT sums FROM temp.uncounted WHERE key = invoices.key)',
  comment: 'invoices.comment',
  first_seen: 'invoices.first_seen_at',
  first_source: 'invoices.first_source',
  confirmed: 'invoices.confirmed_at',
}

/**
 * Reads confirmed rows from one snapshot while a transaction is open.
 * @param database read-only; sums and the chosen currency use temporary tables
 * @param fiat the values of payments in a chosen currency
 */
export function createExportRows(
  database: Database,
  { network, filter, sort }: Pick<InvoicePageInput, 'network' | 'filter' | 'sort'>,
  fiat: FiatReader | null,
) {
  const sql = createSql(database)
  const { where, values: conditions } = filterCondition(network, filter)
  const values = [...conditions, network]
  const matching = `invoices INDEXED BY invoices_by_creation WHERE ${where}`
  const confirmed = `${matching} AND key NOT IN (${unconfirmedKeys})`
  sumUncounted(database, network)
  uniteAll(database, network)
  database.exec('CREATE TEMP TABLE chosen (fiat TEXT)')
  if (fiat !== null) database.prepare('INSERT INTO temp.chosen VALUES (?)').run(fiat.currency)
  const expressionOf = (column: StoredColumn) =>
    column === 'fiat' && fiat === null ? 'NULL' : expressions[column]

  return {
    rowCount: sql.count(confirmed, ...values),
    /** These rows are omitted, because only deliveries reported them. */
    unconfirmed: sql.count(`${matching} AND key IN (${unconfirmedKeys})`, ...values),
    rows(columns: readonly StoredColumn[], limit = -1): Iterable<RawRow> {
      const wanted = [...new Set([...leadingColumns, ...columns])].map(expressionOf)
      // Sorts keys instead of whole rows, because a million rows would fill a disk.
      const statement = database.prepare(
        `WITH sorted AS MATERIALIZED (SELECT key FROM ${confirmed}
           ORDER BY ${orderBy(termsOf(sort.by), sort.descending)} LIMIT ?)
         SELECT ${wanted.join(', ')} FROM sorted CROSS JOIN invoices ON invoices.key = sorted.key`,
      )
      statement.setReturnArrays(true)
      return statement.iterate(...values, limit) as unknown as Iterable<RawRow>
    },
    /** Yields the payments that are linked to the rows, oldest first. */
    payments(): Iterable<PaymentRow> {
      const rows = database
        .prepare(
          `SELECT p.at, i.id AS invoice, p.currency, CAST(p.amount AS TEXT) AS amount, p.payer,
             (SELECT name FROM labels WHERE network = p.network AND address = p.payer) AS payer_label,
             p.comment, p.account, p.certainty, p.hash, CAST(p.lt AS TEXT) AS lt,
             r.at IS NOT NULL AS isAsked, r.rate, r.rate_at AS rateAt
           FROM payments p INDEXED BY payments_by_time CROSS JOIN invoices i ON i.key = p.invoice_key
           ${joinedRates}
           WHERE p.network = ? AND p.invoice_key IN (SELECT key FROM ${confirmed})
           ORDER BY p.at, p.key`,
        )
        .iterate(network, ...values) as unknown as Iterable<FoundPayment>
      return mapped(rows, ({ isAsked, rate, rateAt, ...row }) => {
        const asset = { currency: row.currency as Currency, amount: BigInt(row.amount) }
        return { ...row, fiat: fiat && fiat.read(asset, isAsked === 0 ? null : { rate, rateAt }) }
      })
    },
    /** Yields the open discrepancies of the rows, oldest first. */
    discrepancies(): Iterable<DiscrepancyRow> {
      const leading = leadingColumns.map(expressionOf)
      const statement = database.prepare(
        `SELECT ${leading.join(', ')}, invoices.id, m.kind, CAST(m.amount AS TEXT), m.since, m.note
         FROM matters m INDEXED BY matters_open CROSS JOIN invoices ON invoices.key = m.invoice_key
         WHERE m.network = ? AND m.handled_at IS NULL AND m.closed_at IS NULL
           AND m.invoice_key IN (SELECT key FROM ${confirmed}) ORDER BY m.since, m.key`,
      )
      statement.setReturnArrays(true)
      const rows = statement.iterate(network, ...values) as unknown as Iterable<RawRow>
      return mapped(rows, (row) => {
        const [invoice, kind, amount, since, note] = row.slice(leadingColumns.length)
        return { row, invoice, kind, amount, since, note } as DiscrepancyRow
      })
    },
    span: () =>
      sql.get<{ readonly from: number; readonly to: number }>(
        `SELECT min(created_at) AS "from", max(created_at) AS "to" FROM ${confirmed}
         HAVING count(*) > 0`,
        ...values,
      ),
  }
}

function* mapped<T, R>(items: Iterable<T>, map: (item: T) => R): Generator<R, void> {
  for (const item of items) yield map(item)
}

/** The invoices that count together with others, as JSON, and the link of the one that is to be paid. */
function uniteAll(database: Database, network: string): void {
  database.exec('CREATE TEMP TABLE together (key INTEGER PRIMARY KEY, together TEXT, link TEXT)')
  const insert = database.prepare('INSERT INTO temp.together VALUES (?, ?, ?)')
  const isRest = 'INDEXED BY invoices_by_rest WHERE rest_of IS NOT NULL AND network = ?'
  const rests = createReadInvoices(database)(isRest, network)
  for (const group of createReconciledRows(database).groups(rests).values()) {
    const link = linkOfGroup(group)
    for (const { key, id } of group) {
      insert.run(key, JSON.stringify(describeGroup(group, id)), link)
    }
  }
}

/**
 * Sums payments by the invoice that the comment names, else by an address that only one invoice
 * names. Omits dust without a comment.
 */
function sumUncounted(database: Database, network: string): void {
  database.exec('CREATE TEMP TABLE uncounted (key INTEGER PRIMARY KEY, sums TEXT NOT NULL)')
  database
    .prepare(
      `WITH named AS (
         SELECT p.currency, p.amount, coalesce(
           (SELECT i.key FROM invoices i WHERE i.key = p.named_key AND i.confirmed_at IS NOT NULL),
           (SELECT a.first_invoice FROM invoice_accounts a
            WHERE a.network = p.network AND a.account = p.account AND a.is_shared = 0
              AND a.read_from IS NOT NULL)) AS key
         FROM payments p INDEXED BY payments_unmatched
         WHERE p.network = ? AND p.invoice_key IS NULL AND p.linked_by IS NOT 'person'
           AND (p.comment_key IS NOT NULL OR p.currency <> 'TON' OR p.amount >= 1000000)
       ), sums AS (
         SELECT key, currency, sum(amount) AS units FROM named
         WHERE key IS NOT NULL GROUP BY key, currency
       )
       INSERT INTO temp.uncounted
       SELECT key, group_concat(currency || ':' || units, ' ') FROM sums GROUP BY key`,
    )
    .run(network)
}
