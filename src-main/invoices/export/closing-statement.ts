import type { Closing } from '../../../src-preload/contract/matter.ts'
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
import type { ClosingEntry } from './closing-line.ts'
import type { InvoiceExportOrder } from './order.ts'
import {
  counted,
  formatCount,
  formatMoment,
  formatMoney,
  formatSpan,
  friendlyAddress,
} from './statement-labels.ts'

const listColumns: readonly StatementColumn[] = [
  { title: 'Paid', width: 108, kind: 'text' },
  { title: 'Invoice, state', width: 84, kind: 'text' },
  { title: 'What is found', width: 332, kind: 'text' },
  { title: 'Currency', width: 46, kind: 'text' },
  { title: 'Gateway', width: 96, kind: 'amount' },
  { title: 'Chain', width: 96, kind: 'amount' },
]

export function formatClosingStatement(statement: {
  readonly order: InvoiceExportOrder
  readonly closing: Closing
  readonly rows: Rows<ClosingEntry>
  readonly times: ZoneTimes
}): Chunks {
  const { order, closing, rows, times } = statement
  const { network, options, at, appVersion } = order
  const title = 'Close of period'
  const period = formatSpan(closing.from, closing.to, options.zone, times)
  const made = formatMoment(at, times)
  return formatStatement({
    ...{ title, at, appVersion, subject: `${network.name} · ${period}` },
    foot: `Made by Tondesk ${appVersion} on ${made}, from the local ledger`,
    facts: [
      { name: 'Network', text: network.name },
      { name: 'Period', text: period },
      { name: 'Time zone', text: options.zone },
      { name: 'Result', text: resultOf(closing) },
      ...closing.problems.map((text) => ({ name: 'To be known', text })),
      { name: 'Made', text: `${made}, from the local ledger` },
    ],
    async write(pages) {
      pages.heading('Gateway and chain')
      writeTotals(pages, closing, options.decimalMark)
      let heading = ''
      let write: (cells: Cell[]) => void = () => undefined
      for await (const batch of rows) {
        for (const entry of batch) {
          const agrees = entry.row.difference === null
          const needed = agrees ? 'What agrees' : 'What does not agree'
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

function resultOf({ differences, isComplete }: Closing): string {
  const found =
    differences === 0
      ? 'gateway and chain agree'
      : `${counted(differences, 'row')} ${differences === 1 ? 'does' : 'do'} not agree`
  return isComplete ? found : `${found}, as far as the chain was read`
}

type Totals = Closing['totals'][number]

function writeTotals(pages: StatementPages, { totals }: Closing, mark: '.' | ','): void {
  const row = pages.table([
    { title: '', width: 310, kind: 'text' },
    ...totals.map(({ currency }) => ({ title: currency, width: 150, kind: 'amount' as const })),
  ])
  const money = (of: (total: Totals) => string): Cell[] =>
    totals.map((total) => [
      { text: formatMoney(BigInt(of(total)), decimalsOf[total.currency], mark) },
    ])
  // A count without decimals aligns with the whole parts of amounts.
  const count = (of: (total: Totals) => number): Cell[] =>
    totals.map((total) => [{ text: formatCount(of(total)) }])
  const put = (name: string, cells: Cell[], isTotal = false, tone?: Line['tone']) =>
    row([[{ text: name, max: 2, ...(tone && { tone }) }], ...cells], isTotal)

  put(
    'Invoices paid in the period, by the gateway',
    count((each) => each.paid),
  )
  put(
    'What they asked',
    money((each) => each.paidAmount),
  )
  put(
    'Overpayment in the period, by the gateway',
    money((each) => each.overpayment),
  )
  put(
    'Payments that the addresses received, on the chain',
    count((each) => each.payments),
  )
  put(
    'What they brought',
    money((each) => each.received),
  )
  put(
    'of it for invoices',
    money((each) => each.matched),
    false,
    'faint',
  )
  put(
    'of that for invoices paid in another period, or not paid',
    money((each) => each.matchedElsewhere),
    false,
    'faint',
  )
  put(
    'of it for none',
    money((each) => each.unmatched),
    false,
    'faint',
  )
  put(
    'Difference: chain less gateway',
    money((each) => each.difference),
    true,
  )
}

const explanationLines = 3
const maxPayments = 3

function cellsOf(
  { row, line }: ClosingEntry,
  { network, options }: InvoiceExportOrder,
  times: ZoneTimes,
): Cell[] {
  const { invoice, payments } = row
  const money = (units: bigint): Cell => [
    { text: formatMoney(units, decimalsOf[line.currency], options.decimalMark) },
  ]
  const faint = (text: string): Line => ({ text, tone: 'faint' })
  const shown = payments.slice(0, maxPayments)
  const moments = shown.map(({ at }): Line => ({ text: formatMoment(at, times) }))
  const changed = invoice === null ? [] : [faint(formatMoment(invoice.changedAt, times))]
  const description = invoice?.description.trim() ?? ''
  const { payer, payer_label: label } = line
  return [
    moments.length > 0 ? moments : changed,
    invoice === null ? [] : [{ text: invoice.id, cut: 'middle' }, faint(invoice.status)],
    [
      { text: row.text, max: explanationLines, ...(row.difference !== null && { tone: 'act' }) },
      ...(description === '' ? [] : [faint(description)]),
      ...(typeof label === 'string' ? [faint(`from ${label}`)] : []),
      ...(typeof payer === 'string' ? [faint(friendlyAddress(payer, network.testOnly))] : []),
      ...shown.map(({ hash }) => faint(hash)),
      ...(payments.length > maxPayments
        ? [faint(`and ${counted(payments.length - maxPayments, 'more payment')}`)]
        : []),
    ],
    [{ text: line.currency }],
    invoice?.status === 'paid' ? money(BigInt(invoice.amount) + BigInt(invoice.overpayment)) : [],
    payments.length === 0 ? [] : money(BigInt(String(line.received))),
  ]
}
