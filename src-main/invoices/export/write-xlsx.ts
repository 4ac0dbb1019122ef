/** Rows as a workbook, streamed: what a spreadsheet's number holds exactly is one, the rest is text. */
import { type CellValue, type ColumnDef, writeXlsxStream } from 'hucre/xlsx'
import type { InvoiceColumn } from '../../../src-preload/contract/invoice-export.ts'
import { isExactNumber, formatUnits } from './amounts.ts'
import { type CellKind, kindOf } from './columns.ts'
import {
  type Printing,
  type RawRow,
  decimalsIn,
  hashesIn,
  formatSums,
  readersOf,
} from './raw-row.ts'

/** Past them the next sheet goes on, under the same header. */
const rowsPerSheet = 1_000_000

/** Days from the beginning of 1900, as spreadsheets count, to that of 1970. */
const epochDays = 25_569
const dayMs = 86_400_000
/** Spreadsheets know no year before and none after. */
const firstMs = Date.UTC(1900, 2, 1)
const lastMs = Date.UTC(10_000, 0, 1)
/** Of a cell; what is beyond would make the file unreadable. */
const maxCharacters = 32_767

const amountFormat = '#,##0.00#######'
const momentFormat = 'yyyy-mm-dd hh:mm:ss'
const widths: Readonly<Record<string, number>> = {
  network: 10,
  id: 14,
  invoice: 14,
  difference: 14,
  explanation: 60,
  status: 11,
  currency: 9,
  description: 44,
  payer_label: 20,
  matters: 16,
}

export function printXlsx(
  columns: readonly InvoiceColumn[],
  rows: Iterable<RawRow>,
  printing: Printing,
): AsyncIterable<Uint8Array> {
  const printers = columns.map((column) => createCell(column, printing))
  const readers = readersOf(columns, printing)
  function* lines(): Generator<CellValue[]> {
    for (const row of rows) {
      const decimals = decimalsIn(row)
      yield printers.map((print, index) => print(readers[index]?.(row), decimals))
    }
  }
  return writeXlsx(
    'Invoices',
    columns.map((column) => columnOf(column, kindOf(column))),
    lines(),
  )
}

/** @param perSheet others in tests only */
export function writeXlsx(
  name: string,
  columns: ColumnDef[],
  rows: Iterable<CellValue[]> | AsyncIterable<CellValue[]>,
  perSheet = rowsPerSheet,
): AsyncIterable<Uint8Array> {
  return writeXlsxStream(rows, {
    name,
    columns,
    freezePane: { rows: 1 },
    // The header is one of them.
    // No ZIP64, which LibreOffice does not read as it is streamed: a sheet stays below its 4 GiB.
    maxRowsPerSheet: perSheet + 1,
  })
}

export function columnOf(column: string, kind: CellKind): ColumnDef {
  if (kind === 'amount') return { header: column, width: 18, numFmt: amountFormat }
  if (kind === 'moment') return { header: column, width: 19, numFmt: momentFormat }
  return { header: column, width: widths[column] ?? 24 }
}

function createCell(
  column: InvoiceColumn,
  { times, mattersOf }: Printing,
): (value: unknown, decimals: number) => CellValue {
  switch (kindOf(column)) {
    case 'amount':
      return (value, decimals) => amountValue(value as string | null, decimals)
    case 'moment':
      return (value) => (value === null ? null : momentValue(value as number, times))
    case 'matters':
      return (value) => (value === 0 ? null : mattersOf(value as number).join(' '))
    case 'hashes':
      return (value) => (value === null ? null : hashesIn(value).join(' '))
    case 'sums':
      return (value) => (value === null ? null : textValue(formatSums(value, '.')))
    case 'text':
      return (value) => (value === null || value === '' ? null : textValue(value as string))
  }
}

/** @param digits of minimal units */
export function amountValue(digits: string | null, decimals: number): CellValue {
  if (digits === null) return null
  const text = formatUnits(digits, decimals, '.')
  return isExactNumber(text) ? Number(text) : text
}

/** The clocks of the zone, as a date that can be sorted and counted with. */
export function momentValue(ms: number, times: Printing['times']): CellValue {
  if (!(ms >= firstMs && ms < lastMs)) return times.print(ms)
  return epochDays + (ms + times.offsetAt(ms)) / dayMs
}

/** What XML cannot hold, and what it would read as another: written as the format has it, `_x000D_`. */
const unprintable = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g

/** Text stays text, whatever it begins with. */
export function textValue(text: string): string {
  const escaped = text.replace(
    unprintable,
    (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  )
  return escaped.length > maxCharacters ? `${escaped.slice(0, maxCharacters - 1)}…` : escaped
}
