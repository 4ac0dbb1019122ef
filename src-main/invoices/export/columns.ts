/** The columns of an export, and how a cell of each is made of what the store gives. */
import { type InvoiceColumn, invoiceColumn } from '../../../src-preload/contract/invoice-export.ts'

export type CellKind = 'text' | 'amount' | 'moment' | 'matters' | 'hashes' | 'sums'

const kinds: Readonly<Partial<Record<InvoiceColumn, CellKind>>> = {
  amount: 'amount',
  received: 'amount',
  overpayment: 'amount',
  created: 'moment',
  expires: 'moment',
  changed: 'moment',
  paid_on_chain: 'moment',
  transactions: 'hashes',
  matters: 'matters',
  due: 'amount',
  to_return: 'amount',
  uncounted: 'sums',
}

export function kindOf(column: InvoiceColumn): CellKind {
  return kinds[column] ?? 'text'
}

/** @param asked empty for all; one named twice stands once */
export function columnsOf(asked: readonly InvoiceColumn[]): InvoiceColumn[] {
  return [...new Set(asked.length === 0 ? invoiceColumn.options : asked)]
}
