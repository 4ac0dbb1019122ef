import type { InvoiceFilter } from '../../../src-preload/contract/invoice.ts'
import { describeUncounted, moneyOf } from '../../../src-preload/contract/invoice-money.ts'
import { decimalsOf } from '../../../src-preload/domain/amount.ts'
import {
  type Cell,
  type Line,
  type StatementColumn,
  type StatementPages,
  formatStatement,
} from '../../exports/pdf.ts'
import type { Chunks, Rows } from '../../exports/table.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import type { RawRow, StoredColumn } from '../store/export-rows.ts'
import type { InvoiceExportOrder } from './order.ts'
import {
  type Cell as Value,
  amountOf,
  currencyOf,
  decimalsIn,
  figuresIn,
  receivedOf,
  statusOf,
} from './raw-row.ts'
import {
  counted,
  formatCount,
  formatFilter,
  formatMoment,
  formatMoney,
  formatPeriod,
  friendlyAddress,
} from './statement-labels.ts'
import type { Total } from './totals.ts'

const listColumns: readonly StatementColumn[] = [
  { title: 'Created, then changed', width: 108, kind: 'text' },
  { title: 'Invoice, state', width: 84, kind: 'text' },
  { title: 'Description, payer', width: 236, kind: 'text' },
  { title: 'Currency', width: 46, kind: 'text' },
  { title: 'Asked', width: 96, kind: 'amount' },
  { title: 'Received', width: 96, kind: 'amount' },
  { title: 'Excess', width: 96, kind: 'amount' },
]

const totalColumns: readonly StatementColumn[] = [
  { title: 'Currency', width: 80, kind: 'text' },
  { title: 'State', width: 110, kind: 'text' },
  { title: 'Invoices', width: 90, kind: 'count' },
  { title: 'Asked', width: 150, kind: 'amount' },
  { title: 'Received on the chain', width: 180, kind: 'amount' },
  { title: 'Excess', width: 152, kind: 'amount' },
]

type InvoicesStatement = {
  readonly order: InvoiceExportOrder
  readonly filter: InvoiceFilter
  readonly times: ZoneTimes
  readonly totals: readonly Total[]
  readonly span: { readonly from: number; readonly to: number } | null
  readonly unconfirmed: number
  readonly rows: Rows<RawRow>
  readonly cellOf: (column: StoredColumn) => (row: RawRow) => Value
}

const excessNote =
  'Excess: what came beyond the amount of a paid invoice, and all that came for one that expired or was cancelled. It is to be returned unless that was settled.'

export function formatInvoicesStatement(statement: InvoicesStatement): Chunks {
  const { order, times, totals, unconfirmed, rows } = statement
  const { network, options, at, appVersion } = order
  const period = periodOf(statement)
  const made = formatMoment(at, times)
  const filter = formatFilter(statement.filter)
  const toCells = createToCells(statement)
  return formatStatement({
    title: 'Statement of invoices',
    ...{ at, appVersion, subject: `${network.name} · ${period}` },
    foot: `Made by Tondesk ${appVersion} on ${made}, from the local ledger`,
    facts: [
      { name: 'Network', text: network.name },
      { name: 'Period', text: period },
      ...(filter === null ? [] : [{ name: 'Only', text: filter }]),
      { name: 'Time zone', text: options.zone },
      { name: 'Made', text: `${made}, from the local ledger` },
    ],
    async write(pages) {
      pages.heading('Totals')
      writeTotals(pages, totals, options.decimalMark)
      pages.heading('Invoices')
      const row = pages.table(listColumns)
      let [isUnread, hasExcess] = [false, false]
      for await (const batch of rows) {
        for (const each of batch) {
          if (receivedOf(each) === null) isUnread = true
          if (moneyOf(figuresIn(each)).excess > 0n) hasExcess = true
          row(toCells(each))
        }
      }
      if (hasExcess) pages.note(excessNote)
      if (isUnread) pages.note('No figure under Received: the chain was not read so far.')
      if (unconfirmed > 0) pages.note(leftOut(unconfirmed))
    },
  })
}

function periodOf({ filter, order, times, span }: InvoicesStatement): string {
  const { zone } = order.options
  const asked = formatPeriod(filter, zone, times)
  if (asked !== null) return asked
  if (span === null) return 'all there are'
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: zone })
  const [first, last] = [day.format(span.from), day.format(span.to)]
  return `all there are, created ${first === last ? first : `${first} to ${last}`}`
}

function leftOut(unconfirmed: number): string {
  const are = unconfirmed === 1 ? 'is' : 'are'
  return `${counted(unconfirmed, 'invoice')} that only a webhook has reported, and that the gateway has not confirmed, ${are} left out.`
}

function writeTotals(pages: StatementPages, totals: readonly Total[], mark: '.' | ','): void {
  const row = pages.table(totalColumns)
  const write = (group: Omit<Total, 'status' | 'overpayment'>, state: string, isTotal: boolean) => {
    const money = (units: bigint): Cell => [
      { text: formatMoney(units, decimalsOf[group.currency], mark) },
    ]
    const counts: Cell[] = [
      [{ text: group.currency }],
      [{ text: state }],
      [{ text: formatCount(group.count) }],
    ]
    row([...counts, ...[group.amount, group.received, group.excess].map(money)], isTotal)
  }
  for (const [currency, groups] of Map.groupBy(totals, (each) => each.currency)) {
    for (const group of groups) write(group, group.status, false)
    const sum = (of: (total: Total) => bigint) => groups.reduce((all, each) => all + of(each), 0n)
    const count = groups.reduce((all, each) => all + each.count, 0)
    const [amount, received] = [sum((each) => each.amount), sum((each) => each.received)]
    const excess = sum((each) => each.excess)
    write({ currency, count, amount, received, excess }, 'all', true)
  }
  if (totals.length === 0) row([[], [{ text: 'none', tone: 'faint' }]])
}

const descriptionLines = 3

function createToCells({ order, times, cellOf }: InvoicesStatement): (row: RawRow) => Cell[] {
  const { network, options } = order
  const [id, description, payer] = [cellOf('id'), cellOf('description'), cellOf('payer')]
  const [label, created, changed] = [cellOf('payer_label'), cellOf('created'), cellOf('changed')]
  const faint = (text: string): Line => ({ text, tone: 'faint' })
  return (row) => {
    const figures = figuresIn(row)
    const money = (digits: string | null): Cell =>
      digits === null || digits === '0'
        ? []
        : [{ text: formatMoney(BigInt(digits), decimalsIn(row), options.decimalMark) }]
    const moment = (ms: Value) => formatMoment(Number(ms), times)
    const [text, from, name] = [String(description(row)).trim(), payer(row), label(row)]
    return [
      [
        { text: moment(created(row)) },
        ...(changed(row) === created(row) ? [] : [faint(moment(changed(row)))]),
      ],
      [{ text: String(id(row)), cut: 'middle' }, faint(statusOf(row))],
      [
        ...(text === '' ? [] : [{ text, max: descriptionLines }]),
        ...(name === null ? [] : [faint(`from ${name}`)]),
        ...(from === null ? [] : [faint(friendlyAddress(String(from), network.testOnly))]),
        ...(figures.uncounted.length === 0
          ? []
          : [{ text: describeUncounted(figures), max: descriptionLines, tone: 'act' } as const]),
      ],
      [{ text: currencyOf(row) }],
      money(amountOf(row)),
      money(receivedOf(row)),
      money(String(moneyOf(figures).excess)),
    ]
  }
}
