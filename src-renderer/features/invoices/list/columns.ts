/** Which columns the table has, by the room there is and by what the person has put away. Pure. */
import type { Invoice } from '../../../../src-preload/contract/invoice.ts'
import { moneyOf } from '../../../../src-preload/contract/invoice-money.ts'
import { decimalsOf } from '../../../../src-preload/domain/amount.ts'
import type { InvoiceSortBy } from '../../../app/invoices-route.ts'

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
const invoiceColumns: readonly InvoiceColumn[] = [
  { id: 'select', name: 'Selected', width: 14 },
  { id: 'id', name: 'Invoice', width: 66, sort: 'id' },
  { id: 'status', name: 'State', width: 178, grow: 2, sort: 'status' },
  { id: 'amount', name: 'Amount', width: 60, end: true, sort: 'amount' },
  { id: 'received', name: 'Received', width: 60, end: true, sort: 'received' },
  { id: 'overpayment', name: 'To return', width: 80, end: true, sort: 'overpayment' },
  { id: 'description', name: 'Description', width: 70, grow: 3, sort: 'description' },
  { id: 'payer', name: 'Payer', width: 92, sort: 'payer' },
  { id: 'created', name: 'Created', width: 92, sort: 'created' },
  { id: 'expires', name: 'Expires', width: 92, sort: 'expires' },
  { id: 'changed', name: 'Changed', width: 92, sort: 'changed' },
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

/** How many signs the longest amounts have: these are never cut. */
type AmountSigns = {
  readonly amount: number
  readonly received: number
  readonly overpayment: number
}

export const noSigns: AmountSigns = { amount: 0, received: 0, overpayment: 0 }

/** Of the monospace face at its size, in pixels; the widest in use. */
const signWidth = 7.3

export function signsOf(rows: Iterable<Invoice>, before: AmountSigns): AmountSigns {
  let { amount, received, overpayment } = before
  for (const row of rows) {
    const unit = row.currency.length + 1
    amount = Math.max(amount, countSigns(row.amount, row.currency) + unit)
    received = Math.max(received, countSigns(row.received ?? '0', row.currency))
    overpayment = Math.max(overpayment, countSigns(String(moneyOf(row).excess), row.currency))
  }
  const isSame =
    amount === before.amount && received === before.received && overpayment === before.overpayment
  return isSame ? before : { amount, received, overpayment }
}

/** As it is printed: groups of three, the point, all decimals. */
function countSigns(units: string, currency: Invoice['currency']): number {
  const decimals = decimalsOf[currency]
  const whole = Math.max(1, units.length - decimals)
  return whole + Math.floor((whole - 1) / 3) + 1 + decimals
}

export function columnsThatFit(
  width: number,
  hidden: ReadonlySet<ColumnId>,
  signs: AmountSigns,
): readonly InvoiceColumn[] {
  const columns = invoiceColumns.map((column) => {
    const needed = column.id in signs ? signs[column.id as keyof AmountSigns] : 0
    return { ...column, width: Math.max(column.width, Math.ceil(needed * signWidth)) }
  })
  const taken = new Set(always)
  const widthOf = (ids: ReadonlySet<ColumnId>) =>
    columns
      .filter(({ id }) => ids.has(id))
      .reduce((sum, column) => sum + column.width + columnGap, 2 * columnInset - columnGap)
  for (const id of byUse) {
    if (hidden.has(id)) continue
    if (widthOf(new Set([...taken, id])) > width) break
    taken.add(id)
  }
  return columns.filter(({ id }) => taken.has(id))
}

/** For `grid-template-columns`. */
export function templateOf(columns: readonly InvoiceColumn[]): string {
  return columns
    .map(({ width, grow }) => (grow === undefined ? `${width}px` : `minmax(${width}px, ${grow}fr)`))
    .join(' ')
}
