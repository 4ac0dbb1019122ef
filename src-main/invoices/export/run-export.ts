/** One export, from the first row to the manifest. Runs in a thread, within one read transaction. */
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { invoiceExportCodes } from '../../../src-preload/domain/error-codes.ts'
import { type FileSink, createFileSink } from '../../exports/file-sink.ts'
import type { ExportOrder, ExportReports, ExportResult, Written } from './order.ts'

/** What is exported, of one snapshot. */
export type Content = {
  readonly total: number
  /** The first lines of the file. */
  preview(): readonly string[] | Promise<readonly string[]>
  /** @param onRow called for each row that is written */
  write(sink: FileSink, onRow: () => void): void | Promise<void>
  /** What the manifest tells of it, once it is written. */
  told(): Readonly<Record<string, unknown>>
}

/** A PDF is for reading and printing. */
const maxPdfRows = 10_000
const reportEveryMs = 250
/** Rows between two looks at the clock. */
const lookEvery = 512

/** @throws AppError INVOICE_EXPORT_TOO_MANY_ROWS, INVOICE_EXPORT_UNWRITABLE */
export async function runExport(
  order: ExportOrder,
  content: Content,
  reports: ExportReports,
): Promise<ExportResult> {
  const { target, options } = order
  const { total } = content
  if (target === null) {
    return { written: null, preview: { lines: await content.preview(), total } }
  }
  if (options.format === 'pdf' && total > maxPdfRows) throw tooManyRows(total)
  reports.counted(total)

  const sink = createFileSink(target.file, invoiceExportCodes.unwritable)
  let rows = 0
  let lookedAt = performance.now()
  await content.write(sink, () => {
    rows += 1
    if (rows % lookEvery !== 0 || performance.now() - lookedAt < reportEveryMs) return
    lookedAt = performance.now()
    reports.progress({ rows, bytes: sink.size() })
  })
  const file = { rows, ...sink.end() }
  const manifest = createFileSink(target.manifest, invoiceExportCodes.unwritable)
  manifest.text(formatManifest(order, target.name, file, content.told()))
  manifest.end()
  return { written: file, preview: null }
}

function tooManyRows(total: number): AppError {
  const print = (count: number) => count.toLocaleString('en')
  return new AppError(
    invoiceExportCodes.tooManyRows,
    `A PDF lists at most ${print(maxPdfRows)} rows, and these are ${print(total)}: choose a shorter period or a narrower filter, or export CSV, XLSX or JSON Lines, which have no limit.`,
  )
}

/** What stands beside an exported file: enough to tell what it holds, and that it is whole. */

/** @param name what the file is to be saved as; @param told what else there is to tell of its rows */
export function formatManifest(
  { network, subject, options, at, appVersion }: ExportOrder,
  name: string,
  { sha256, bytes, rows }: Written,
  told: Readonly<Record<string, unknown>>,
): string {
  const { format, zone, separator, decimalMark } = options
  const iso = (ms: number) => new Date(ms).toISOString()
  const manifest = {
    ...{ file: name, sha256, bytes, rows },
    ...{ kind: subject.kind, network: network.id, format, zone },
    ...(format === 'csv' ? { separator, decimalMark } : {}),
    ...(subject.kind === 'invoices'
      ? { filter: subject.filter, sort: subject.sort }
      : { from: iso(subject.from), to: iso(subject.to) }),
    ...told,
    createdAt: iso(at),
    createdBy: `Tondesk ${appVersion}`,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}
