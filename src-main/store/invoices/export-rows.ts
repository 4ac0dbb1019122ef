/** Rows of the ledger for files of millions of them: as arrays, in one exact order, none kept. */
import type { SQLOutputValue } from 'node:sqlite'
import type {
  InvoiceColumn,
  InvoiceFilter,
  InvoiceSort,
} from '../../../src-preload/contract/index.ts'
import type { Database } from '../database.ts'

export type ExportAsked = {
  readonly network: string
  readonly filter: InvoiceFilter
  readonly sort: InvoiceSort
}

/** What only a file that loses nothing has. */
type InnerColumn = 'comment' | 'first_seen' | 'first_source' | 'confirmed'
export type StoredColumn = InvoiceColumn | InnerColumn

/** Amounts are digits of minimal units, moments numbers of milliseconds, `matters` a number of bits. */
export type RawRow = readonly SQLOutputValue[]

/** Every row begins with status, currency, amount, received, overpayment; then comes what else is asked for. */
const leading: readonly StoredColumn[] = ['status', 'currency', 'amount', 'received', 'overpayment']

export type ExportRows = {
  /** What a file will have, and what it leaves out: only deliveries have told of those. */
  count(asked: ExportAsked): { readonly rows: number; readonly unconfirmed: number }
  rows(asked: ExportAsked, columns: readonly StoredColumn[], limit?: number): Iterable<RawRow>
  /** First and last moment of creation; null where there is no row. */
  span(asked: ExportAsked): { readonly from: number; readonly to: number } | null
}

// As text: an amount may pass what a JS number holds, and a bigint would only be printed again.
const expressions: Readonly<Record<StoredColumn, string>> = {
  network: 'invoices.network',
  id: 'invoices.id',
  status: 'invoices.status',
  currency: 'invoices.currency',
  amount: 'CAST(invoices.amount AS TEXT)',
  // It says nothing while the address has not been read that far.
  received: `CASE WHEN received > 0 OR (
      SELECT invoices.created_at BETWEEN read_from AND read_to FROM invoice_accounts
      WHERE network = invoices.network AND account = invoices.pay_to
    ) THEN CAST(invoices.received AS TEXT) END`,
  overpayment: 'CAST(invoices.overpayment AS TEXT)',
  description: 'invoices.description',
  payer: 'invoices.paid_by',
  payer_label: `(SELECT name FROM labels
    WHERE network = invoices.network AND address = invoices.paid_by)`,
  pay_to: 'invoices.pay_to',
  created: 'invoices.created_at',
  expires: 'invoices.expires_at',
  changed: 'invoices.changed_at',
  paid_on_chain: 'invoices.paid_at',
  // Most have none or one: what reads them puts several in order.
  transactions: `CASE WHEN received > 0 THEN (
      SELECT group_concat(lt || ':' || hash, ' ') FROM payments WHERE invoice_key = invoices.key
    ) END`,
  matters: 'invoices.open_matters',
  payment_link: 'invoices.payment_link',
  comment: 'invoices.comment',
  first_seen: 'invoices.first_seen_at',
  first_source: 'invoices.first_source',
  confirmed: 'invoices.confirmed_at',
}

export function createExportRows(database: Database): ExportRows {
  function select(what: string, { network }: ExportAsked, rest = '') {
    return {
      statement: database.prepare(
        `SELECT ${what} FROM invoices WHERE invoices.network = $network ${rest}`,
      ),
      values: { $network: network },
    }
  }

  return {
    count(asked) {
      const { statement, values } = select(
        'count(*) AS total, count(invoices.confirmed_at) AS confirmed',
        asked,
      )
      const found = statement.get(values)
      const rows = Number(found?.['confirmed'])
      return { rows, unconfirmed: Number(found?.['total']) - rows }
    },
    rows(asked, columns, limit = -1) {
      const wanted = [...new Set([...leading, ...columns])].map((column) => expressions[column])
      const { statement, values } = select(
        wanted.join(', '),
        asked,
        'AND invoices.confirmed_at IS NOT NULL ORDER BY created_at, key LIMIT $limit',
      )
      statement.setReturnArrays(true)
      return statement.iterate({ ...values, $limit: limit }) as unknown as Iterable<RawRow>
    },
    span(asked) {
      const { statement, values } = select(
        'min(invoices.created_at) AS first, max(invoices.created_at) AS last',
        asked,
        'AND invoices.confirmed_at IS NOT NULL',
      )
      const found = statement.get(values)
      const first = found?.['first']
      return typeof first === 'number' ? { from: first, to: Number(found?.['last']) } : null
    },
  }
}
