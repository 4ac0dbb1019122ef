import type { InvoiceFilter } from '../../../src-preload/contract/invoice.ts'
import {
  type InvoiceAmounts,
  describeUncounted,
  moneyOf,
} from '../../../src-preload/contract/invoice-money.ts'
import { currencyName, decimalsOf } from '../../../src-preload/domain/amount.ts'
import type { Cell, StatementColumn, StatementPages } from '../../exports/pdf.ts'
import type { Chunks, Rows } from '../../exports/table.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import type { RawRow, StoredColumn } from '../store/export-rows.ts'
import type { Cell as Value, InvoiceExportOrder } from './content.ts'
import { amountsOfRow } from './raw-row.ts'
import {
  type Fact,
  counted,
  faint,
  formatCount,
  formatFilter,
  formatInvoiceStatement,
  formatMoment,
  formatMoney,
  formatPeriod,
  friendlyAddress,
  networkAndPeriod,
  refundedLine,
  withMark,
} from './statement-labels.ts'
import { type Total, withSums } from './totals.ts'

const listColumns: readonly StatementColumn[] = [
  { title: 'Created, last changed', width: 108, kind: 'text' },
  { title: 'Invoice and state', width: 84, kind: 'text' },
  { title: 'Description and payer', width: 236, kind: 'text' },
  { title: 'Currency', width: 46, kind: 'text' },
  { title: 'Requested', width: 96, kind: 'amount' },
  { title: 'Received', width: 96, kind: 'amount' },
  { title: 'Excess', width: 96, kind: 'amount' },
]

const totalColumns: readonly StatementColumn[] = [
  { title: 'Currency', width: 70, kind: 'text' },
  { title: 'State', width: 90, kind: 'text' },
  { title: 'Invoices', width: 70, kind: 'count' },
  { title: 'Requested', width: 133, kind: 'amount' },
  { title: 'Received on the chain', width: 133, kind: 'amount' },
  { title: 'Excess', width: 133, kind: 'amount' },
  { title: 'Refunded', width: 133, kind: 'amount' },
]

/** The title and notes of a statement or a workbook of invoices. */
export type InvoicesReport = {
  readonly order: InvoiceExportOrder
  readonly filter: InvoiceFilter
  readonly times: ZoneTimes
  readonly span: { readonly from: number; readonly to: number } | null
  readonly unconfirmed: number
}

type InvoicesStatement = InvoicesReport & {
  readonly totals: readonly Total[]
  readonly rows: Rows<RawRow>
  readonly cellOf: (column: StoredColumn) => (row: RawRow) => Value
}

export const excessNote =
  'Excess is what was paid beyond the amount of a paid invoice, and everything that was paid for an expired or cancelled invoice. Refund the excess unless you have agreed otherwise.'

export function formatInvoicesStatement(statement: InvoicesStatement): Chunks {
  const { order, times, totals, unconfirmed, rows } = statement
  const toCells = createToCells(statement)
  return formatInvoiceStatement(order, times, {
    title: 'Invoices',
    facts: factsOf(statement),
    async write(pages) {
      pages.heading('Totals')
      writeTotals(pages, totals, order.options.decimalMark)
      pages.heading('Invoices')
      const row = pages.table(listColumns)
      let [isUnread, hasExcess] = [false, false]
      for await (const batch of rows) {
        for (const each of batch) {
          const stats = amountsOfRow(each)
          const { received, excess } = moneyOf(stats)
          isUnread ||= received === null
          hasExcess ||= excess > 0n
          row(toCells(each, stats, excess))
        }
      }
      if (hasExcess) pages.note(excessNote)
      if (isUnread)
        pages.note('Received is empty for an invoice until the chain is synced up to its time.')
      if (unconfirmed > 0) pages.note(describeOmitted(unconfirmed))
    },
  })
}

export function factsOf(report: InvoicesReport): Fact[] {
  const filter = formatFilter(report.filter)
  return [
    ...networkAndPeriod(report.order, periodOf(report)),
    ...(filter === null ? [] : [{ name: 'Filter', text: filter }]),
  ]
}

function periodOf({ filter, order, times, span }: InvoicesReport): string {
  const { zone } = order.options
  const requested = formatPeriod(filter, zone, times)
  if (requested !== null) return requested
  if (span === null) return 'all invoices'
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: zone })
  const [first, last] = [day.format(span.from), day.format(span.to)]
  return `all invoices, created ${first === last ? first : `${first} to ${last}`}`
}

export function describeOmitted(unconfirmed: number): string {
  const are = unconfirmed === 1 ? 'is' : 'are'
  return `${counted(unconfirmed, 'invoice')} that only a webhook reported, and that the gateway did not confirm, ${are} not included.`
}

function writeTotals(pages: StatementPages, totals: readonly Total[], mark: '.' | ','): void {
  const row = pages.table(totalColumns)
  for (const { currency, status, count, isSum, ...sums } of withSums(totals)) {
    const texts = [currencyName(currency), status, formatCount(count)]
    const amounts = [sums.amount, sums.received, sums.excess, sums.refunded].map((units) =>
      formatMoney(units, decimalsOf[currency], mark),
    )
    row(
      [...texts, ...amounts].map((text): Cell => [{ text }]),
      isSum,
    )
  }
  if (totals.length === 0) row([[], [faint('none')]])
}

const descriptionLines = 3

function createToCells({ order, times, cellOf }: InvoicesStatement) {
  const { network, options } = order
  const [id, description, payer] = [cellOf('id'), cellOf('description'), cellOf('payer')]
  const reference = cellOf('order_reference')
  const [label, created, changed] = [cellOf('payer_label'), cellOf('created'), cellOf('changed')]
  return (row: RawRow, stats: InvoiceAmounts, excess: bigint): Cell[] => {
    const { status, currency, amount, received } = stats
    const money = (digits: string | null): Cell =>
      digits === null || digits === '0'
        ? []
        : [{ text: formatMoney(BigInt(digits), decimalsOf[currency], options.decimalMark) }]
    const moment = (ms: Value) => formatMoment(Number(ms), times)
    const [text, from, name] = [String(description(row)).trim(), payer(row), label(row)]
    const uncounted = withMark(describeUncounted(stats), options.decimalMark)
    const orderReference = String(reference(row))
    return [
      [
        { text: moment(created(row)) },
        ...(changed(row) === created(row) ? [] : [faint(moment(changed(row)))]),
      ],
      [{ text: String(id(row)), cut: 'middle' }, faint(status)],
      [
        ...(text === '' ? [] : [{ text, max: descriptionLines }]),
        ...(name === null ? [] : [faint(`from ${name}`)]),
        ...(from === null ? [] : [faint(friendlyAddress(String(from), network.testOnly))]),
        ...(orderReference === '' ? [] : [faint(`Order ${orderReference}`)]),
        ...(stats.refunded === '0' ? [] : [refundedLine(stats, options)]),
        ...(uncounted === ''
          ? []
          : [{ text: uncounted, max: descriptionLines, tone: 'act' } as const]),
      ],
      [{ text: currencyName(currency) }],
      money(amount),
      money(received),
      money(String(excess)),
    ]
  }
}
