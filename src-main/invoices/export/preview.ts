/** The first lines of a file that is still to be made. */
import type { InvoiceExportOptions } from '../../../src-preload/contract/invoice-export.ts'
import { formatUnits } from './amounts.ts'
import { columnsOf, kindOf } from './columns.ts'
import { createCsvLine, csvLine, quoteCell } from './format-csv.ts'
import { createJsonlLine, jsonlColumns } from './format-jsonl.ts'
import {
  type Printing,
  type RawRow,
  type StoredColumn,
  decimalsIn,
  hashesIn,
  formatSums,
  readersOf,
} from './raw-row.ts'

/** With the header. */
const max = 10

/** @param read reads rows, as many as are asked for */
export function previewLines(
  options: InvoiceExportOptions,
  printing: Printing,
  read: (columns: readonly StoredColumn[], limit: number) => Iterable<RawRow>,
): string[] {
  const columns = columnsOf(options.columns)
  switch (options.format) {
    case 'csv': {
      const line = createCsvLine(columns, options, printing)
      const rows = [...read(columns, max - 1)]
      return [csvLine(columns, options), ...rows.map(line)].map(withoutEnd)
    }
    case 'jsonl':
      return [...read(jsonlColumns, max)].map(createJsonlLine(printing)).map(withoutEnd)
    case 'xlsx': {
      const readers = readersOf(columns, printing)
      const rows = [...read(columns, max - 1)].map((row) =>
        columns.map((column, index) => shownCell(column, readers[index]?.(row), row, printing)),
      )
      return [columns, ...rows].map((cells) => cells.join('\t'))
    }
    case 'pdf':
      return []
  }
}

/** As a spreadsheet shows it. */
function shownCell(
  column: Parameters<typeof kindOf>[0],
  value: unknown,
  row: RawRow,
  { times, mattersOf }: Printing,
): string {
  if (value === null) return ''
  switch (kindOf(column)) {
    case 'amount':
      return formatUnits(value as string, decimalsIn(row), '.')
    case 'moment':
      return times
        .print(value as number)
        .slice(0, 19)
        .replace('T', ' ')
    case 'matters':
      return mattersOf(value as number).join(' ')
    case 'hashes':
      return hashesIn(value).join(' ')
    case 'sums':
      return formatSums(value, '.')
    case 'text':
      return quoteCell(value as string)
  }
}

function withoutEnd(line: string): string {
  return line.replace(/\r?\n$/, '')
}
