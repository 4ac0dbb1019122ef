import type { ReconciliationSummary } from '../../../src-preload/contract/discrepancy.ts'
import { currencyName, decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'
import type { Column, Rows } from '../../exports/table.ts'
import { type Sheet, type SummaryCell, tableSheet } from '../../exports/xlsx.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import type { PaymentRow } from '../store/export-rows.ts'
import type { ReportEntry } from './report-line.ts'
import { reportFacts, reportNote, reportTitle, reportTotals } from './report-statement.ts'
import { fiatNote } from './fiat-cells.ts'
import type { InvoiceExportOrder } from './content.ts'
import { paymentSheet, withSummary } from './workbook.ts'

type ReportWorkbook = {
  readonly order: InvoiceExportOrder
  readonly closing: ReconciliationSummary
  readonly times: ZoneTimes
  readonly columns: readonly Column<ReportEntry>[]
  readonly rows: Rows<ReportEntry>
  readonly differences: Rows<ReportEntry>
  readonly payments: Rows<PaymentRow>
}

/** Sheets of the invoices, of the period's payments, and of the rows where gateway and chain differ. */
export function createReportWorkbook(workbook: ReportWorkbook): readonly Sheet[] {
  const { order, closing, times, columns, rows, differences, payments } = workbook
  const sheets = [
    tableSheet('Invoices', columns, ofInvoices(rows), times),
    paymentSheet(payments, times),
    tableSheet('Discrepancies', columns, differences, times),
  ]
  return withSummary(order, sheets, () => ({
    title: reportTitle,
    facts: reportFacts(order, closing, times),
    tables: [{ title: 'Gateway and chain', rows: totalRows(closing) }],
    notes: [
      reportNote,
      'Invoices lists the invoices that were paid in the period or received a payment in it. Payments lists the payments received in the period. Discrepancies lists the invoices and payments on which gateway and chain differ.',
      ...(order.fiat === null ? [] : [fiatNote(order.fiat.currency)]),
    ],
  }))
}

async function* ofInvoices(rows: Rows<ReportEntry>): Rows<ReportEntry> {
  for await (const batch of rows) yield batch.filter(({ row }) => row.invoice !== null)
}

function totalRows({ totals }: ReconciliationSummary): SummaryCell[][] {
  const names = totals.map(({ currency }) => [currencyName(currency), 'headerRight'] as const)
  const rows = reportTotals.map(([name, of]): SummaryCell[] => {
    const isLast = name.startsWith('Difference')
    const cells = totals.map((total): SummaryCell => {
      const value = of(total)
      if (typeof value === 'number') return [value, isLast ? 'totalCount' : 'count']
      const decimal = formatAmount(BigInt(value), decimalsOf[total.currency])
      return [decimal, isLast ? 'totalAmount' : 'amount']
    })
    return [[name, isLast ? 'totalText' : 'text'], ...cells]
  })
  return [[['', 'header'], ...names], ...rows]
}
