import { type InvoiceColumn, invoiceColumn } from '../../../src-preload/contract/invoice-export.ts'
import { decimalsOf } from '../../../src-preload/domain/amount.ts'
import type { Database } from '../../database/database.ts'
import { slicesOf } from '../../database/pages.ts'
import { type Rows, formatUnits } from '../../exports/table.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import {
  type RawRow,
  type StoredColumn,
  createExportRows,
  furtherColumns,
} from '../store/export-rows.ts'
import { mattersOf } from '../store/invoice-rows.ts'
import {
  type Cell,
  type Content,
  type InvoiceExportOrder,
  toColumn,
  toJsonFields,
} from './content.ts'
import { type Sum, createCellReader, decimalsIn, figuresIn, hashesIn, sumsIn } from './raw-row.ts'
import { createTotals, formatTotals } from './totals.ts'

export const jsonlColumns = [...invoiceColumn.options, ...furtherColumns] as const

const rowsAtOnce = 500

export function createInvoicesContent(
  order: InvoiceExportOrder,
  database: Database,
  times: ZoneTimes,
  decimalMark: string,
): Content<RawRow> {
  const { network, options, subject } = order
  if (subject.kind !== 'invoices') throw new Error('This is not an invoice export.')
  const { filter, sort } = subject
  const ledger = createExportRows(database, { network: network.id, filter, sort })
  const { rowCount: total, unconfirmed } = ledger
  const isTable = options.format === 'csv' || options.format === 'xlsx'
  const named = options.columns.length === 0 ? invoiceColumn.options : options.columns
  const names = [...new Set(named)]
  const read: readonly StoredColumn[] = isTable ? names : jsonlColumns
  const cellOf = createCellReader(read)
  const totals = createTotals()

  return {
    total,
    sheet: 'Invoices',
    columns: isTable
      ? names.map((name) => toColumn(name, toText(name, cellOf(name), decimalMark), decimalsIn))
      : [],
    toJson: createToJson(cellOf, times),
    async *rows(limit?: number): Rows<RawRow> {
      for (const batch of slicesOf(ledger.rows(read, limit), rowsAtOnce)) {
        for (const row of batch) totals.add(figuresIn(row))
        yield await Promise.resolve(batch)
      }
    },
    async statement(rows) {
      const { formatInvoicesStatement } = await import('./invoices-statement.ts')
      // Totals come before the rows, so a separate pass sums them over the same snapshot.
      const sums = createTotals()
      for (const row of ledger.rows([])) sums.add(figuresIn(row))
      const all = { totals: sums.all(), span: ledger.span(), unconfirmed, rows, cellOf }
      return formatInvoicesStatement({ order, filter, times, ...all })
    },
    summary: () => ({
      ...(isTable ? { columns: names } : {}),
      totals: formatTotals(totals.all()),
      // Only deliveries report these invoices, and anybody can send deliveries.
      leftOutAsUnconfirmed: unconfirmed,
    }),
  }
}

function toText(
  name: InvoiceColumn,
  cell: (row: RawRow) => Cell,
  decimalMark: string,
): (row: RawRow) => Cell {
  const format = ({ currency, amount }: Sum) =>
    `${formatUnits(amount, decimalsOf[currency], decimalMark)} ${currency}`
  if (name === 'uncounted') return (row) => sumsIn(cell(row)).map(format).join('; ')
  if (name === 'transactions') return (row) => hashesIn(cell(row)).join(' ')
  return name === 'matters' ? (row) => mattersOf(Number(cell(row))).join(' ') : cell
}

function createToJson(cellOf: (column: StoredColumn) => (row: RawRow) => Cell, times: ZoneTimes) {
  const cells = jsonlColumns.map((name) => [name, cellOf(name)] as const)
  const toJson = (sum: Sum) => toJsonFields(sum, decimalsOf[sum.currency], times)
  return (row: RawRow): object => {
    const fields: Record<string, unknown> = {}
    for (const [name, cell] of cells) fields[name] = cell(row)
    fields['transactions'] = hashesIn(fields['transactions'])
    fields['matters'] = mattersOf(Number(fields['matters']))
    fields['uncounted'] = sumsIn(fields['uncounted']).map(toJson)
    return toJsonFields(fields, decimalsIn(row), times)
  }
}
