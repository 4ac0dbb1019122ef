import {
  type Currency,
  type Invoice,
  type MatchingRule,
  type Payment,
  type InvoiceStatus,
  overpaymentOf,
} from '../invoices/invoice.ts'
import type { Database } from './database.ts'

export type InvoiceFilter = {
  readonly appId: number
  /** Case-insensitive. */
  readonly idPrefix?: string | undefined
  /** Empty for all. */
  readonly statuses: readonly InvoiceStatus[]
  readonly currency?: Currency | undefined
  readonly overpaidOnly: boolean
  /** Inclusive bounds, seconds. */
  readonly from?: bigint | undefined
  readonly to?: bigint | undefined
}

export const invoiceOrders = {
  id: 'id',
  amount: 'amount',
  status: 'status',
  life_time: 'life_time',
  description: 'description',
  pay_to_address: 'pay_to_address',
  paid_by_address: 'paid_by_address',
  date_create: 'date_create',
  date_paid: "CASE WHEN status = 'paid' THEN date_change END",
} as const
export type InvoiceOrder = {
  readonly by: keyof typeof invoiceOrders
  readonly direction: 'asc' | 'desc'
}

type InvoiceStats = {
  readonly total: number
  readonly pending: number
  /** Minimal units, without overpayments. */
  readonly paidAmount: bigint
  readonly paidSinceAmount: bigint
  readonly pendingAmount: bigint
}

export type InvoiceStore = {
  insert(invoice: Invoice): void
  update(invoice: Invoice): void
  find(id: string): Invoice | null
  has(id: string): boolean
  /** Of all applications. */
  total(): number
  isWatched(address: string): boolean
  byOwnAddress(address: string): Invoice | null
  /** The oldest pending one of this amount, else the last ended. */
  byAmount(payTo: string, currency: Currency, amount: bigint): Invoice | null
  earliestExpiry(): number | null
  /** In order of expiry. */
  pendingEndedBefore(at: number): readonly Invoice[]
  addPayment(payment: Payment, invoiceId: string, utime: number): boolean
  list(
    filter: InvoiceFilter,
    order: InvoiceOrder,
    page: { readonly limit: number; readonly offset: bigint },
  ): readonly Invoice[]
  count(filter: InvoiceFilter): number
  stats(appId: number, currency: Currency, since: number): InvoiceStats
}

const columns = `id, app_id, status, amount, currency, description, life_time, date_create,
  date_expire, date_change, rule, pay_to_address, paid_by_address, received, refunded, refund_amount`

/** SUM of int64 may overflow; sums of halves cannot. */
const sumOf = (condition: string) => `
  coalesce(sum(CASE WHEN ${condition} THEN amount >> 32 END), 0) AS high,
  coalesce(sum(CASE WHEN ${condition} THEN amount & 4294967295 END), 0) AS low`

