/** A table as a workbook, streamed: what a spreadsheet's number holds exactly is one, the rest is text. */
import { type CellValue, writeXlsxStream } from 'hucre/xlsx'
import type { Column, Rows } from './table.ts'
import type { ZoneTimes } from './zone-times.ts'

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
/** Digits that a spreadsheet's number keeps. */
const maxDigits = 15

const looks = {
  text: { width: 24 },
  number: { width: 14 },
  amount: { width: 18, numFmt: '#,##0.00#######' },
  moment: { width: 19, numFmt: 'yyyy-mm-dd hh:mm:ss' },
} as const

/** @param perSheet others in tests only */
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
    // The header is one of them.
    // No ZIP64, which LibreOffice does not read as it is streamed: a sheet stays below its 4 GiB.
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

/** Whether a double, and a spreadsheet, holds it exactly. */
export function isExactNumber(decimal: string): boolean {
  return decimal.replace(/^-?[0.]*|\./g, '').length <= maxDigits
}

/** The clocks of the zone, as a date that can be sorted and counted with. */
function momentValue(ms: number, times: ZoneTimes): CellValue {
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
