import type { Invoice, InvoiceFilter } from '../../../src-preload/contract/invoice.ts'
import {
  type InvoiceAmounts,
  describeExceptions,
  moneyOf,
} from '../../../src-preload/contract/invoice-money.ts'
import {
  currencyName,
  decimalsOf,
  formatMoney as formatSum,
  groupDigits,
  splitAmount,
} from '../../../src-preload/domain/amount.ts'
import {
  type Cell,
  type Line,
  type Statement,
  type StatementColumn,
  type StatementPages,
  formatStatement,
} from '../../exports/pdf.ts'
import type { Chunks, Rows } from '../../exports/table.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import type { RawRow, StoredColumn } from '../store/export-rows.ts'
import type { Cell as Value, InvoiceExportOrder } from './content.ts'
import { amountsOfRow } from './raw-row.ts'
import { type Total, addSumRows } from './totals.ts'
import { readLogo } from '../../exports/logo.ts'
import { formatFriendly, readAddress } from '../../ton/address.ts'
import type { ReconciliationSummary } from '../../../src-preload/contract/discrepancy.ts'
import type { ReportEntry } from './report-line.ts'

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
  for (const { currency, status, count, isSum, ...sums } of addSumRows(totals)) {
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
        : [{ text: formatMoney(digits, decimalsOf[currency], options.decimalMark) }]
    const moment = (ms: Value) => formatMoment(Number(ms), times)
    const [text, from, name] = [String(description(row)).trim(), payer(row), label(row)]
    const uncounted = endWithMark(describeExceptions(stats).join('; '), options.decimalMark)
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

type Fact = Statement['facts'][number]

function networkAndPeriod({ network, options }: InvoiceExportOrder, period: string): Fact[] {
  return [
    { name: 'Network', text: network.name },
    { name: 'Period', text: period },
    { name: 'Time zone', text: options.zone },
  ]
}

/** Formats a statement whose cover ends with the time of its creation. */
function formatInvoiceStatement(
  { network, at, appVersion, merchantName, logo }: InvoiceExportOrder,
  times: ZoneTimes,
  { facts, ...rest }: Pick<Statement, 'title' | 'facts' | 'write'>,
) {
  const made = `${formatMoment(at, times)}, from the local ledger`
  const period = facts.find(({ name }) => name === 'Period')?.text ?? ''
  return formatStatement({
    ...rest,
    at,
    appVersion,
    merchantName,
    logo: readLogo(logo),
    subject: `${network.name} · ${period}`,
    foot: `Created by Tondesk ${appVersion} on ${made}`,
    facts: [...facts, { name: 'Created', text: made }],
  })
}

const faint = (text: string): Line => ({ text, tone: 'faint' })

/**
 * Formats an amount exactly with at least two decimals: `1,234.50` or `1.234,50`. `units` are
 * minimal units with a sign.
 */
export function formatMoney(units: bigint | string, decimals: number, mark: '.' | ','): string {
  const { sign, whole, fraction } = splitAmount(units, decimals, 2)
  const grouped = groupDigits(whole, mark === '.' ? ',' : '.')
  return `${sign === '' ? '' : '−'}${grouped}${mark}${fraction}`
}

/**
 * Replaces the decimal points in a sentence by the chosen mark, because `1.234` could mean both in
 * one statement. Amounts and units stay on the same line.
 */
export function endWithMark(sentence: string, mark: '.' | ','): string {
  return sentence.replace(
    /(\d+)(?:\.(\d+))? (?=(?:TON|GRAM|USDT)\b)/g,
    (_, whole: string, fraction?: string) =>
      `${whole}${fraction === undefined ? '' : mark + fraction}\u00a0`,
  )
}

function refundedLine(
  { refunded, currency }: Pick<Invoice, 'refunded' | 'currency'>,
  { decimalMark }: InvoiceExportOrder['options'],
): Line {
  return { text: endWithMark(`${formatSum(refunded, currency)} refunded`, decimalMark) }
}

/** Formats `2026-10-25 02:30:00 +01`; the offset distinguishes hours that occur twice. */
function formatMoment(ms: number, times: ZoneTimes): string {
  const [date = '', time = ''] = times.print(ms).split('T')
  const offset = /[+-]\d\d:\d\d$/.exec(time)?.[0].replace(/:00$/, '') ?? ''
  return `${date} ${time.slice(0, 8)}${offset === '' ? '' : ` ${offset}`}`
}

const dayMs = 86_400_000

/** Formats `1 January 2026 to 31 January 2026`; with times unless both ends are midnights of the zone. */
export function formatSpan(
  from: number | null,
  to: number | null,
  zone: string,
  times: ZoneTimes,
): string {
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: zone })
  const isMidnight = (ms: number) => (ms + times.offsetAt(ms)) % dayMs === 0
  const first =
    from === null ? null : isMidnight(from) ? day.format(from) : formatMoment(from, times)
  const last = to === null ? null : isMidnight(to) ? day.format(to - 1) : formatMoment(to, times)
  if (first === null && last === null) return 'all'
  if (first === null) return `up to ${last ?? ''}`
  if (last === null) return `from ${first}`
  return first === last ? first : `${first} to ${last}`
}

