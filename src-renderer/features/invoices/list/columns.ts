/** Which columns the table has, by the room there is and by what the person has put away. Pure but for the store. */
import { create } from 'zustand'
import type { InvoiceSortBy } from '../../../invoices-route.ts'

export type ColumnId =
  | 'select'
  | 'id'
  | 'status'
  | 'amount'
  | 'received'
  | 'overpayment'
  | 'description'
  | 'payer'
  | 'created'
  | 'expires'
  | 'changed'

export type InvoiceColumn = {
  readonly id: ColumnId
  readonly name: string
  /** At least so wide, in pixels. */
  readonly width: number
  /** Its share of what is left over. */
  readonly grow?: number
  /** Numbers stand at its end. */
  readonly end?: boolean
  readonly sort?: InvoiceSortBy
}

/** In the order in which they stand. */
export const invoiceColumns: readonly InvoiceColumn[] = [
  { id: 'select', name: 'Selected', width: 14 },
  { id: 'id', name: 'Invoice', width: 76, sort: 'id' },
  { id: 'status', name: 'State', width: 160, grow: 1, sort: 'status' },
  { id: 'amount', name: 'Amount', width: 134, end: true, sort: 'amount' },
  { id: 'received', name: 'Received', width: 112, end: true, sort: 'received' },
  { id: 'overpayment', name: 'Overpayment', width: 112, end: true, sort: 'overpayment' },
  { id: 'description', name: 'Description', width: 84, grow: 2, sort: 'description' },
  { id: 'payer', name: 'Payer', width: 112, sort: 'payer' },
  { id: 'created', name: 'Created', width: 84, sort: 'created' },
  { id: 'expires', name: 'Expires', width: 84, sort: 'expires' },
  { id: 'changed', name: 'Changed', width: 84, sort: 'changed' },
]

export const columnGap = 8
export const columnInset = 10

/** What says least goes first where not all fit. These three stay. */
const always: ReadonlySet<ColumnId> = new Set(['select', 'id', 'status'])
const byUse: readonly ColumnId[] = [
  'amount',
  'description',
  'changed',
  'overpayment',
  'payer',
  'received',
  'created',
  'expires',
]

export const optionalColumns = invoiceColumns.filter(({ id }) => !always.has(id))

export function columnsThatFit(
  width: number,
  hidden: ReadonlySet<ColumnId>,
): readonly InvoiceColumn[] {
  const taken = new Set(always)
  const widthOf = (ids: ReadonlySet<ColumnId>) =>
    invoiceColumns
      .filter(({ id }) => ids.has(id))
      .reduce((sum, column) => sum + column.width + columnGap, 2 * columnInset - columnGap)
  for (const id of byUse) {
    if (hidden.has(id)) continue
    if (widthOf(new Set([...taken, id])) > width) break
    taken.add(id)
  }
  return invoiceColumns.filter(({ id }) => taken.has(id))
}

/** For `grid-template-columns`. */
export function templateOf(columns: readonly InvoiceColumn[]): string {
  return columns
    .map(({ width, grow }) => (grow === undefined ? `${width}px` : `minmax(${width}px, ${grow}fr)`))
    .join(' ')
}

const storageKey = 'tondesk.invoices-columns'

/** Those the person has put away. */
export const useHiddenColumns = create<{ hidden: ReadonlySet<ColumnId> }>(() => ({
  hidden: new Set(
    optionalColumns.flatMap(({ id }) =>
      (window.localStorage.getItem(storageKey) ?? '').split(',').includes(id) ? [id] : [],
    ),
  ),
}))

export function toggleColumn(id: ColumnId): void {
  const hidden = new Set(useHiddenColumns.getState().hidden)
  if (!hidden.delete(id)) hidden.add(id)
  window.localStorage.setItem(storageKey, [...hidden].join(','))
  useHiddenColumns.setState({ hidden })
}
