import type { InvoiceCurrency, InvoiceSource } from '../../../src-preload/contract/invoice.ts'
import type { Database } from '../../database/database.ts'
import { type StoredInvoice, invoiceColumns, toInvoice } from './stored-invoice.ts'

/** What the gateway, or a delivery, tells of an invoice. */
export type GatewayInvoice = {
  readonly id: string
  readonly status: string
  readonly currency: InvoiceCurrency
  readonly amount: bigint
  readonly overpayment: bigint
  readonly description: string
  /** Raw. */
  readonly payTo: string
  readonly paidBy: string | null
  readonly paymentLink: string
  readonly comment: string | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly changedAt: number
  readonly raw: string
}

/** How it came here; `confirmedAt` is null for what only a delivery tells. */
type Sighting = {
  readonly at: number
  readonly source: InvoiceSource
  readonly confirmedAt: number | null
  readonly reportedStatus: string | null
}

/** Rows of the ledger, by key and by id. Whoever writes several does so in one transaction. */
type InvoiceRows = {
  find(network: string, id: string): StoredInvoice | null
  byKey(key: number): StoredInvoice | null
  has(network: string, id: string): boolean
  /** @returns its key */
  insert(network: string, told: GatewayInvoice, sighting: Sighting): number
  /** All that is told of it; the gateway has confirmed it then. */
  update(key: number, told: GatewayInvoice, confirmedAt: number): void
  /** It was asked for, and is as it was. */
  setConfirmedAt(key: number, at: number): void
  /** What a delivery told since; null once the gateway has said what is so. */
  setReported(key: number, reported: StoredInvoice['reported']): void
  remove(key: number): void
  /** Pending ones by the gateway's word, those that expire first first; after the key of the last page. */
  pending(
    network: string,
    after: { expiresAt: number; key: number },
    limit: number,
  ): StoredInvoice[]
  countPending(network: string): number
  /** Those whose state is not documented: nobody knows whether it is an end. By key, those after this one. */
  inOtherState(network: string, afterKey: number, limit: number): StoredInvoice[]
  /** Pending ones that expire within these moments, the first not included. */
  expiring(network: string, after: number, to: number, limit: number): StoredInvoice[]
  /** The first pending one's end after this moment. */
  nextExpiry(network: string, after: number): number | null
  countUnconfirmed(network: string): number
  /** By the gateway's word; statuses of none are left out. */
  countByStatus(network: string): Record<string, number>
  /** Whether there are pending or unconfirmed ones. */
  hasUnsettled(network: string): boolean
  /** @returns false once nothing is left; call again until then */
  forgetSome(network: string): boolean
}

/** Rows a step: deliveries are written between two of them. */
const stepRows = 500

