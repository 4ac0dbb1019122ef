/** What the store gives of a row: an array, as a million objects would cost seconds. */
import type { InvoiceCurrency, MatterKind } from '../../../src-preload/contract/index.ts'
import type {
  ExportAsked,
  ExportRows,
  RawRow,
  StoredColumn,
} from '../../store/invoices/export-rows.ts'
import { decimalsOf } from '../match/words.ts'
import type { ZoneTimes } from '../../files/zone-times.ts'

export type { ExportAsked, ExportRows, RawRow, StoredColumn }

/** What every printer of rows needs. */
export type Printing = {
  readonly times: ZoneTimes
  /** Of the bits that stand for them. */
  readonly mattersOf: (bits: number) => readonly MatterKind[]
}

/** Each row begins with these; what else was asked for follows. */
const leading: readonly StoredColumn[] = ['status', 'currency', 'amount', 'received', 'overpayment']

/** Where each of the columns asked for is in a row. */
export function placesOf(columns: readonly StoredColumn[]): number[] {
  const all = [...new Set([...leading, ...columns])]
  return columns.map((column) => all.indexOf(column))
}

export const statusOf = (row: RawRow) => String(row[0])
export const currencyOf = (row: RawRow) => row[1] as InvoiceCurrency
/** Digits of minimal units. */
export const amountOf = (row: RawRow) => row[2] as string
/** Null while the chain was not read so far. */
export const receivedOf = (row: RawRow) => row[3] as string | null
export const overpaymentOf = (row: RawRow) => row[4] as string
export const decimalsIn = (row: RawRow) => decimalsOf(currencyOf(row))

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
