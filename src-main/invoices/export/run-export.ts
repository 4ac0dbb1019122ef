/** Runs one export in the task process, from the first row to the manifest. */
import { AppError, invoiceExportCodes } from '../../../src-preload/domain/app-error.ts'
import { type Database, openDatabase } from '../../database/database.ts'
import { guardText } from '../../exports/formula-safe.ts'
import {
  type Chunks,
  type CsvStyle,
  type Rows,
  csvFormat,
  formatText,
  jsonlFormat,
  previewTable,
} from '../../exports/table.ts'
import { type Progress, type WrittenFile, writeFile, writeRows } from '../../exports/write-file.ts'
import { createZoneTimes, type ZoneTimes } from '../../exports/zone-times.ts'
import type { LabelsOf } from '../context.ts'
import {
  type Content,
  type InvoiceExportOrder,
  type Cell,
  toColumn,
  toJsonFields,
} from './content.ts'
import { type InvoiceColumn, invoiceColumn } from '../../../src-preload/contract/invoice-export.ts'
import { decimalsOf, formatAmount, showCoinAs } from '../../../src-preload/domain/amount.ts'
import { slicesOf } from '../../database/pages.ts'
import {
  type FiatReader,
  type RawRow,
  type StoredColumn,
  createExportRows,
  furtherColumns,
} from '../store/export-rows.ts'
import { discrepancyKindsOf } from '../store/invoice-rows.ts'
import { describeFiat } from '../fiat/fiat-view.ts'
import {
  type Sum,
  createCellReader,
  createFiatCells,
  decimalsIn,
  amountsOfRow,
  hashesIn,
  sumsIn,
} from './raw-row.ts'
import { createTotals, formatTotals } from './totals.ts'
import { createReportContent } from './report-content.ts'
import { fiatColumn, fiatNote, isFiatColumn } from './fiat-cells.ts'

export const jsonlColumns = [...invoiceColumn.options, ...furtherColumns] as const

const rowsAtOnce = 500

function createInvoicesContent(
  order: InvoiceExportOrder,
  database: Database,
  times: ZoneTimes,
  decimalMark: string,
): Content<RawRow> {
  const { network, options, subject } = order
  if (subject.kind !== 'invoices') throw new Error('This is not an invoice export.')
  const { filter, sort } = subject
  const chosen = order.fiat
  const fiat = chosen && {
    currency: chosen.currency,
    read: (...found: Parameters<FiatReader['read']>) => describeFiat(chosen, ...found),
  }
  const fiatOf = createFiatCells(fiat, times)
  const ledger = createExportRows(database, { network: network.id, filter, sort }, fiat)
  const { rowCount: total, unconfirmed } = ledger
  const isTable = options.format === 'csv' || options.format === 'xlsx'
  const named = options.columns.length === 0 ? invoiceColumn.options : options.columns
  const names = [...new Set(named)]
  const read: readonly StoredColumn[] = isTable ? names : jsonlColumns
  refuseSameNames(names.map((name) => options.names[name] ?? name))
  const cellOf = createCellReader(read, fiatOf)
  const totals = createTotals()
  const columns = isTable
    ? names.map((name) => ({
        ...(isFiatColumn(name)
          ? fiatColumn(name, fiatOf)
          : toColumn(name, toText(name, cellOf(name), decimalMark), decimalsIn)),
        name: options.names[name] ?? name,
      }))
    : []
  const report = () => ({ order, filter, times, unconfirmed, span: ledger.span() })

  return {
    total,
    columns,
    toJson: createToJson(cellOf, times),
    async *rows(limit?: number): Rows<RawRow> {
      for (const batch of slicesOf(ledger.rows(read, limit), rowsAtOnce)) {
        for (const row of batch) totals.add(amountsOfRow(row))
        yield await Promise.resolve(batch)
      }
    },
    async statement(rows) {
      const { formatInvoicesStatement } = await import('./statement.ts')
      // Totals come before the rows, so a separate pass sums them over the same snapshot.
      const sums = createTotals()
      for (const row of ledger.rows([])) sums.add(amountsOfRow(row))
      return formatInvoicesStatement({ ...report(), totals: sums.all(), rows, cellOf })
    },
    async workbook(rows) {
      // Each of these modules is loaded on demand, because a task needs only one of them.
      const { createInvoicesWorkbook } = await import('./workbook.ts')
      return createInvoicesWorkbook({
        ...report(),
        ledger,
        columns,
        rows,
        totals: () => totals.all(),
      })
    },
    summary: () => ({
      ...(isTable ? { columns: names } : {}),
      ...(isTable && Object.keys(options.names).length > 0 ? { names: options.names } : {}),
      totals: formatTotals(totals.all()),
      ...(chosen && { fiat: { ...chosen, note: fiatNote(chosen.currency) } }),
      // Only deliveries report these invoices, and anyone can send deliveries.
      leftOutAsUnconfirmed: unconfirmed,
    }),
  }
}

