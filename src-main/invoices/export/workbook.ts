/** Common parts of the workbooks of invoices and of a reconciliation. */
import { type Currency, decimalsOf } from '../../../src-preload/domain/amount.ts'
import type { Column, Rows } from '../../exports/table.ts'
import { type Sheet, type SummaryCell, summarySheet, tableSheet } from '../../exports/xlsx.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import type { PaymentRow } from '../store/export-rows.ts'
import { fiatCells, fiatColumn } from './fiat-cells.ts'
import { type InvoiceExportOrder, toColumn } from './content.ts'

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
    {
      name: 'fiat_rate_at',
      kind: 'moment',
      value: ({ fiat }) => fiat?.rateAt ?? null,
    },
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

/** Each column after the first may hold amounts, which a narrower column shows as `###`. */
const summaryWidths = [44, 24, 24, 24, 24, 24, 24]

/** The first sheet, which sums up the others. */
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
