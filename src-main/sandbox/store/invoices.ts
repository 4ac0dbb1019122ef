import { createSql, flag, int64 } from '../../database/sql.ts'
import {
  type AccessState,
  type AppWebhook,
  type Currency,
  type Invoice,
  type InvoiceApp,
  type InvoiceStatus,
  type MatchingRule,
  type Payment,
  overpaymentOf,
} from '../invoices/invoice.ts'
import { type Database, decimalCodec } from './database.ts'

export type InvoiceFilter = {
  readonly appId: number
  readonly idPrefix?: string | undefined
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

const select = 'SELECT * FROM invoices'

const maxInt64 = 2n ** 63n - 1n

export type InvoiceStore = ReturnType<typeof createInvoiceStore>

export function createInvoiceStore(database: Database) {
  const sql = createSql(database, {
    amount: int64,
    received: decimalCodec,
    overpayment: decimalCodec,
    refundAmount: decimalCodec,
    refunded: flag,
    high: int64,
    low: int64,
  })
  const { all, get } = sql

  const columnsOf = (invoice: Invoice) => ({
    ...invoice,
    overpayment: overpaymentOf(invoice) || null,
  })

  /** Sums minimal units without overpayments. A SUM of int64 may overflow, but sums of halves cannot. */
  function sum(status: InvoiceStatus, appId: number, currency: Currency, since: number): bigint {
    const halves = get<{ readonly high: bigint; readonly low: bigint }>(
      `SELECT coalesce(sum(amount >> 32), 0) AS high, coalesce(sum(amount & 4294967295), 0) AS low
       FROM invoices
       WHERE status = $status AND date_change >= $since AND app_id = $appId
         AND currency = $currency`,
      { status, appId, currency, since },
    )
    return halves === null ? 0n : (halves.high << 32n) + halves.low
  }

  return {
    insert: (invoice: Invoice) => sql.insert('invoices', columnsOf(invoice)),
    update: (invoice: Invoice) => sql.update('invoices', columnsOf(invoice), { id: invoice.id }),
    find: (id: string) => get<Invoice>(`${select} WHERE id = ?`, id),
    has: (id: string) => sql.exists('invoices WHERE id = ?', id),
    total: () => sql.value<number>('SELECT max(number) FROM invoices') ?? 0,
    isWatched: (address: string) => sql.exists('invoices WHERE pay_to_address = ?', address),
    byOwnAddress: (address: string) =>
      get<Invoice>(`${select} WHERE pay_to_address = ? AND rule = 'address'`, address),
    /** Returns the oldest pending invoice with this amount, else the last one that ended. */
    byAmount: (payToAddress: string, currency: Currency, amount: bigint) =>
      amount > maxInt64
        ? null
        : get<Invoice>(
            `${select}
             WHERE pay_to_address = $payToAddress AND rule = 'amount' AND currency = $currency
               AND amount = $amount
             ORDER BY status <> 'pending', CASE WHEN status = 'pending' THEN number END,
               date_change DESC, number DESC
             LIMIT 1`,
            { payToAddress, currency, amount },
          ),
    earliestExpiry: () =>
      sql.value<number>("SELECT min(date_expire) FROM invoices WHERE status = 'pending'"),
    pendingEndedBefore: (at: number) =>
      all<Invoice>(
        `${select} WHERE status = 'pending' AND date_expire < ? ORDER BY date_expire, number`,
        at,
      ),
    /** @returns false for a payment that is already stored */
    addPayment: ({ hash, amount, payer }: Payment, invoiceId: string, utime: number) =>
      sql.insertNew('invoice_payments', {
        txHash: hash,
        invoiceId,
        utime,
        amount: String(amount),
        payer,
      }) !== null,
    /** Equal values are sorted newest first, and nulls come last. */
    list(
      filter: InvoiceFilter,
      { by, direction }: InvoiceOrder,
      page: { readonly limit: bigint; readonly offset: bigint },
    ): Invoice[] {
      return all(
        `${select} WHERE ${isListed}
         ORDER BY ${invoiceOrders[by]} ${direction} NULLS LAST, number DESC
         LIMIT $limit OFFSET $offset`,
        { ...valuesOf(filter), ...page },
      )
    },
    count: (filter: InvoiceFilter) => sql.count(`invoices WHERE ${isListed}`, valuesOf(filter)),
    /** Returns statistics in the form of the API. */
    stats: (appId: number, currency: Currency, since: number) => ({
      total: sql.count('invoices WHERE app_id = ? AND currency = ?', appId, currency),
      success_total: sum('paid', appId, currency, 0),
      success_in_week: sum('paid', appId, currency, since),
      invoices_in_progress: sql.count(
        "invoices WHERE status = 'pending' AND app_id = ? AND currency = ?",
        ...[appId, currency],
      ),
      total_amount_pending: sum('pending', appId, currency, 0),
    }),
  }
}

const isListed = `app_id = $appId
  AND ($idPrefix IS NULL OR instr(id, $idPrefix) = 1)
  AND ($statuses = '[]' OR status IN (SELECT value FROM json_each($statuses)))
  AND ($currency IS NULL OR currency = $currency)
  AND (NOT $overpaidOnly OR overpayment IS NOT NULL)
  AND date_create >= $from AND date_create <= $to`

const valuesOf = ({ appId, statuses, overpaidOnly, ...filter }: InvoiceFilter) => ({
  appId,
  idPrefix: filter.idPrefix?.toLowerCase() ?? null,
  statuses: JSON.stringify(statuses),
  currency: filter.currency ?? null,
  overpaidOnly,
  from: filter.from ?? 0n,
  to: filter.to ?? maxInt64,
})

export type InvoiceAccess = {
  readonly state: AccessState
  readonly token: string
  readonly rule: MatchingRule
}

export type InvoiceAppStore = ReturnType<typeof createInvoiceAppStore>

export function createInvoiceAppStore(database: Database) {
  const sql = createSql(database)
  const { all, get, remove, run } = sql
  const selectWebhook =
    'SELECT id, url, failed_attempts, failed_at, last_error FROM invoice_webhooks'
  return {
    access: () => get<InvoiceAccess>('SELECT state, token, rule FROM invoice_access'),
    setAccess: (access: InvoiceAccess) => sql.upsert('invoice_access', { id: 1 }, access),
    app(): InvoiceApp | null {
      const app = get<Omit<InvoiceApp, 'webhooks'>>(
        'SELECT * FROM invoice_apps ORDER BY id DESC LIMIT 1',
      )
      if (app === null) return null
      const webhooks = all<AppWebhook>(`${selectWebhook} WHERE app_id = ? ORDER BY id`, app.id)
      return { ...app, webhooks }
    },
    addApp: (app: Omit<InvoiceApp, 'id' | 'webhooks'>) => sql.insert('invoice_apps', app),
    updateApp: (id: number, form: Pick<InvoiceApp, 'name' | 'description' | 'recipient'>) =>
      sql.update('invoice_apps', form, { id }),
    /** Removes the application's webhooks; its invoices stay. */
    removeApp(id: number): void {
      remove('invoice_webhooks', { appId: id })
      remove('invoice_apps', { id })
    },
    addWebhook: (appId: number, url: string) => sql.insert('invoice_webhooks', { appId, url }),
    updateWebhook: (id: number, url: string) => sql.update('invoice_webhooks', { url }, { id }),
    removeWebhook: (id: number) => remove('invoice_webhooks', { id }),
    webhook: (id: number) => get<AppWebhook>(`${selectWebhook} WHERE id = ?`, id),
    webhookDelivered: (id: number) =>
      run(
        `UPDATE invoice_webhooks SET failed_attempts = 0, failed_at = NULL, last_error = NULL
         WHERE id = ? AND failed_attempts > 0`,
        id,
      ),
    webhookFailed: (id: number, message: string, at: number) =>
      run(
        `UPDATE invoice_webhooks
         SET failed_attempts = failed_attempts + 1, last_error = $message, failed_at = $at
         WHERE id = $id`,
        { message, at, id },
      ),
  }
}