/** Refuses equal names, because programs that find columns by name would confuse the columns. */
function refuseSameNames(names: readonly string[]): void {
  const twin = names.find((name, index) => names.indexOf(name) !== index)
  if (twin === undefined) return
  throw new AppError(
    invoiceExportCodes.sameNames,
    `Two columns have the name “${twin}”. Give each column its own name.`,
  )
}

function toText(
  name: InvoiceColumn,
  cell: (row: RawRow) => Cell,
  decimalMark: string,
): (row: RawRow) => Cell {
  const format = ({ currency, amount }: Sum) =>
    `${formatAmount(amount, decimalsOf[currency], { mark: decimalMark })} ${currency}`
  if (name === 'uncounted') return (row) => sumsIn(cell(row)).map(format).join('; ')
  if (name === 'transactions') return (row) => hashesIn(cell(row)).join(' ')
  return name === 'matters' ? (row) => discrepancyKindsOf(Number(cell(row))).join(' ') : cell
}

function createToJson(cellOf: (column: StoredColumn) => (row: RawRow) => Cell, times: ZoneTimes) {
  const cells = jsonlColumns.map((name) => [name, cellOf(name)] as const)
  const toJson = (sum: Sum) => toJsonFields(sum, decimalsOf[sum.currency], times)
  return (row: RawRow): object => {
    const fields: Record<string, unknown> = {}
    for (const [name, cell] of cells) fields[name] = cell(row)
    fields['transactions'] = hashesIn(fields['transactions'])
    fields['matters'] = discrepancyKindsOf(Number(fields['matters']))
    fields['uncounted'] = sumsIn(fields['uncounted']).map(toJson)
    return toJsonFields(fields, decimalsIn(row), times)
  }
}

/** The length of a PDF is limited, because it is for reading and printing. */
const maxPdfRows = 10_000
const maxPreviewed = 10

type ReadLabels = (database: Database) => LabelsOf

async function withContent<T>(
  order: InvoiceExportOrder,
  readLabels: ReadLabels,
  work: (content: Content<unknown>, style: CsvStyle) => Promise<T>,
): Promise<T> {
  // A PDF shows the coin's displayed name, because it is for reading; the other formats contain the API's code.
  showCoinAs(order.options.format === 'pdf' ? order.coin : 'TON')
  const database = openDatabase(order.database, { readOnly: true })
  try {
    // The first read opens the snapshot, so all later reads see the same data.
    database.exec('BEGIN')
    const { format, separator, zone } = order.options
    const times = createZoneTimes(zone)
    // Only CSV needs a decimal mark; the other formats store numbers.
    const decimalMark = format === 'csv' ? order.options.decimalMark : '.'
    const style = { separator, decimalMark, guard: guardText, times }
    const content =
      order.subject.kind === 'closing'
        ? await createReportContent(order, database, times, readLabels(database))
        : createInvoicesContent(order, database, times, style.decimalMark)
    return await work(content as unknown as Content<unknown>, style)
  } finally {
    database.close()
  }
}

