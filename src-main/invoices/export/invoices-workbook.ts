import { describeMoney } from '../../../src-preload/contract/invoice-money.ts'
import { currencyName, decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'
import { slicesOf } from '../../database/pages.ts'
import type { Column, Rows } from '../../exports/table.ts'
import { type Sheet, type SummaryCell, tableSheet } from '../../exports/xlsx.ts'
import type { DiscrepancyRow, RawRow, createExportRows } from '../store/export-rows.ts'
import { type Cell, toColumn } from './content.ts'
import { fiatNote } from './fiat-cells.ts'
import { type InvoicesReport, describeOmitted, excessNote, factsOf } from './invoices-statement.ts'
import { decimalsIn, amountsOfRow } from './raw-row.ts'
import { type Total, withSums } from './totals.ts'
import { paymentSheet, withSummary } from './workbook.ts'

const rowsAtOnce = 500

type InvoicesWorkbook = InvoicesReport & {
  readonly ledger: ReturnType<typeof createExportRows>
  readonly columns: readonly Column<RawRow>[]
  readonly rows: Rows<RawRow>
  /** Complete once all rows are written. */
  readonly totals: () => readonly Total[]
}

/** Sheets of the invoices, their payments on the chain, and their open discrepancies. */
export function createInvoicesWorkbook(workbook: InvoicesWorkbook): readonly Sheet[] {
  const { ledger, columns, rows, times, totals, unconfirmed } = workbook
  const sheets = [
    tableSheet('Invoices', columns, rows, times),
    paymentSheet(inBatches(ledger.payments()), times),
    tableSheet('Discrepancies', discrepancyColumns, inBatches(ledger.discrepancies()), times),
  ]
  return withSummary(workbook.order, sheets, () => {
    const all = totals()
    return {
      title: 'Invoices',
      facts: factsOf(workbook),
      tables: [{ title: 'Totals', rows: totalRows(all) }],
      notes: [
        'Payments lists the payments that are linked to these invoices. Discrepancies lists what needs a decision about them.',
        ...(all.some(({ excess }) => excess > 0n) ? [excessNote] : []),
        ...(workbook.order.fiat === null ? [] : [fiatNote(workbook.order.fiat.currency)]),
        ...(unconfirmed > 0 ? [describeOmitted(unconfirmed)] : []),
      ],
    }
  })
}

async function* inBatches<T>(rows: Iterable<T>): Rows<T> {
  for (const batch of slicesOf(rows, rowsAtOnce)) yield await Promise.resolve(batch)
}

const discrepancyColumns = (
  [
    ['invoice', ({ invoice }) => invoice],
    ['kind', ({ kind }) => kind],
    ['explanation', ({ row }) => describeMoney(amountsOfRow(row))],
    ['status', ({ row }) => amountsOfRow(row).status],
    ['currency', ({ row }) => amountsOfRow(row).currency],
    ['amount', ({ amount }) => amount],
    ['since', ({ since }) => since],
    ['note', ({ note }) => note],
  ] satisfies readonly (readonly [string, (found: DiscrepancyRow) => Cell])[]
).map(([name, cell]) => toColumn(name, cell, ({ row }: DiscrepancyRow) => decimalsIn(row)))

function totalRows(totals: readonly Total[]): SummaryCell[][] {
  const amounts = ['Requested', 'Received on the chain', 'Excess', 'Refunded']
  const header: SummaryCell[] = [
    ...['Currency', 'State'].map((text) => [text, 'header'] as const),
    ...['Invoices', ...amounts].map((text) => [text, 'headerRight'] as const),
  ]
  const rows = withSums(totals).map(({ currency, status, count, isSum, ...sums }) => {
    const [text, number, amount] = isSum
      ? (['totalText', 'totalCount', 'totalAmount'] as const)
      : (['text', 'count', 'amount'] as const)
    return [
      [currencyName(currency), text],
      [status, text],
      [count, number],
      ...[sums.amount, sums.received, sums.excess, sums.refunded].map(
        (units) => [formatAmount(units, decimalsOf[currency]), amount] as const,
      ),
    ] satisfies SummaryCell[]
  })
  return [header, ...rows]
}
