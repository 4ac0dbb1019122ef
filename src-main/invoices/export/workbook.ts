/** Writes the common parts of the workbooks of invoices and of reconciliations. */
import {
  type Currency,
  currencyName,
  decimalsOf,
  formatAmount,
} from '../../../src-preload/domain/amount.ts'
import type { Column, Rows } from '../../exports/table.ts'
import { type Sheet, type SummaryCell, summarySheet, tableSheet } from '../../exports/xlsx.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import type { createExportRows, DiscrepancyRow, PaymentRow, RawRow } from '../store/export-rows.ts'
import { fiatCells, fiatColumn, fiatNote } from './fiat-cells.ts'
import { type Cell, type InvoiceExportOrder, toColumn } from './content.ts'
import { describeMoney } from '../../../src-preload/contract/invoice-money.ts'
import { slicesOf } from '../../database/pages.ts'
import { amountsOfRow, decimalsIn } from './raw-row.ts'
import { type Total, addSumRows } from './totals.ts'
import type { ReconciliationSummary } from '../../../src-preload/contract/discrepancy.ts'
import type { ReportEntry } from './report-line.ts'
import {
  type InvoicesReport,
  type Report,
  describeOmitted,
  excessNote,
  factsOf,
  reportFacts,
  reportNote,
  reportTitle,
  reportTotals,
} from './statement.ts'

const paymentColumns = [
  ...['at', 'invoice', 'currency', 'amount', 'payer', 'payer_label', 'comment'],
  ...['account', 'certainty', 'hash', 'lt'],
] as readonly Exclude<keyof PaymentRow, 'fiat'>[]

export function paymentSheet(rows: Rows<PaymentRow>, times: ZoneTimes): Sheet {
  const decimalsIn = ({ currency }: PaymentRow) => decimalsOf[currency as Currency]
  const fiatOf = (row: PaymentRow) => fiatCells([row.fiat], times)
  const columns: Column<PaymentRow>[] = [
    ...paymentColumns.map((name) => toColumn(name, (row: PaymentRow) => row[name], decimalsIn)),
    fiatColumn('fiat_value', fiatOf),
    fiatColumn('fiat_currency', fiatOf),
    fiatColumn('fiat_rate', fiatOf),
    { name: 'fiat_rate_at', kind: 'moment', value: ({ fiat }) => fiat?.rateAt ?? null },
    fiatColumn('fiat_source', fiatOf),
  ]
  return tableSheet('Payments', columns, rows, times)
}

type Summary = {
  readonly title: string
  readonly facts: readonly { readonly name: string; readonly text: string }[]
  readonly tables: readonly {
    readonly title: string
    readonly rows: readonly (readonly SummaryCell[])[]
  }[]
  readonly notes: readonly string[]
}

/** Each column after the first may contain amounts, which a narrower column would show as `###`. */
const summaryWidths = [44, 24, 24, 24, 24, 24, 24]

/** Adds the first sheet, which sums up the others. */
export function withSummary(
  { merchantName }: Pick<InvoiceExportOrder, 'merchantName'>,
  sheets: readonly Sheet[],
  summary: () => Summary,
): readonly Sheet[] {
  const lines = (): (readonly SummaryCell[])[] => {
    const { title, facts, tables, notes } = summary()
    const inexact = sheets.reduce((sum, sheet) => sum + sheet.inexact(), 0)
    return [
      ...(merchantName === '' ? [] : [[[merchantName, 'heading'] as const]]),
      [[title, 'title']],
      ...facts.map(({ name, text }): SummaryCell[] => [
        [name, 'label'],
        [text, 'text'],
      ]),
      ...tables.flatMap((table) => [[], [[table.title, 'heading'] as const], ...table.rows]),
      ...[...notes, ...(inexact === 0 ? [] : [describeInexact(inexact)])].flatMap(
        (note): SummaryCell[][] => [[], [[note, 'label']]],
      ),
    ]
  }
  return [summarySheet('Summary', summaryWidths, lines), ...sheets]
}

function describeInexact(count: number): string {
  const amounts = count === 1 ? 'One amount has' : `${count.toLocaleString('en')} amounts have`
  return `${amounts} more than 15 digits. Spreadsheets round such numbers, so these cells are text, and a sum of their column skips them. The totals on this sheet are exact.`
}

const rowsAtOnce = 500

type InvoicesWorkbook = InvoicesReport & {
  readonly ledger: ReturnType<typeof createExportRows>
  readonly columns: readonly Column<RawRow>[]
  readonly rows: Rows<RawRow>
  /** The totals are complete when all rows are written. */
  readonly totals: () => readonly Total[]
}

/** Writes sheets of the invoices, their payments on the chain, and their open discrepancies. */
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
      tables: [{ title: 'Totals', rows: invoiceTotals(all) }],
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

function invoiceTotals(totals: readonly Total[]): SummaryCell[][] {
  const amounts = ['Requested', 'Received on the chain', 'Excess', 'Refunded']
  const header: SummaryCell[] = [
    ...['Currency', 'State'].map((text) => [text, 'header'] as const),
    ...['Invoices', ...amounts].map((text) => [text, 'headerRight'] as const),
  ]
  const rows = addSumRows(totals).map(({ currency, status, count, isSum, ...sums }) => {
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

type ReportWorkbook = Report & {
  readonly columns: readonly Column<ReportEntry>[]
  readonly differences: Rows<ReportEntry>
  readonly payments: Rows<PaymentRow>
}

/**
 * Writes sheets of the invoices, of the period's payments, and of the rows in which gateway and
 * chain differ.
 */
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
    tables: [{ title: 'Gateway and chain', rows: gatewayAndChain(closing) }],
    notes: [
      reportNote,
      'Invoices lists the invoices that were paid in the period or received a payment in it. Payments lists the payments received in the period. Discrepancies lists the invoices and payments on which gateway and chain differ, or which need a decision.',
      ...(order.fiat === null ? [] : [fiatNote(order.fiat.currency)]),
    ],
  }))
}

async function* ofInvoices(rows: Rows<ReportEntry>): Rows<ReportEntry> {
  for await (const batch of rows) yield batch.filter(({ row }) => row.invoice !== null)
}

function gatewayAndChain({ totals }: ReconciliationSummary): SummaryCell[][] {
  const names = totals.map(({ currency }) => [currencyName(currency), 'headerRight'] as const)
  const rows = reportTotals.map(([name, of]): SummaryCell[] => {
    const isLast = name.startsWith('Difference')
    const cells = totals.map((total): SummaryCell => {
      const value = of(total)
      if (typeof value === 'number') return [value, isLast ? 'totalCount' : 'count']
      const decimal = formatAmount(value, decimalsOf[total.currency])
      return [decimal, isLast ? 'totalAmount' : 'amount']
    })
    return [[name, isLast ? 'totalText' : 'text'], ...cells]
  })
  return [[['', 'header'], ...names], ...rows]
}