export function previewInvoices(
  order: InvoiceExportOrder,
  readLabels: ReadLabels,
): Promise<{ readonly lines: string[]; readonly total: number }> {
  const { format } = order.options
  return withContent(order, readLabels, async (content, style) => {
    const { total, columns } = content
    if (format === 'pdf') return { lines: [], total }
    const rows: unknown[] = []
    const limit = format === 'jsonl' ? maxPreviewed : maxPreviewed - 1
    for await (const batch of content.rows(limit)) rows.push(...batch)
    if (format !== 'jsonl') return { lines: previewTable(columns, rows, format, style), total }
    return { lines: rows.map((row) => JSON.stringify(content.toJson(row))), total }
  })
}

type Reports = {
  readonly counted: (rows: number) => void
  readonly progress: (progress: Progress) => void
}

/** @throws AppError INVOICE_EXPORT_TOO_MANY_ROWS, INVOICE_EXPORT_UNWRITABLE */
export function exportInvoices(
  order: InvoiceExportOrder,
  readLabels: ReadLabels,
  reports: Reports,
): Promise<WrittenFile & Progress> {
  return withContent(order, readLabels, (content, style) =>
    writeContent(order, content, style, reports),
  )
}

export async function writeContent<R>(
  order: InvoiceExportOrder,
  content: Content<R>,
  style: CsvStyle,
  { counted, progress }: Reports,
): Promise<WrittenFile & Progress> {
  const { target, options } = order
  const { total, columns, toJson } = content
  if (target === null) throw new Error('Choose a file for the export.')
  if (options.format === 'pdf' && total > maxPdfRows) throw tooManyRows(total)
  counted(total)

  async function* format(rows: Rows<R>): Chunks {
    switch (options.format) {
      case 'csv':
        yield* formatText(csvFormat(columns, style), rows)
        return
      case 'jsonl':
        yield* formatText(jsonlFormat(toJson), rows)
        return
      case 'xlsx': {
        const { formatXlsx } = await import('../../exports/xlsx.ts')
        yield* formatXlsx(await content.workbook(rows))
        return
      }
      case 'pdf':
        yield* await content.statement(rows)
    }
  }

  const code = invoiceExportCodes.unwritable
  const written = await writeRows({ path: target.file, code }, content.rows(), format, progress)
  const manifest = formatManifest(order, target.name, written, content.summary())
  await writeFile(target.manifest, [manifest], code)
  return written
}

function tooManyRows(total: number): AppError {
  const [max, rows] = [maxPdfRows.toLocaleString('en'), total.toLocaleString('en')]
  return new AppError(
    invoiceExportCodes.tooManyRows,
    `A PDF lists at most ${max} rows, but the export has ${rows}. Choose a shorter period or a narrower filter, or export CSV, XLSX or JSON Lines, which have no limit.`,
  )
}

/** The manifest states the contents of an exported file, so that the user can verify that it is complete. */
export function formatManifest(
  { network, subject, options, at, appVersion }: InvoiceExportOrder,
  name: string,
  { sha256, bytes, rows }: WrittenFile & Progress,
  summary: Readonly<Record<string, unknown>>,
): string {
  const { format, zone, separator, decimalMark } = options
  const iso = (ms: number) => new Date(ms).toISOString()
  const manifest = {
    file: name,
    sha256,
    bytes,
    rows,
    kind: subject.kind,
    network: network.id,
    format,
    zone,
    ...(format === 'csv' ? { separator, decimalMark } : {}),
    ...(subject.kind === 'invoices'
      ? { filter: subject.filter, sort: subject.sort }
      : { from: iso(subject.from), to: iso(subject.to) }),
    ...summary,
    createdAt: iso(at),
    createdBy: `Tondesk ${appVersion}`,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}
