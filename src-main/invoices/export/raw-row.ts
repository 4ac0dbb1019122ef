/** An invoice as the store returns it: an array, because a million objects would cost seconds. */
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import {
  type InvoiceFigures,
  linkForDue,
  moneyOf,
} from '../../../src-preload/contract/invoice-money.ts'
import { decimalsOf } from '../../../src-preload/domain/amount.ts'
import { formatUnits } from '../../exports/table.ts'
import { type RawRow, type StoredColumn, leadingColumns } from '../store/export-rows.ts'
import { mattersOf } from '../store/stored-invoice.ts'

export const statusOf = (row: RawRow) => String(row[0])
export const currencyOf = (row: RawRow) => row[1] as InvoiceCurrency
export const amountOf = (row: RawRow) => row[2] as string
export const receivedOf = (row: RawRow) => row[3] as string | null
const overpaymentOf = (row: RawRow) => row[4] as string
export const decimalsIn = (row: RawRow) => decimalsOf[currencyOf(row)]

/** Parses uncounted sums as the store joins them, such as `USDT:295000000`, separated by spaces. */
export function sumsIn(cell: unknown): { currency: InvoiceCurrency; amount: string }[] {
  if (typeof cell !== 'string') return []
  return cell.split(' ').map((each) => {
    const [currency, amount = '0'] = each.split(':')
    return { currency: currency as InvoiceCurrency, amount }
  })
}

export function formatSums(cell: unknown, mark: string): string {
  return sumsIn(cell)
    .map(({ currency, amount }) => `${formatUnits(amount, decimalsOf[currency], mark)} ${currency}`)
    .join('; ')
}

export function figuresIn(row: RawRow): InvoiceFigures {
  return {
    status: statusOf(row),
    currency: currencyOf(row),
    amount: amountOf(row),
    received: receivedOf(row),
    overpayment: overpaymentOf(row),
    matters: mattersOf(Number(row[5])),
    uncounted: sumsIn(row[6]),
  }
}

export type Cell = string | number | null

export function createCellReader(
  read: readonly StoredColumn[],
): (column: StoredColumn) => (row: RawRow) => Cell {
  const places = [...new Set([...leadingColumns, ...read])]
  return (column) => {
    const place = places.indexOf(column)
    if (column === 'due') {
      return (row) => (statusOf(row) === 'pending' ? String(moneyOf(figuresIn(row)).due) : '0')
    }
    if (column === 'to_return') {
      return (row) => {
        // Most rows have no discrepancy, and a file may have millions of rows.
        if (row[5] === 0) return '0'
        const { excess, isToReturn } = moneyOf(figuresIn(row))
        return isToReturn ? String(excess) : '0'
      }
    }
    if (column === 'payment_link') {
      return (row) =>
        statusOf(row) === 'pending'
          ? linkForDue(String(row[place]), figuresIn(row))
          : (row[place] as Cell)
    }
    return (row) => row[place] as Cell
  }
}

/** Parses payments as the store joins them, `lt:hash` separated by spaces, into hashes in chain order. */
export function hashesIn(cell: unknown): string[] {
  if (typeof cell !== 'string') return []
  const [first = ['', ''], ...more] = cell
    .split(' ')
    .map((each) => each.split(':') as [string, string])
  if (more.length === 0) return [first[1]]
  return [first, ...more]
    .sort(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1))
    .map(([, hash]) => hash)
}