export function createInvoiceRows(database: Database): InvoiceRows {
  const read = (where: string, index = '') => {
    const from = index === '' ? 'invoices' : `invoices INDEXED BY ${index}`
    const statement = database.prepare(`SELECT ${invoiceColumns} FROM ${from} WHERE ${where}`)
    statement.setReadBigInts(true)
    return statement
  }
  const one = read('network = ? AND id = ?')
  const byKey = read('key = ?')
  const has = database.prepare('SELECT 1 FROM invoices WHERE network = ? AND id = ?')
  const insert = database.prepare(
    `INSERT INTO invoices (network, id, status, reported_status, reported_at, confirmed_at, currency,
       amount, overpayment, description, pay_to, paid_by, payment_link, comment, created_at,
       expires_at, changed_at, first_seen_at, first_source, raw)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = database.prepare(
    `UPDATE invoices SET status = ?, confirmed_at = ?, currency = ?, amount = ?, overpayment = ?,
       description = ?, pay_to = ?, paid_by = ?, payment_link = ?, comment = ?, created_at = ?,
       expires_at = ?, changed_at = ?, raw = ?
     WHERE key = ?`,
  )
  const setConfirmedAt = database.prepare('UPDATE invoices SET confirmed_at = ? WHERE key = ?')
  const setReported = database.prepare(
    'UPDATE invoices SET reported_status = ?, reported_at = ? WHERE key = ?',
  )
  const remove = database.prepare('DELETE FROM invoices WHERE key = ?')
  const isPending = `status = 'pending' AND confirmed_at IS NOT NULL`
  const pending = read(
    `network = ? AND ${isPending} AND (expires_at, key) > (?, ?) ORDER BY expires_at, key LIMIT ?`,
    'invoices_pending',
  )
  const inOtherState = read(
    `network = ? AND status NOT IN ('pending', 'paid', 'cancelled', 'expired')
       AND confirmed_at IS NOT NULL AND key > ? ORDER BY key LIMIT ?`,
    'invoices_in_other_state',
  )
  const countPending = database.prepare(
    `SELECT count(*) AS n FROM invoices INDEXED BY invoices_pending
     WHERE network = ? AND status = 'pending'`,
  )
  const expiring = read(
    `network = ? AND ${isPending} AND expires_at > ? AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
    'invoices_pending',
  )
  const nextExpiry = database.prepare(
    `SELECT min(expires_at) AS at FROM invoices INDEXED BY invoices_pending
     WHERE network = ? AND status = 'pending' AND expires_at > ?`,
  )
  const countUnconfirmed = database.prepare(
    `SELECT count(*) AS n FROM invoices INDEXED BY invoices_unconfirmed
     WHERE network = ? AND (confirmed_at IS NULL OR reported_status IS NOT NULL)
       AND confirmed_at IS NULL`,
  )
  const byStatus = database.prepare(
    `SELECT status, sum(count) AS n FROM invoice_totals
     WHERE network = ? GROUP BY status HAVING n > 0`,
  )
  const hasUnsettled = database.prepare(
    `SELECT EXISTS (SELECT 1 FROM invoices INDEXED BY invoices_pending
         WHERE network = $network AND status = 'pending') OR
       EXISTS (SELECT 1 FROM invoices INDEXED BY invoices_unconfirmed WHERE network = $network
         AND (confirmed_at IS NULL OR reported_status IS NOT NULL)) AS has`,
  )
  const forget = database.prepare(
    `DELETE FROM invoices WHERE key IN (SELECT key FROM invoices WHERE network = ? LIMIT ${stepRows})`,
  )
  const toOne = (row: Record<string, unknown> | undefined) =>
    row === undefined ? null : toInvoice(row)

  return {
    find: (network, id) => toOne(one.get(network, id)),
    byKey: (key) => toOne(byKey.get(key)),
    has: (network, id) => has.get(network, id) !== undefined,
    insert(network, told, { at, source, confirmedAt, reportedStatus }) {
      const { lastInsertRowid } = insert.run(
        network,
        told.id,
        told.status,
        reportedStatus,
        reportedStatus === null ? null : at,
        confirmedAt,
        told.currency,
        told.amount,
        told.overpayment,
        told.description,
        told.payTo,
        told.paidBy,
        told.paymentLink,
        told.comment,
        told.createdAt,
        told.expiresAt,
        told.changedAt,
        at,
        source,
        told.raw,
      )
      return Number(lastInsertRowid)
    },
    update(key, told, confirmedAt) {
      update.run(
        told.status,
        confirmedAt,
        told.currency,
        told.amount,
        told.overpayment,
        told.description,
        told.payTo,
        told.paidBy,
        told.paymentLink,
        told.comment,
        told.createdAt,
        told.expiresAt,
        told.changedAt,
        told.raw,
        key,
      )
    },
    setConfirmedAt: (key, at) => void setConfirmedAt.run(at, key),
    setReported: (key, reported) =>
      void setReported.run(reported?.status ?? null, reported?.at ?? null, key),
    remove: (key) => void remove.run(key),
    pending: (network, after, limit) =>
      pending.all(network, after.expiresAt, after.key, limit).map(toInvoice),
    countPending: (network) => Number(countPending.get(network)?.['n']),
    inOtherState: (network, afterKey, limit) =>
      inOtherState.all(network, afterKey, limit).map(toInvoice),
    expiring: (network, after, to, limit) => expiring.all(network, after, to, limit).map(toInvoice),
    nextExpiry: (network, after) =>
      (nextExpiry.get(network, after)?.['at'] as number | null | undefined) ?? null,
    countUnconfirmed: (network) => Number(countUnconfirmed.get(network)?.['n']),
    countByStatus: (network) =>
      Object.fromEntries(
        byStatus.all(network).map((row) => [row['status'] as string, Number(row['n'])]),
      ),
    hasUnsettled: (network) => hasUnsettled.get({ $network: network })?.['has'] === 1,
    forgetSome: (network) => Number(forget.run(network).changes) > 0,
  }
}
