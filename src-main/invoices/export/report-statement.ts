import type { ReconciliationSummary } from '../../../src-preload/contract/discrepancy.ts'
import { currencyName, decimalsOf } from '../../../src-preload/domain/amount.ts'
import type { Cell, Line, StatementColumn, StatementPages } from '../../exports/pdf.ts'
import type { Chunks, Rows } from '../../exports/table.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import type { ReportEntry } from './report-line.ts'
import type { InvoiceExportOrder } from './content.ts'
import {
  type Fact,
  counted,
  faint,
  formatCount,
  formatInvoiceStatement,
  formatMoment,
  formatMoney,
  formatSpan,
  friendlyAddress,
  networkAndPeriod,
  refundedLine,
  withMark,
} from './statement-labels.ts'

const listColumns: readonly StatementColumn[] = [
  { title: 'Paid on', width: 108, kind: 'text' },
  { title: 'Invoice and state', width: 84, kind: 'text' },
  { title: 'Finding', width: 332, kind: 'text' },
  { title: 'Currency', width: 46, kind: 'text' },
  { title: 'Gateway', width: 96, kind: 'amount' },
  { title: 'Chain', width: 96, kind: 'amount' },
]

export function formatReport(statement: {
  readonly order: InvoiceExportOrder
  readonly closing: ReconciliationSummary
  readonly rows: Rows<ReportEntry>
  readonly times: ZoneTimes
}): Chunks {
  const { order, closing, rows, times } = statement
  const { options } = order
  return formatInvoiceStatement(order, times, {
    title: reportTitle,
    facts: reportFacts(order, closing, times),
    async write(pages) {
      pages.heading('Gateway and chain')
      writeTotals(pages, closing, options.decimalMark)
      pages.note(reportNote)
      let heading = ''
      let write: (cells: Cell[]) => void = () => undefined
      for await (const batch of rows) {
        for (const entry of batch) {
          const agrees = entry.row.difference === null
          const needed = agrees ? 'No differences' : 'Differences'
          if (heading !== needed) {
            pages.heading(needed)
            write = pages.table(listColumns)
          }
          heading = needed
          write(cellsOf(entry, order, times))
        }
      }
    },
  })
}

export const reportTitle = 'Reconciliation report'

export const reportNote =
  '“Gateway” is what the payment gateway reported about your invoices. “Chain” is what arrived at your addresses on the blockchain. A difference of 0 means that both agree.'

export function reportFacts(
  order: InvoiceExportOrder,
  reconciliation: ReconciliationSummary,
  times: ZoneTimes,
): Fact[] {
  return [
    ...networkAndPeriod(
      order,
      formatSpan(reconciliation.from, reconciliation.to, order.options.zone, times),
    ),
    { name: 'Result', text: resultOf(reconciliation) },
    ...reconciliation.problems.map((text) => ({ name: 'Note', text })),
  ]
}

function resultOf({ differences, isComplete }: ReconciliationSummary): string {
  const found =
    differences === 0
      ? 'No differences between gateway and chain'
      : counted(differences, 'difference')
  return isComplete ? found : `${found}, but the chain is not synced for the complete period`
}

type Totals = ReconciliationSummary['totals'][number]

/** Counts are numbers, amounts digits of minimal units. */
export const reportTotals: readonly (readonly [
  name: string,
  of: (total: Totals) => number | string,
])[] = [
  ['Invoices paid in the period (gateway)', (each) => each.paid],
  ['Requested amount of these invoices', (each) => each.paidAmount],
  ['Overpayment in the period (gateway)', (each) => each.overpayment],
  ['Payments received in the period (chain)', (each) => each.payments],
  ['Received amount', (each) => each.received],
  ['of which linked to invoices', (each) => each.matched],
  ['of which not linked to an invoice', (each) => each.unmatched],
  ['Difference (chain minus gateway)', (each) => each.difference],
  ['of which payments not linked to an invoice', (each) => each.unmatched],
  ['of which invoices not paid in the period', (each) => each.unpaidDifference],
  ['of which invoices paid in the period', (each) => each.paidDifference],
]

function writeTotals(
  pages: StatementPages,
  { totals }: ReconciliationSummary,
  mark: '.' | ',',
): void {
  const write = pages.table([
    { title: '', width: 310, kind: 'text' },
    ...totals.map(({ currency }) => ({
      title: currencyName(currency),
      width: 150,
      kind: 'amount' as const,
    })),
  ])
  for (const [name, of] of reportTotals) {
    const cells = totals.map((total): Cell => {
      const value = of(total)
      if (typeof value === 'number') return [{ text: formatCount(value) }]
      return [{ text: formatMoney(BigInt(value), decimalsOf[total.currency], mark) }]
    })
    const isPart = name.startsWith('of which ')
    write(
      [[{ text: name, max: 2, ...(isPart && { tone: 'faint' }) }], ...cells],
      name.startsWith('Difference'),
    )
  }
}

const explanationLines = 3
const maxPayments = 3

function cellsOf(
  { row, line }: ReportEntry,
  { network, options }: InvoiceExportOrder,
  times: ZoneTimes,
): Cell[] {
  const { invoice, payments } = row
  const money = (units: bigint): Cell => [
    { text: formatMoney(units, decimalsOf[line.currency], options.decimalMark) },
  ]
  const shown = payments.slice(0, maxPayments)
  const moments = shown.map(({ at }): Line => ({ text: formatMoment(at, times) }))
  const changed = invoice === null ? [] : [faint(formatMoment(invoice.changedAt, times))]
  const description = invoice?.description.trim() ?? ''
  const { payer, payer_label: label } = line
  return [
    moments.length > 0 ? moments : changed,
    invoice === null ? [] : [{ text: invoice.id, cut: 'middle' }, faint(invoice.status)],
    [
      {
        text: withMark(row.text, options.decimalMark),
        max: explanationLines,
        ...(row.difference !== null && { tone: 'act' }),
      },
      ...(description === '' ? [] : [faint(description)]),
      ...(typeof label === 'string' ? [faint(`from ${label}`)] : []),
      ...(typeof payer === 'string' ? [faint(friendlyAddress(payer, network.testOnly))] : []),
      ...(invoice === null || invoice.refunded === '0' ? [] : [refundedLine(invoice, options)]),
      ...shown.map(({ hash }) => faint(hash)),
      ...(payments.length > maxPayments
        ? [faint(`and ${counted(payments.length - maxPayments, 'more payment')}`)]
        : []),
    ],
    [{ text: currencyName(line.currency) }],
    invoice?.status === 'paid' ? money(BigInt(invoice.amount) + BigInt(invoice.overpayment)) : [],
    payments.length === 0 ? [] : money(BigInt(line.received)),
  ]
}
