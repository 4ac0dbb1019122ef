/** Rows of the ledger, as they are exported. */
import type { InvoiceFilter } from '../../../src-preload/contract/invoice.ts'
import { createCsvLine, byteOrderMark, csvLine, quoteCell } from './format-csv.ts'
import { columnsOf, kindOf } from './columns.ts'
import type { FileSink } from '../../exports/file-sink.ts'
import type { ExportOrder } from './order.ts'
import type { Fonts } from './pdf/sheet.ts'
import { createJsonlLine, jsonlColumns } from './format-jsonl.ts'
import {
  type ExportRows,
  type Printing,
  type RawRow,
  type StoredColumn,
  figuresIn,
  decimalsIn,
  hashesIn,
  formatSums,
  readersOf,
} from './raw-row.ts'
import type { Content } from './run-export.ts'
import { type Totals, createTotals, formatTotals } from './totals.ts'
import type { InvoiceExportOptions } from '../../../src-preload/contract/invoice-export.ts'
import { formatUnits } from './amounts.ts'

/** The first lines of a file that is still to be made. */

/** With the header. */
const max = 10

/** @param read reads rows, as many as are asked for */
function previewLines(
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

export function createInvoicesContent(
  order: ExportOrder,
  filter: InvoiceFilter,
  ledger: ExportRows,
  printing: Printing,
  fonts: Fonts,
): Content {
  const { options } = order
  const { rows: total, unconfirmed } = ledger.count()
  const columns = columnsOf(options.columns)
  const totals = createTotals()

  function* counted(wanted: readonly StoredColumn[], onRow: () => void): Generator<RawRow> {
    for (const row of ledger.rows(wanted)) {
      count(totals, row, printing)
      onRow()
      yield row
    }
  }

  async function writePdf(onRow: () => void): Promise<AsyncIterable<Uint8Array>> {
    const { writeInvoicesStatement, statementColumns } = await import('./pdf/invoices-statement.ts')
    // They come first: summed in a pass of their own, over the same snapshot.
    const sums = createTotals()
    for (const row of ledger.rows([])) count(sums, row, printing)
    return writeInvoicesStatement({
      ...{ order, filter, fonts, printing, unconfirmed },
      totals: sums.all(),
      span: ledger.span(),
      rows: (isCounting) =>
        isCounting ? ledger.rows(statementColumns) : counted(statementColumns, onRow),
    })
  }

  return {
    total,
    preview: () => previewLines(options, printing, (...args) => ledger.rows(...args)),
    async write(sink, onRow) {
      switch (options.format) {
        case 'csv': {
          const line = createCsvLine(columns, options, printing)
          sink.text(byteOrderMark + csvLine(columns, options))
          for (const row of counted(columns, onRow)) sink.text(line(row))
          return
        }
        case 'jsonl': {
          const line = createJsonlLine(printing)
          for (const row of counted(jsonlColumns, onRow)) sink.text(line(row))
          return
        }
        // Loaded where they are needed: each is larger than all the rest.
        case 'xlsx': {
          const { printXlsx } = await import('./write-xlsx.ts')
          return writeAll(sink, printXlsx(columns, counted(columns, onRow), printing))
        }
        case 'pdf':
          return writeAll(sink, await writePdf(onRow))
      }
    },
    told: () => ({
      ...(options.format === 'csv' || options.format === 'xlsx' ? { columns } : {}),
      totals: formatTotals(totals.all()),
      // Told of by deliveries only, which anybody can send.
      leftOutAsUnconfirmed: unconfirmed,
    }),
  }
}

function count(totals: Totals, row: RawRow, printing: Printing): void {
  totals.add(figuresIn(row, printing))
}

async function writeAll(sink: FileSink, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) sink.bytes(chunk)
}
