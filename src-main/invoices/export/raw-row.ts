/** An invoice as the store returns it: an array, because a million objects would take seconds. */
import type { Invoice, InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import {
  type InvoiceAmounts,
  acceptedOf,
  linkForDue,
  moneyOf,
} from '../../../src-preload/contract/invoice-money.ts'
import { decimalsOf } from '../../../src-preload/domain/amount.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import {
  type FiatReader,
  type RawRow,
  type StoredColumn,
  leadingColumns,
} from '../store/export-rows.ts'
import { discrepancyKindsOf } from '../store/invoice-rows.ts'
import type { Cell } from './content.ts'
import { type FiatCells, fiatCells, isFiatColumn } from './fiat-cells.ts'

export type Sum = InvoiceAmounts['uncounted'][number]

const currencyOf = (row: RawRow) => row[1] as InvoiceCurrency
export const decimalsIn = (row: RawRow) => decimalsOf[currencyOf(row)]

/** Parses sums of uncounted payments in the store's form, such as `USDT:295000000`, separated by spaces. */
export function sumsIn(cell: unknown): Sum[] {
  if (typeof cell !== 'string') return []
  return cell.split(' ').map((each) => {
    const [currency, amount = '0'] = each.split(':')
    return { currency: currency as InvoiceCurrency, amount }
  })
}

export function amountsOfRow(row: RawRow): InvoiceAmounts {
  const text = row[10] as string | null
  const together = text === null ? null : (JSON.parse(text) as Invoice['together'])
  const [status, amount, received] = [String(row[0]), row[2] as string, row[3] as string | null]
  const whole = together ?? { amount, received }
  return {
    status,
    amount,
    received,
    together,
    accepted: acceptedOf(row[9] as string | null, status, whole),
    currency: currencyOf(row),
    overpayment: row[4] as string,
    matters: discrepancyKindsOf(Number(row[5])),
    uncounted: sumsIn(row[6]),
    refunded: row[7] as string,
  }
}

export function createCellReader(
  read: readonly StoredColumn[],
  fiat: (row: RawRow) => FiatCells,
): (column: StoredColumn) => (row: RawRow) => Cell {
  const places = [...new Set([...leadingColumns, ...read])]
  return (column) => {
    const place = places.indexOf(column)
    if (isFiatColumn(column)) return (row) => fiat(row)[column]
    const stored = (row: RawRow) => row[place] as Cell
    const isPending = (row: RawRow) => row[0] === 'pending'
    if (column === 'due') {
      return (row) => (isPending(row) ? String(moneyOf(amountsOfRow(row)).due) : '0')
    }
    if (column === 'to_return') {
      return (row) => {
        // Most rows have no discrepancy, and a file may have millions of rows, so this case comes first.
        if (row[5] === 0) return '0'
        return String(moneyOf(amountsOfRow(row)).toReturn)
      }
    }
    if (column === 'accepted_short') return (row) => amountsOfRow(row).accepted?.short ?? null
    if (column === 'counts_with') return (row) => amountsOfRow(row).together?.other ?? null
    if (column !== 'payment_link') return stored
    return (row) =>
      isPending(row) ? linkForDue(String(stored(row)), amountsOfRow(row)) : stored(row)
  }
}

/** Parses the store's list of payments, `lt:hash` separated by spaces, to hashes in chain order. */
export function hashesIn(cell: unknown): string[] {
  if (typeof cell !== 'string') return []
  if (!cell.includes(' ')) return [cell.slice(cell.indexOf(':') + 1)]
  return cell
    .split(' ')
    .map((each) => each.split(':') as [string, string])
    .sort(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1))
    .map(([, hash]) => hash)
}

/** Parses the store's list of payments: `lt:currency:amount:asked:rate:time of the rate`. */
export function createFiatCells(fiat: FiatReader | null, times: ZoneTimes) {
  let last: { readonly row: RawRow; readonly cells: FiatCells } | null = null

  function read(cell: unknown): FiatCells {
    if (fiat === null || typeof cell !== 'string') return fiatCells([], times)
    const payments = cell
      .split(' ')
      .map((each) => each.split(':'))
      .sort(([a = ''], [b = '']) => (BigInt(a) < BigInt(b) ? -1 : 1))
      .map(([, currency, amount = '0', isAsked, rate = '', rateAt = '']) => {
        const stored = rate === '' ? { rate: null, rateAt: null } : { rate, rateAt: Number(rateAt) }
        const asset = { currency: currency as InvoiceCurrency, amount: BigInt(amount) }
        return fiat.read(asset, isAsked === '0' ? null : stored)
      })
    return fiatCells(payments, times)
  }

  /** All columns of a row share these cells. */
  return (row: RawRow): FiatCells => {
    if (last?.row !== row) last = { row, cells: read(row[8]) }
    return last.cells
  }
}
