/** Streams a table as a workbook. Numbers that a spreadsheet would round are written as text. */
import { type CellValue, writeXlsxStream } from 'hucre/xlsx'
import type { Column, Rows } from './table.ts'
import type { ZoneTimes } from './zone-times.ts'

/** Further rows go to another sheet with the same header. */
const rowsPerSheet = 1_000_000

/** Days from the start of spreadsheet dates (1900) to 1970. */
const epochDays = 25_569
const dayMs = 86_400_000
/** Spreadsheets end in 9999, and before March 1900 they count a day that did not exist. */
const firstMs = Date.UTC(1900, 2, 1)
const lastMs = Date.UTC(10_000, 0, 1)
/** Limit of a cell; a longer text would make the file unreadable. */
const maxCharacters = 32_767
const maxDigits = 15

const looks = {
  text: { width: 24 },
  number: { width: 14 },
  amount: { width: 18, numFmt: '#,##0.00#######' },
  moment: { width: 19, numFmt: 'yyyy-mm-dd hh:mm:ss' },
} as const

export function formatXlsx<R>(
  name: string,
  columns: readonly Column<R>[],
  rows: Rows<R>,
  times: ZoneTimes,
  perSheet = rowsPerSheet,
): AsyncIterable<Uint8Array> {
  const cells = columns.map((column) => toCell(column, times))
  async function* lines(): AsyncGenerator<CellValue[]> {
    for await (const batch of rows) for (const row of batch) yield cells.map((cell) => cell(row))
  }
  return writeXlsxStream(lines(), {
    name,
    columns: columns.map(({ name: header, kind, width }) => ({
      header,
      ...looks[kind],
      ...(width !== undefined && { width }),
    })),
    freezePane: { rows: 1 },
    // Includes the header. A sheet of this size stays below 4 GiB and so needs no ZIP64, which LibreOffice
    // cannot read when streamed.
    maxRowsPerSheet: perSheet + 1,
  })
}

function toCell<R>({ kind, value }: Column<R>, times: ZoneTimes): (row: R) => CellValue {
  return (row) => {
    const cell = value(row)
    if (cell === null || cell === '') return null
    if (typeof cell === 'number') return kind === 'moment' ? momentValue(cell, times) : cell
    if (kind === 'text') return textValue(cell)
    return isExactNumber(cell) ? Number(cell) : cell
  }
}

/** True when a double, and so a spreadsheet, holds the number exactly. */
export function isExactNumber(decimal: string): boolean {
  return decimal.replace(/^-?[0.]*|\./g, '').length <= maxDigits
}

/** A date in local time that spreadsheets can sort and calculate with. */
function momentValue(ms: number, times: ZoneTimes): CellValue {
  if (!(ms >= firstMs && ms < lastMs)) return times.print(ms)
  return epochDays + (ms + times.offsetAt(ms)) / dayMs
}

/** Characters that XML forbids, and the escapes of the format itself, `_x000D_`. */
const unprintable = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g

export function textValue(text: string): string {
  const escaped = text.replace(
    unprintable,
    (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  )
  return escaped.length > maxCharacters ? `${escaped.slice(0, maxCharacters - 1)}…` : escaped
}