const periodWords = { created: 'created', ended: 'ended', expires: 'expiring' } as const

function formatFilter(filter: InvoiceFilter): string | null {
  const { statuses, currencies, amountFrom, amountTo, overpaid, matter, paidWithin, text } = filter
  const parts = [
    statuses.length > 0 && statuses.join(' or '),
    currencies.length === 1 && `in ${currencyName(currencies.join(''))}`,
    amountFrom !== null && `amount ${amountFrom} or more`,
    amountTo !== null && `amount ${amountTo} or less`,
    overpaid && 'overpaid',
    matter !== null && (matter === 'any' ? 'needs attention' : `needs attention: ${matter}`),
    paidWithin !== null &&
      `paid ${paidWithin.from}${paidWithin.to === null ? ' s or more' : ` to ${paidWithin.to} s`} after creation`,
    text.trim() !== '' && `contains “${text.trim()}”`,
  ]
  const shown = parts.filter((part) => part !== false)
  return shown.length === 0 ? null : shown.join(', ')
}

function formatPeriod(filter: InvoiceFilter, zone: string, times: ZoneTimes): string | null {
  const { period } = filter
  if (period === null || (period.from === null && period.to === null)) return null
  return `${periodWords[period.by]} ${formatSpan(period.from, period.to, zone, times)}`
}

function formatCount(count: number): string {
  return count.toLocaleString('en')
}

const counted = (count: number, one: string): string =>
  `${formatCount(count)} ${count === 1 ? one : `${one}s`}`

function friendlyAddress(address: string, testOnly: boolean): string {
  return readAddress(address) === null
    ? address
    : formatFriendly(address, { bounceable: false, testOnly })
}

const findingColumns: readonly StatementColumn[] = [
  { title: 'Paid on', width: 108, kind: 'text' },
  { title: 'Invoice and state', width: 84, kind: 'text' },
  { title: 'Finding', width: 332, kind: 'text' },
  { title: 'Currency', width: 46, kind: 'text' },
  { title: 'Gateway', width: 96, kind: 'amount' },
  { title: 'Chain', width: 96, kind: 'amount' },
]

export type Report = {
  readonly order: InvoiceExportOrder
  readonly closing: ReconciliationSummary
  readonly rows: Rows<ReportEntry>
  readonly times: ZoneTimes
}

export function formatReport({ order, closing, rows, times }: Report): Chunks {
  const { options } = order
  return formatInvoiceStatement(order, times, {
    title: reportTitle,
    facts: reportFacts(order, closing, times),
    async write(pages) {
      pages.heading('Gateway and chain')
      writeReportTotals(pages, closing, options.decimalMark)
      pages.note(reportNote)
      let heading = ''
      let write: (cells: Cell[]) => void = () => undefined
      for await (const batch of rows) {
        for (const entry of batch) {
          const { difference, needsAttention } = entry.row
          const agrees = needsAttention ? 'To decide' : 'No differences'
          const needed = difference === null ? agrees : 'Differences'
          if (heading !== needed) {
            pages.heading(needed)
            write = pages.table(findingColumns)
          }
          heading = needed
          write(findingCells(entry, order, times))
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
      : `Differences and open decisions: ${differences}`
  return isComplete ? found : `${found}, but the chain is not synced for the complete period`
}

type ReportTotal = ReconciliationSummary['totals'][number]

/** Counts are numbers, amounts are digits of minimal units. */
export const reportTotals: readonly (readonly [
  name: string,
  of: (total: ReportTotal) => number | string,
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
  ['of which payments accepted although short', (each) => each.acceptedDifference],
  ['Shortfall of these payments', (each) => each.shortfall],
]

function writeReportTotals(
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
      return [{ text: formatMoney(value, decimalsOf[total.currency], mark) }]
    })
    const isPart = name.startsWith('of which ')
    write(
      [[{ text: name, max: 2, ...(isPart && { tone: 'faint' }) }], ...cells],
      name.startsWith('Difference'),
    )
  }
}

const findingLines = 3
const maxPayments = 3

function findingCells(
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
        text: endWithMark(row.text, options.decimalMark),
        max: findingLines,
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