export function createInvoiceStore(database: Database): InvoiceStore {
  const insert = database.prepare(
    `INSERT INTO invoices (${columns}, overpayment)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = database.prepare(
    `UPDATE invoices SET status = ?, date_change = ?, paid_by_address = ?, received = ?,
       overpayment = ?, refunded = ?, refund_amount = ? WHERE id = ?`,
  )
  const find = database.prepare(`SELECT ${columns} FROM invoices WHERE id = ?`)
  const has = database.prepare('SELECT 1 FROM invoices WHERE id = ?')
  const total = database.prepare('SELECT coalesce(max(number), 0) AS total FROM invoices')
  const isWatched = database.prepare('SELECT 1 FROM invoices WHERE pay_to_address = ? LIMIT 1')
  const byOwnAddress = database.prepare(
    `SELECT ${columns} FROM invoices WHERE pay_to_address = ? AND rule = 'address'`,
  )
  const byAmount = database.prepare(
    `SELECT ${columns} FROM invoices
     WHERE pay_to_address = ? AND rule = 'amount' AND currency = ? AND amount = ?
     ORDER BY status <> 'pending', CASE WHEN status = 'pending' THEN number END,
       date_change DESC, number DESC
     LIMIT 1`,
  )
  const earliest = database.prepare(
    "SELECT min(date_expire) AS earliest FROM invoices WHERE status = 'pending'",
  )
  const ended = database.prepare(
    `SELECT ${columns} FROM invoices WHERE status = 'pending' AND date_expire < ?
     ORDER BY date_expire, number`,
  )
  const addPayment = database.prepare(
    `INSERT INTO invoice_payments (tx_hash, invoice_id, utime, amount, payer)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const counts = database.prepare(
    `SELECT count(*) AS total, count(*) FILTER (WHERE status = 'pending') AS pending
     FROM invoices WHERE app_id = ? AND currency = ?`,
  )
  const sums = {
    paid: database.prepare(
      `SELECT ${sumOf("status = 'paid' AND date_change >= ?")}
       FROM invoices WHERE app_id = ? AND currency = ?`,
    ),
    pending: database.prepare(
      `SELECT ${sumOf("status = 'pending' AND date_change >= ?")}
       FROM invoices WHERE app_id = ? AND currency = ?`,
    ),
  }
  for (const statement of Object.values(sums)) statement.setReadBigInts(true)

  function sum(of: keyof typeof sums, appId: number, currency: Currency, since: number): bigint {
    const row = sums[of].get(since, since, appId, currency)
    return ((row?.['high'] as bigint) << 32n) + (row?.['low'] as bigint)
  }

  return {
    insert(invoice) {
      insert.run(
        invoice.id,
        invoice.appId,
        invoice.status,
        invoice.amount,
        invoice.currency,
        invoice.description,
        invoice.lifeTime,
        invoice.dateCreate,
        invoice.dateExpire,
        invoice.dateChange,
        invoice.rule,
        invoice.payTo,
        invoice.paidBy,
        invoice.received.toString(),
        toFlag(invoice.refunded),
        toText(invoice.refundAmount),
        overpaymentText(invoice),
      )
    },
    update(invoice) {
      update.run(
        invoice.status,
        invoice.dateChange,
        invoice.paidBy,
        invoice.received.toString(),
        overpaymentText(invoice),
        toFlag(invoice.refunded),
        toText(invoice.refundAmount),
        invoice.id,
      )
    },
    find: (id) => toInvoice(find.get(id)),
    has: (id) => has.get(id) !== undefined,
    total: () => Number(total.get()?.['total']),
    isWatched: (address) => isWatched.get(address) !== undefined,
    byOwnAddress: (address) => toInvoice(byOwnAddress.get(address)),
    byAmount(payTo, currency, amount) {
      return amount > largestAmount ? null : toInvoice(byAmount.get(payTo, currency, amount))
    },
    earliestExpiry: () => (earliest.get()?.['earliest'] ?? null) as number | null,
    pendingEndedBefore: (at) => ended.all(at).map(readInvoice),
    addPayment({ hash, amount, payer }, invoiceId, utime) {
      return addPayment.run(hash, invoiceId, utime, amount.toString(), payer).changes > 0
    },
    list(filter, order, { limit, offset }) {
      const { where, values } = conditionOf(filter)
      const key = invoiceOrders[order.by]
      // Nulls last; newest first among equals.
      const sql = `SELECT ${columns} FROM invoices WHERE ${where}
        ORDER BY ${key} ${order.direction === 'asc' ? 'ASC' : 'DESC'} NULLS LAST, number DESC
        LIMIT ? OFFSET ?`
      return database
        .prepare(sql)
        .all(...values, limit, offset)
        .map(readInvoice)
    },
    count(filter) {
      const { where, values } = conditionOf(filter)
      const row = database
        .prepare(`SELECT count(*) AS total FROM invoices WHERE ${where}`)
        .get(...values)
      return Number(row?.['total'])
    },
    stats(appId, currency, since) {
      const row = counts.get(appId, currency)
      return {
        total: Number(row?.['total']),
        pending: Number(row?.['pending']),
        paidAmount: sum('paid', appId, currency, 0),
        paidSinceAmount: sum('paid', appId, currency, since),
        pendingAmount: sum('pending', appId, currency, 0),
      }
    },
  }
}

type Row = Record<string, unknown>
type Condition = { readonly where: string; readonly values: (string | number | bigint)[] }

const largestAmount = 2n ** 63n - 1n

function conditionOf(filter: InvoiceFilter): Condition {
  const parts = ['app_id = ?']
  const values: Condition['values'] = [filter.appId]
  const add = (part: string, ...more: Condition['values']) => {
    parts.push(part)
    values.push(...more)
  }
  if (filter.idPrefix !== undefined) add('instr(id, ?) = 1', filter.idPrefix.toLowerCase())
  if (filter.statuses.length > 0) {
    add(`status IN (${filter.statuses.map(() => '?').join(', ')})`, ...filter.statuses)
  }
  if (filter.currency !== undefined) add('currency = ?', filter.currency)
  if (filter.overpaidOnly) add('overpayment IS NOT NULL')
  if (filter.from !== undefined) add('date_create >= ?', filter.from)
  if (filter.to !== undefined) add('date_create <= ?', filter.to)
  return { where: parts.join(' AND '), values }
}

function toInvoice(row: Row | undefined): Invoice | null {
  return row === undefined ? null : readInvoice(row)
}

function readInvoice(row: Row): Invoice {
  const refunded = row['refunded'] as number | null
  const refundAmount = row['refund_amount'] as string | null
  return {
    id: row['id'] as string,
    appId: row['app_id'] as number,
    status: row['status'] as InvoiceStatus,
    // At most 10^14, below 2^53.
    amount: BigInt(row['amount'] as number),
    currency: row['currency'] as Currency,
    description: row['description'] as string | null,
    lifeTime: row['life_time'] as number,
    dateCreate: row['date_create'] as number,
    dateExpire: row['date_expire'] as number,
    dateChange: row['date_change'] as number,
    rule: row['rule'] as MatchingRule,
    payTo: row['pay_to_address'] as string,
    paidBy: row['paid_by_address'] as string | null,
    received: BigInt(row['received'] as string),
    refunded: refunded === null ? null : refunded === 1,
    refundAmount: refundAmount === null ? null : BigInt(refundAmount),
  }
}

function overpaymentText(invoice: Invoice): string | null {
  const overpayment = overpaymentOf(invoice)
  return overpayment === 0n ? null : overpayment.toString()
}

function toFlag(value: boolean | null): number | null {
  return value === null ? null : Number(value)
}

function toText(value: bigint | null): string | null {
  return value?.toString() ?? null
}
