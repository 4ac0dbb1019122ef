import type { InvoiceCurrency, MatterKind } from '../../../src-preload/contract/invoice.ts'
import type { Database } from '../../database/database.ts'
import { type StoredInvoice, bitOf, invoiceColumns, toInvoice } from './stored-invoice.ts'

type Paying = {
  readonly network: string
  /** Raw. */
  readonly payTo: string
  readonly currency: InvoiceCurrency
  readonly amount: bigint
}

/**
 * Invoices as payments look for them, and what payments make of them. Those that only a delivery has
 * told of are never among them.
 */
type InvoiceFigures = {
  byKeys(keys: readonly number[]): StoredInvoice[]
  /** Of any address and currency. */
  byComment(network: string, comments: readonly string[]): StoredInvoice[]
  /** Of exactly this amount, created up to a moment, the newest first. */
  byAmount(paying: Paying, createdUpTo: number, limit: number): StoredInvoice[]
  /** Of exactly this amount, paid by this payer, as the gateway says, from a moment to another. */
  paidBy(
    paying: Paying & { readonly payer: string },
    span: { readonly from: number; readonly to: number },
    limit: number,
  ): StoredInvoice[]
  /** Of amounts around this one, so many below it and so many above. */
  near(paying: Paying, createdUpTo: number, limit: number): StoredInvoice[]
  set(
    key: number,
    figures: {
      readonly received: bigint
      readonly paidAt: number | null
      readonly matters: readonly MatterKind[]
    },
  ): void
  /** To be judged again after the next reading of the chain, or not any more. */
  setWaiting(network: string, key: number, isWaiting: boolean): void
  waiting(network: string, after: number, limit: number): number[]
  /** Paid by the gateway within a span, by when that was, those after a place. */
  paid(
    network: string,
    span: { readonly from: number; readonly to: number },
    after: { readonly changedAt: number; readonly key: number },
    limit: number,
  ): StoredInvoice[]
}

export function createInvoiceFigures(database: Database): InvoiceFigures {
  const read = (rest: string) => {
    const statement = database.prepare(`SELECT ${invoiceColumns} FROM invoices ${rest}`)
    statement.setReadBigInts(true)
    return statement
  }
  const confirmed = 'confirmed_at IS NOT NULL'
  const byKeys = read(`WHERE key IN (SELECT value FROM json_each(?)) AND ${confirmed}`)
  const byComment = read(
    `INDEXED BY invoices_by_comment WHERE network = ?
       AND comment IN (SELECT value FROM json_each(?)) AND ${confirmed} LIMIT 20`,
  )
  const same = 'network = ? AND pay_to = ? AND currency = ?'
  const byAmount = read(
    `INDEXED BY invoices_by_payment WHERE ${same} AND amount = ? AND created_at <= ?
       AND ${confirmed} ORDER BY created_at DESC LIMIT ?`,
  )
  const paidBy = read(
    `INDEXED BY invoices_paid WHERE ${same} AND amount = ? AND paid_by = ? AND status = 'paid' AND changed_at >= ?
       AND changed_at <= ? AND ${confirmed} LIMIT ?`,
  )
  const below = read(
    `INDEXED BY invoices_by_payment WHERE ${same} AND amount < ? AND ${confirmed}
       AND created_at <= ? ORDER BY amount DESC, created_at DESC LIMIT ?`,
  )
  const above = read(
    `INDEXED BY invoices_by_payment WHERE ${same} AND amount > ? AND ${confirmed}
       AND created_at <= ? ORDER BY amount, created_at LIMIT ?`,
  )
  const set = database.prepare(
    `UPDATE invoices SET received = $received, paid_at = $paidAt, open_matters = $matters
     WHERE key = $key AND (received <> $received OR paid_at IS NOT $paidAt
       OR open_matters <> $matters)`,
  )
  const wait = database.prepare(
    'INSERT OR IGNORE INTO invoices_waiting (invoice_key, network) VALUES (?, ?)',
  )
  const unwait = database.prepare('DELETE FROM invoices_waiting WHERE invoice_key = ?')
  const waiting = database.prepare(
    `SELECT invoice_key FROM invoices_waiting WHERE network = ? AND invoice_key > ?
     ORDER BY invoice_key LIMIT ?`,
  )
  const paid = read(
    `INDEXED BY invoices_paid WHERE network = ? AND status = 'paid' AND changed_at >= ?
       AND changed_at < ? AND (changed_at, key) > (?, ?) AND ${confirmed}
     ORDER BY changed_at, key LIMIT ?`,
  )

  return {
    byKeys: (keys) => byKeys.all(JSON.stringify(keys)).map(toInvoice),
    byComment: (network, comments) =>
      byComment.all(network, JSON.stringify(comments)).map(toInvoice),
    byAmount: ({ network, payTo, currency, amount }, createdUpTo, limit) =>
      byAmount.all(network, payTo, currency, amount, createdUpTo, limit).map(toInvoice),
    paidBy: ({ network, payTo, currency, amount, payer }, { from, to }, limit) =>
      paidBy.all(network, payTo, currency, amount, payer, from, to, limit).map(toInvoice),
    near({ network, payTo, currency, amount }, createdUpTo, limit) {
      const asked = [network, payTo, currency, amount, createdUpTo, limit] as const
      return [...below.all(...asked), ...above.all(...asked)].map(toInvoice)
    },
    set(key, { received, paidAt, matters }) {
      set.run({
        $key: key,
        $received: received,
        $paidAt: paidAt,
        $matters: matters.reduce((bits, kind) => bits | bitOf(kind), 0),
      })
    },
    setWaiting(network, key, isWaiting) {
      if (isWaiting) wait.run(key, network)
      else unwait.run(key)
    },
    waiting: (network, after, limit) =>
      waiting.all(network, after, limit).map((row) => row['invoice_key'] as number),
    paid: (network, { from, to }, after, limit) =>
      paid.all(network, from, to, after.changedAt, after.key, limit).map(toInvoice),
  }
}
