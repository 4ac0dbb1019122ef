/** Orders of the list. Pure. */
import type { InvoiceSort } from '../../../src-preload/contract/invoice.ts'

type By = InvoiceSort['by']

/**
 * An order that an index has, so that rows are found in it without sorting a million. Some indexes
 * hold only what has a value; the rest stands before it, in the order of the creation.
 */
export type Order = {
  readonly index: string
  readonly columns: readonly string[]
  /** What of all is in the index; null for all. */
  readonly only: string | null
}

const nothing = { only: null }

/** `status` is none: it is the order of the creation, one state after the other. */
export const orders: Readonly<Record<Exclude<By, 'status'>, Order>> = {
  id: { index: 'invoices_by_id', columns: ['id'], ...nothing },
  created: { index: 'invoices_by_creation', columns: ['created_at', 'key'], ...nothing },
  expires: { index: 'invoices_by_expiry', columns: ['expires_at', 'key'], ...nothing },
  changed: { index: 'invoices_by_change', columns: ['changed_at', 'key'], ...nothing },
  description: {
    index: 'invoices_by_text',
    columns: ['description COLLATE NOCASE', 'id'],
    ...nothing,
  },
  amount: { index: 'invoices_by_amount', columns: ['currency', 'amount', 'key'], ...nothing },
  received: {
    index: 'invoices_by_received',
    columns: ['currency', 'received', 'key'],
    only: 'received > 0',
  },
  overpayment: {
    index: 'invoices_by_overpayment',
    columns: ['currency', 'overpayment', 'key'],
    only: 'overpayment > 0',
  },
  payer: {
    index: 'invoices_by_payer',
    columns: ['paid_by', 'key'],
    only: 'paid_by IS NOT NULL',
  },
}

/** The same order for few rows, which are sorted. */
export function termsOf(by: By): readonly string[] {
  if (by === 'status') return ['status', ...orders.created.columns]
  const { only, columns } = orders[by]
  if (only === null) return columns
  // What has no value comes first, in the order of the creation.
  return [
    `(${only})`,
    ...columns.slice(0, -1).map((column) => `CASE WHEN ${only} THEN ${column} END`),
    `CASE WHEN ${only} THEN NULL ELSE created_at END`,
    'key',
  ]
}

export function orderBy(terms: readonly string[], descending: boolean): string {
  return terms.map((term) => (descending ? `${term} DESC` : term)).join(', ')
}
