import { type InvoiceColumn, invoiceColumn } from '../../../src-preload/contract/invoice-export.ts'
import { decimalsOf } from '../../../src-preload/domain/amount.ts'
import type { Database } from '../../database/database.ts'
import { type Column, type Rows, formatUnits } from '../../exports/table.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import { type RawRow, type StoredColumn, createExportRows } from '../store/export-rows.ts'
import { mattersOf } from '../store/stored-invoice.ts'
import type { Content, InvoiceExportOrder } from './order.ts'
import {
  type Cell,
  createCellReader,
  decimalsIn,
  figuresIn,
  formatSums,
  hashesIn,
  sumsIn,
} from './raw-row.ts'
import { createTotals, formatTotals } from './totals.ts'

export const jsonlColumns = [
  ...invoiceColumn.options,
  'comment',
  'first_seen',
  'first_source',
  'confirmed',
] as const satisfies readonly StoredColumn[]

const amounts: readonly InvoiceColumn[] = ['amount', 'received', 'overpayment', 'due', 'to_return']
const moments: readonly InvoiceColumn[] = ['created', 'expires', 'changed', 'paid_on_chain']
const widths: Readonly<Partial<Record<InvoiceColumn, number>>> = {
  network: 10,
  id: 14,
  status: 11,
  currency: 9,
  description: 44,
  payer_label: 20,
  matters: 16,
}
const rowsAtOnce = 500

export function createInvoicesContent(
  order: InvoiceExportOrder,
  database: Database,
  times: ZoneTimes,
  decimalMark: string,
): Content<RawRow> {
  const { network, options, subject } = order
  if (subject.kind !== 'invoices') throw new Error('These are no invoices.')
  const { filter, sort } = subject
  const ledger = createExportRows(database, { network: network.id, filter, sort })
  const { rows: total, unconfirmed } = ledger.count()
  const isTable = options.format === 'csv' || options.format === 'xlsx'
  const named = options.columns.length === 0 ? invoiceColumn.options : options.columns
  const names = [...new Set(named)]
  const read: readonly StoredColumn[] = isTable ? names : jsonlColumns
  const cellOf = createCellReader(read)
  const totals = createTotals()

  return {
    total,
    sheet: 'Invoices',
    columns: isTable ? names.map((name) => toColumn(name, cellOf(name), decimalMark)) : [],
    toJson: createToJson(cellOf, times),
    async *rows(limit?: number): Rows<RawRow> {
      let batch: RawRow[] = []
      for (const row of ledger.rows(read, limit)) {
        totals.add(figuresIn(row))
        batch.push(row)
        if (batch.length < rowsAtOnce) continue
        yield await Promise.resolve(batch)
        batch = []
      }
      yield batch
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

function toColumn(
  name: InvoiceColumn,
  cell: (row: RawRow) => Cell,
  decimalMark: string,
): Column<RawRow> {
  const text = (value: Column<RawRow>['value']) =>
    ({ name, kind: 'text', width: widths[name], value }) as const
  if (moments.includes(name)) return { name, kind: 'moment', value: cell }
  if (amounts.includes(name)) {
    const value = (row: RawRow) => {
      const digits = cell(row)
      return digits === null ? null : formatUnits(String(digits), decimalsIn(row), '.')
    }
    return { name, kind: 'amount', value }
  }
  if (name === 'transactions') return text((row) => hashesIn(cell(row)).join(' '))
  if (name === 'matters') return text((row) => mattersOf(Number(cell(row))).join(' '))
  if (name === 'uncounted') return text((row) => formatSums(cell(row), decimalMark))
  return text(cell)
}

function createToJson(cellOf: (column: StoredColumn) => (row: RawRow) => Cell, times: ZoneTimes) {
  const cells = new Map(jsonlColumns.map((column) => [column as string, cellOf(column)]))
  return (row: RawRow): object => {
    const decimals = decimalsIn(row)
    const cell = (column: StoredColumn) => cells.get(column)?.(row) ?? null
    const amount = (name: 'amount' | 'received' | 'overpayment' | 'due' | 'to_return') => {
      const digits = cell(name)
      const decimal = digits === null ? null : formatUnits(String(digits), decimals, '.')
      return { [name]: digits, [`${name}_decimal`]: decimal }
    }
    const moment = (name: StoredColumn) => {
      const ms = cell(name)
      return { [name]: ms, [`${name}_iso`]: typeof ms === 'number' ? times.print(ms) : null }
    }
    return {
      network: cell('network'),
      id: cell('id'),
      status: cell('status'),
      currency: cell('currency'),
      ...amount('amount'),
      ...amount('received'),
      ...amount('overpayment'),
      ...amount('due'),
      ...amount('to_return'),
      uncounted: sumsIn(cell('uncounted')).map(({ currency, amount: digits }) => ({
        currency,
        amount: digits,
        amount_decimal: formatUnits(digits, decimalsOf[currency], '.'),
      })),
      description: cell('description'),
      payer: cell('payer'),
      payer_label: cell('payer_label'),
      pay_to: cell('pay_to'),
      ...moment('created'),
      ...moment('expires'),
      ...moment('changed'),
      ...moment('paid_on_chain'),
      transactions: hashesIn(cell('transactions')),
      matters: mattersOf(Number(cell('matters'))),
      payment_link: cell('payment_link'),
      comment: cell('comment'),
      ...moment('first_seen'),
      first_source: cell('first_source'),
      ...moment('confirmed'),
    }
  }
}
