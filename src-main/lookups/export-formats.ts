/** Rows as the bytes of a file, batch by batch: memory does not grow with their number. */
import { writeXlsxStream } from 'hucre/xlsx'
import Papa from 'papaparse'
import type { ExportFormat, LookupJob } from '../../src-preload/contract/lookup.ts'
import { formatJson } from '../ton/lossless-json.ts'
import { guardCell } from '../exports/formula-safe.ts'
import { type Cell, type ExportRow, cells, headings } from './export-table.ts'

type ExportHead = Pick<LookupJob, 'network' | 'name' | 'createdAt' | 'currency' | 'columns'>

type Batches = AsyncIterable<readonly ExportRow[]>

export function formatExport(
  format: ExportFormat,
  head: ExportHead,
  batches: Batches,
): AsyncIterable<Uint8Array | string> {
  switch (format) {
    case 'csv':
      return formatCsv(head, batches)
    case 'json':
      return formatRows(head, batches)
    case 'xlsx':
      return printXlsx(head, batches)
  }
}

async function* formatCsv(
  { currency, columns }: ExportHead,
  batches: Batches,
): AsyncGenerator<string> {
  // The mark makes spreadsheets read it as UTF-8.
  yield `\ufeff${Papa.unparse([headings(currency, columns).map(guardCell)])}\r\n`
  for await (const rows of batches) {
    const lines = rows.map((row) => cells(row, currency, columns).map(csvCell))
    yield `${Papa.unparse(lines)}\r\n`
  }
}

function csvCell(cell: Cell): string {
  if (cell === null) return ''
  return 'figure' in cell ? cell.figure : guardCell(cell.text)
}

async function* formatRows(head: ExportHead, batches: Batches): AsyncGenerator<string> {
  const { network, name, createdAt, currency, columns } = head
  yield (
    `{"network":${formatJson(network)},"name":${formatJson(name)},` +
    `"createdAt":${createdAt},"currency":${formatJson(currency)},"columns":${formatJson(columns)},"rows":[`
  )
  let separator = '\n'
  for await (const rows of batches) {
    if (rows.length === 0) continue
    yield separator + rows.map((row) => formatJson(row)).join(',\n')
    separator = ',\n'
  }
  yield '\n]}\n'
}

function printXlsx({ currency, columns }: ExportHead, batches: Batches): AsyncIterable<Uint8Array> {
  async function* rows() {
    for await (const batch of batches) {
      for (const row of batch) yield cells(row, currency, columns).map(xlsxCell)
    }
  }
  return writeXlsxStream(rows(), {
    name: 'Lookup',
    columns: headings(currency, columns).map((header) => ({ header })),
    freezePane: { rows: 1 },
  })
}

/** What XML cannot hold. */
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
/** Digits that a spreadsheet keeps. */
const maxDigits = 15

/** A text stays one, whatever it begins with; a figure is a number where that is exact. */
function xlsxCell(cell: Cell): string | number | null {
  if (cell === null) return null
  if ('text' in cell) return cell.text.replace(control, '\ufffd')
  const digits = cell.figure.replace(/^-?[0.]*|\./g, '').length
  return digits <= maxDigits ? Number(cell.figure) : cell.figure
}
