/** The close of a period as a document: what gateway and chain say, then what does not agree, then the rest. */
import type { Closing, ClosingRow } from '../../../../src-preload/contract/matter.ts'
import { toClosingLine } from '../closing-line.ts'
import type { ExportOrder } from '../order.ts'
import type { ZoneTimes } from '../../../exports/zone-times.ts'
import { type Fact, lettersNote, newPage, putFront, putHeading, putNotes } from './front.ts'
import { friendly, middleCut } from './invoices-statement.ts'
import { type Fonts, type Sheet, formatStatement } from './sheet.ts'
import { type Cell, type Column, type Line, type Table, createTable } from './table.ts'
import { counted, formatCount, formatMoment, formatMoney, formatSpan } from './words.ts'
import { decimalsOf } from '../../../../src-preload/domain/amount.ts'

export type ClosingStatement = {
  readonly order: ExportOrder
  readonly closing: Closing
  /** Differences first; read twice, first to count the pages. */
  readonly rows: (isCounting: boolean) => AsyncIterable<ClosingRow>
  readonly times: ZoneTimes
  readonly fonts: Fonts
}

const listColumns: readonly Column[] = [
  { title: 'Paid', width: 108, kind: 'text' },
  { title: 'Invoice, state', width: 84, kind: 'text' },
  { title: 'What is found', width: 332, kind: 'text' },
  { title: 'Currency', width: 46, kind: 'text' },
  { title: 'Gateway', width: 96, kind: 'amount' },
  { title: 'Chain', width: 96, kind: 'amount' },
]

/** Room for a heading, the table's head and a row. */
const beginning = 92

export function writeClosingStatement(statement: ClosingStatement): AsyncIterable<Uint8Array> {
  const { order, closing, rows, times, fonts } = statement
  const { network, options, at, appVersion } = order
  const title = 'Close of period'
  const period = formatSpan(closing.from, closing.to, options.zone, times)
  const made = formatMoment(at, times)
  const facts: Fact[] = [
    { name: 'Network', text: network.name },
    { name: 'Period', text: period },
    { name: 'Time zone', text: options.zone },
    { name: 'Result', text: resultOf(closing) },
    ...closing.problems.map((text) => ({ name: 'To be known', text })),
    { name: 'Made', text: `${made}, from the local ledger` },
  ]

  async function draw(sheet: Sheet, isCounting: boolean): Promise<void> {
    const totalsAt = putHeading(sheet, 'Gateway and chain', putFront(sheet, title, facts))
    let end = putTotals(sheet, closing, options.decimalMark, totalsAt)

    function begin(heading: string): Table {
      const top = end + beginning > sheet.bottom ? newPage(sheet) : end + 22
      const table = createTable(sheet, listColumns, putHeading(sheet, heading, top))
      table.head()
      return table
    }

    let table: Table | null = null
    let isAgreeing = false
    for await (const row of rows(isCounting)) {
      const agrees = row.difference === null
      if (table === null || agrees !== isAgreeing) {
        table = begin(agrees ? 'What agrees' : 'What does not agree')
        isAgreeing = agrees
      }
      table.row(cellsOf(sheet, row, order, times))
      end = table.y()
    }
    putNotes(sheet, lettersNote(sheet), end)
  }

  return formatStatement(fonts, {
    title,
    subject: `${network.name} · ${period}`,
    at,
    creator: `Tondesk ${appVersion}`,
    foot: `Made by Tondesk ${appVersion} on ${made}, from the local ledger`,
    draw,
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

function putTotals(sheet: Sheet, { totals }: Closing, mark: '.' | ',', from: number): number {
  const columns: readonly Column[] = [
    { title: '', width: 310, kind: 'text' },
    ...totals.map(({ currency }) => ({ title: currency, width: 150, kind: 'amount' as const })),
  ]
  const table = createTable(sheet, columns, from)
  const money = (of: (total: Totals) => string): Cell[] =>
    totals.map((total) => [
      { text: formatMoney(BigInt(of(total)), decimalsOf[total.currency], mark) },
    ])
  // Without decimals it stands where the whole parts do.
  const count = (of: (total: Totals) => number): Cell[] =>
    totals.map((total) => [{ text: formatCount(of(total)) }])
  const put = (name: string, cells: Cell[], isTotal = false, tone?: Line['tone']) =>
    table.row([[tone === undefined ? { text: name } : { text: name, tone }], ...cells], { isTotal })

  table.head()
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
  return table.y()
}

const explanationLines = 3

function cellsOf(
  sheet: Sheet,
  row: ClosingRow,
  { network, options }: ExportOrder,
  times: ZoneTimes,
): Cell[] {
  const line = toClosingLine(row)
  const { invoice, payments } = row
  const decimals = decimalsOf[line.currency]
  const width = (index: number) => (listColumns[index]?.width ?? 0) - 12
  const write = (text: string) => sheet.letters.write(text)
  const money = (units: bigint): Cell => [
    { text: formatMoney(units, decimals, options.decimalMark) },
  ]
  const faint = (text: string): Line => ({ text: sheet.fit(text, width(2)), tone: 'faint' })
  const explained = sheet.wrap(write(row.text), width(2), explanationLines)
  const moments = payments.slice(0, 3).map(({ at }): Line => ({ text: formatMoment(at, times) }))
  // Where the chain tells nothing, by the gateway.
  const changed: Line[] =
    invoice === null ? [] : [{ text: formatMoment(invoice.changedAt, times), tone: 'faint' }]
  const description = invoice?.description.trim() ?? ''
  return [
    moments.length > 0 ? moments : changed,
    invoice === null
      ? []
      : [
          { text: middleCut(sheet, write(invoice.id), width(1)) },
          { text: sheet.fit(write(invoice.status), width(1)), tone: 'faint' },
        ],
    [
      ...explained.map((text): Line =>
        row.difference === null ? { text } : { text, tone: 'act' },
      ),
      ...(description === '' ? [] : [faint(write(description))]),
      ...(typeof line.payer_label === 'string' ? [faint(`from ${write(line.payer_label)}`)] : []),
      ...(typeof line.payer === 'string' ? [faint(friendly(line.payer, network.testOnly))] : []),
      ...payments.slice(0, 3).map(({ hash }) => faint(hash)),
      ...(payments.length > 3
        ? [faint(`and ${counted(payments.length - 3, 'more payment')}`)]
        : []),
    ],
    [{ text: line.currency }],
    invoice?.status === 'paid' ? money(BigInt(invoice.amount) + BigInt(invoice.overpayment)) : [],
    payments.length === 0 ? [] : money(BigInt(String(line.received))),
  ]
}
