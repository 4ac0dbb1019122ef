import type {
  InvoiceCurrency,
  InvoiceSource,
  MatterKind,
} from '../../../src-preload/contract/invoice.ts'
import type { Database } from '../../database/database.ts'
import { type SqlValues, createSql, int64 } from '../../database/sql.ts'
import { matterKinds } from '../../../src-preload/domain/invoice-words.ts'

/** A row of the ledger. Times are milliseconds, amounts minimal units, addresses raw. */
export type StoredInvoice = {
  readonly key: number
  readonly network: string
  readonly id: string
  readonly status: string
  readonly reported: { readonly status: string; readonly at: number } | null
  /** Time of the gateway's last response; null when only a delivery reported the invoice. */
  readonly confirmedAt: number | null
  readonly currency: InvoiceCurrency
  readonly amount: bigint
  readonly received: bigint
  readonly overpayment: bigint
  readonly description: string
  readonly payTo: string
  readonly paidBy: string | null
  readonly paymentLink: string
  readonly comment: string | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly changedAt: number
  readonly paidAt: number | null
  readonly firstSeenAt: number
  readonly firstSource: InvoiceSource
  readonly matters: readonly MatterKind[]
  /** JSON of the gateway's last response; a delivery's body for an unconfirmed row. */
  readonly raw: string
}

export function bitOf(kind: MatterKind): number {
  return 1 << matterKinds.indexOf(kind)
}

export function mattersOf(bits: number): MatterKind[] {
  return matterKinds.filter((_, index) => (bits & (1 << index)) !== 0)
}

const columns = `key, network, id, status, reported_status, reported_at, confirmed_at, currency, amount,
  received, overpayment, description, pay_to, paid_by, payment_link, comment, created_at, expires_at,
  changed_at, paid_at, first_seen_at, first_source, open_matters`

type InvoiceRow = Omit<StoredInvoice, 'reported' | 'matters'> & {
  readonly reportedStatus: string | null
  readonly reportedAt: number | null
  readonly openMatters: number
}

/** @param raw SQL of the column; lists leave its text out */
export function createReadInvoices(database: Database, raw = 'raw') {
  const sql = createSql(database, { amount: int64, received: int64, overpayment: int64 })
  const select = `SELECT ${columns}, ${raw} AS raw FROM invoices`
  return (rest: string, ...values: SqlValues) =>
    sql.all<InvoiceRow>(`${select} ${rest}`, ...values).map(toInvoice)
}

function toInvoice({
  reportedStatus: status,
  reportedAt: at,
  openMatters,
  ...row
}: InvoiceRow): StoredInvoice {
  const reported = status === null ? null : { status, at: at ?? 0 }
  return { ...row, reported, matters: mattersOf(openMatters) }
}
