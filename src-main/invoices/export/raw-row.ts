/** What the store gives of a row: an array, as a million objects would cost seconds. */
import type { InvoiceColumn } from '../../../src-preload/contract/invoice-export.ts'
import type { InvoiceCurrency, MatterKind } from '../../../src-preload/contract/invoice.ts'
import {
  type InvoiceFigures,
  linkForDue,
  moneyOf,
} from '../../../src-preload/contract/invoice-money.ts'
import {
  type ExportRows,
  type RawRow,
  type StoredColumn,
  leadingColumns,
} from '../store/export-rows.ts'
import { formatUnits } from './amounts.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import { decimalsOf } from '../../../src-preload/domain/amount.ts'

export type { ExportRows, RawRow, StoredColumn }

/** What every printer of rows needs. */
export type Printing = {
  readonly times: ZoneTimes
  /** Of the bits that stand for them. */
  readonly mattersOf: (bits: number) => readonly MatterKind[]
}

/** Where each of the columns asked for is in a row. */
export function placesOf(columns: readonly StoredColumn[]): number[] {
  const all = [...new Set([...leadingColumns, ...columns])]
  return columns.map((column) => all.indexOf(column))
}

export const statusOf = (row: RawRow) => String(row[0])
export const currencyOf = (row: RawRow) => row[1] as InvoiceCurrency
/** Digits of minimal units. */
export const amountOf = (row: RawRow) => row[2] as string
/** Null while the chain was not read so far. */
export const receivedOf = (row: RawRow) => row[3] as string | null
const overpaymentOf = (row: RawRow) => row[4] as string
export const decimalsIn = (row: RawRow) => decimalsOf[currencyOf(row)]

/** What came for it and is not counted, as the store gives it: `USDT:295000000`, a space between. */
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

/** What pages say of the same invoice. */
export function figuresIn(row: RawRow, { mattersOf }: Pick<Printing, 'mattersOf'>): InvoiceFigures {
  return {
    status: statusOf(row),
    currency: currencyOf(row),
    amount: amountOf(row),
    received: receivedOf(row),
    overpayment: overpaymentOf(row),
    matters: [...mattersOf(Number(row[5]))],
    uncounted: sumsIn(row[6]),
  }
}

/** For each of the columns what reads its value of a row, also where no column of the store has it. */
export function readersOf(
  columns: readonly (InvoiceColumn | StoredColumn)[],
  printing: Pick<Printing, 'mattersOf'>,
): ((row: RawRow) => unknown)[] {
  const places = placesOf(columns)
  return columns.map((column, index): ((row: RawRow) => unknown) => {
    const place = places[index] ?? 0
    switch (column as string) {
      case 'due':
        return (row) =>
          statusOf(row) === 'pending' ? String(moneyOf(figuresIn(row, printing)).due) : '0'
      case 'to_return':
        return (row) => {
          // Most have none; a file has millions of rows.
          if (row[5] === 0) return '0'
          const { excess, isToReturn } = moneyOf(figuresIn(row, printing))
          return isToReturn ? String(excess) : '0'
        }
      case 'payment_link':
        return (row) =>
          statusOf(row) === 'pending'
            ? linkForDue(String(row[place]), figuresIn(row, printing))
            : row[place]
      default:
        return (row) => row[place]
    }
  })
}

/** Hashes of the payments, as the store gives them: `lt:hash`, a space between. In the order of the chain. */
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
