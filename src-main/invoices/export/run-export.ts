/** One export, from the first row to the manifest. Runs in a thread, within one read transaction. */
import { AppError, invoiceExportCodes } from '../../../src-preload/contract/index.ts'
import { readFilter } from '../lists/read-filter.ts'
import { columnsOf } from './columns.ts'
import type { FileSink } from './file-sink.ts'
import { createFileSink } from './file-sink.ts'
import { printManifest } from './manifest.ts'
import type { ExportOrder, ExportReport } from './order.ts'
import { byteOrderMark, createCsvLine, csvLine } from './print-csv.ts'
import { jsonlColumns, jsonlLine } from './print-jsonl.ts'
import { printInvoicesStatement, statementColumns } from './pdf/invoices-statement.ts'
import type { Fonts } from './pdf/sheet.ts'
import { previewLines } from './preview.ts'
import { printXlsx } from './print-xlsx.ts'
import type { ExportAsked, ExportRows, Printing, RawRow, StoredColumn } from './raw-row.ts'
import { amountOf, currencyOf, overpaymentOf, receivedOf, statusOf } from './raw-row.ts'
import type { Totals } from './totals.ts'
import { createTotals } from './totals.ts'
import { createZoneTimes } from './zone-times.ts'

export type ExportParts = {
  readonly rowsOf: (asked: ExportAsked) => ExportRows
  readonly mattersOf: Printing['mattersOf']
  readonly fonts: Fonts
  readonly report: (report: ExportReport) => void
}

/** A PDF is for reading and printing. */
const mostPdfRows = 10_000
const reportEveryMs = 250
/** Rows between two looks at the clock. */
const lookEvery = 512

/** @throws AppError INVOICE_EXPORT_TOO_MANY_ROWS, INVOICE_EXPORT_UNWRITABLE */
export async function runExport(order: ExportOrder, parts: ExportParts): Promise<void> {
  const { subject, options, target, network } = order
  if (subject.kind !== 'invoices') return
  const { sort } = subject
  const ledger = parts.rowsOf({ network: network.id, filter: readFilter(subject.filter), sort })
  const { rows: total, unconfirmed } = ledger.count()
  const printing = { times: createZoneTimes(options.zone), mattersOf: parts.mattersOf }
  if (target === null) {
    const lines = previewLines(options, printing, (...args) => ledger.rows(...args))
    parts.report({ type: 'preview', lines, total })
    return
  }
  if (options.format === 'pdf' && total > mostPdfRows) throw tooManyRows(total)
  parts.report({ type: 'counted', total })

  const sink = createFileSink(target.file)
  const totals = createTotals()
  const columns = options.format === 'jsonl' ? jsonlColumns : columnsOf(options.columns)
  let rows = 0
  let lookedAt = performance.now()

  function* counted(columns: readonly StoredColumn[]): Generator<RawRow> {
    for (const row of ledger.rows(columns)) {
      count(totals, row)
      rows += 1
      if (rows % lookEvery === 0 && performance.now() - lookedAt >= reportEveryMs) {
        lookedAt = performance.now()
        parts.report({ type: 'progress', rows, bytes: sink.size() })
      }
      yield row
    }
  }

  switch (options.format) {
    case 'csv': {
      const chosen = columnsOf(options.columns)
      const line = createCsvLine(chosen, options, printing)
      sink.text(byteOrderMark + csvLine(chosen, options))
      for (const row of counted(chosen)) sink.text(line(row))
      break
    }
    case 'jsonl':
      for (const row of counted(jsonlColumns)) sink.text(jsonlLine(row, printing))
      break
    case 'xlsx': {
      const chosen = columnsOf(options.columns)
      await writeAll(sink, printXlsx(chosen, counted(chosen), printing))
      break
    }
    case 'pdf': {
      // The totals come first: they are summed in a pass of their own, over the same snapshot.
      const sums = createTotals()
      for (const row of ledger.rows([])) count(sums, row)
      const span = ledger.span()
      const { filter } = subject
      const statement = { order, filter, fonts: parts.fonts, printing, span, unconfirmed }
      const rows = (isCounting: boolean) =>
        isCounting ? ledger.rows(statementColumns) : counted(statementColumns)
      const chunks = printInvoicesStatement({ ...statement, totals: sums.all(), rows })
      await writeAll(sink, chunks)
      break
    }
  }
  const file = { rows, ...sink.end() }
  const manifest = createFileSink(target.manifest)
  manifest.text(printManifest(order, { ...file, columns, totals: totals.all(), unconfirmed }))
  manifest.end()
  parts.report({ type: 'written', ...file })
}

function count(totals: Totals, row: RawRow): void {
  totals.add(currencyOf(row), statusOf(row), amountOf(row), receivedOf(row), overpaymentOf(row))
}

async function writeAll(sink: FileSink, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) sink.bytes(chunk)
}

function tooManyRows(total: number): AppError {
  const print = (count: number) => count.toLocaleString('en')
  return new AppError(
    invoiceExportCodes.tooManyRows,
    `A PDF lists at most ${print(mostPdfRows)} rows, and these are ${print(total)}: choose a shorter period or a narrower filter, or export CSV, XLSX or JSON Lines, which have no limit.`,
  )
}
