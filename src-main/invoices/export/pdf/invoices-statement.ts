/** The ledger as a document for a bookkeeper: totals by currency and state, then each invoice. */
import type { InvoiceFilter } from '../../../../src-preload/contract/invoice.ts'
import { describeUncounted, moneyOf } from '../../../../src-preload/contract/invoice-money.ts'
import { readAddress, formatFriendly } from '../../../ton/address.ts'
import type { ExportOrder } from '../order.ts'
import {
  type Printing,
  type RawRow,
  type StoredColumn,
  amountOf,
  currencyOf,
  figuresIn,
  placesOf,
  receivedOf,
  statusOf,
} from '../raw-row.ts'
import type { Total } from '../totals.ts'
import { type Fact, lettersNote, newPage, putFront, putHeading, putNotes } from './front.ts'
import { type Fonts, type Sheet, formatStatement } from './sheet.ts'
import { type Cell, type Column, createTable } from './table.ts'
import {
  counted,
  formatCount,
  formatFilter,
  formatMoment,
  formatMoney,
  formatPeriod,
} from './words.ts'
import { decimalsOf } from '../../../../src-preload/domain/amount.ts'

export const statementColumns = [
  'id',
  'description',
  'payer',
  'payer_label',
  'created',
  'changed',
] as const satisfies readonly StoredColumn[]
const [idAt = 0, descriptionAt = 0, payerAt = 0, labelAt = 0, createdAt = 0, changedAt = 0] =
  placesOf(statementColumns)

const listColumns: readonly Column[] = [
  { title: 'Created, then changed', width: 108, kind: 'text' },
  { title: 'Invoice, state', width: 84, kind: 'text' },
  { title: 'Description, payer', width: 236, kind: 'text' },
  { title: 'Currency', width: 46, kind: 'text' },
  { title: 'Asked', width: 96, kind: 'amount' },
  { title: 'Received', width: 96, kind: 'amount' },
  { title: 'Excess', width: 96, kind: 'amount' },
]

const totalColumns: readonly Column[] = [
  { title: 'Currency', width: 80, kind: 'text' },
  { title: 'State', width: 110, kind: 'text' },
  { title: 'Invoices', width: 90, kind: 'count' },
  { title: 'Asked', width: 150, kind: 'amount' },
  { title: 'Received on the chain', width: 180, kind: 'amount' },
  { title: 'Excess', width: 152, kind: 'amount' },
]

export type InvoicesStatement = {
  readonly order: ExportOrder
  readonly filter: InvoiceFilter
  readonly fonts: Fonts
  readonly printing: Printing
  readonly totals: readonly Total[]
  /** Of the creation; null where there is no row. */
  readonly span: { readonly from: number; readonly to: number } | null
  readonly unconfirmed: number
  /** With `statementColumns`; read twice, first to count the pages. */
  readonly rows: (isCounting: boolean) => Iterable<RawRow>
}

export function writeInvoicesStatement(statement: InvoicesStatement): AsyncIterable<Uint8Array> {
  const { order, printing, totals, unconfirmed } = statement
  const { network, options, at, appVersion } = order
  const title = 'Statement of invoices'
  const period = periodOf(statement)
  const made = formatMoment(at, printing.times)
  const filter = formatFilter(statement.filter)
  const facts: Fact[] = [
    { name: 'Network', text: network.name },
    { name: 'Period', text: period },
    ...(filter === null ? [] : [{ name: 'Only', text: filter }]),
    { name: 'Time zone', text: options.zone },
    { name: 'Made', text: `${made}, from the local ledger` },
  ]
  return formatStatement(statement.fonts, {
    title,
    subject: `${network.name} · ${period}`,
    at,
    creator: `Tondesk ${appVersion}`,
    foot: `Made by Tondesk ${appVersion} on ${made}, from the local ledger`,
    draw(sheet, isCounting) {
      const totalsAt = putHeading(sheet, 'Totals', putFront(sheet, title, facts))
      const listAt = putTotals(sheet, totals, options.decimalMark, totalsAt) + 22
      const list = putList(sheet, statement, statement.rows(isCounting), listAt)
      putNotes(
        sheet,
        [
          ...(list.hasExcess ? [excessNote] : []),
          ...(list.isUnread ? ['No figure under Received: the chain was not read so far.'] : []),
          ...(unconfirmed === 0 ? [] : [leftOut(unconfirmed)]),
          ...lettersNote(sheet),
        ],
        list.y,
      )
      return Promise.resolve()
    },
  })
}

function periodOf({ filter, order, printing, span }: InvoicesStatement): string {
  const { zone } = order.options
  const asked = formatPeriod(filter, zone, printing.times)
  if (asked !== null) return asked
  if (span === null) return 'all there are'
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: zone })
  const [first, last] = [day.format(span.from), day.format(span.to)]
  return `all there are, created ${first === last ? first : `${first} to ${last}`}`
}

function leftOut(unconfirmed: number): string {
  const are = unconfirmed === 1 ? 'is' : 'are'
  return `${counted(unconfirmed, 'invoice')} that only a webhook has told of, and that the gateway has not confirmed, ${are} left out.`
}

function putTotals(sheet: Sheet, totals: readonly Total[], mark: '.' | ',', from: number): number {
  const table = createTable(sheet, totalColumns, from)
  table.head()
  const put = (group: Omit<Total, 'status' | 'overpayment'>, state: string, isTotal: boolean) => {
    const decimals = decimalsOf[group.currency]
    const money = (units: bigint): Cell => [{ text: formatMoney(units, decimals, mark) }]
    table.row(
      [
        [{ text: group.currency }],
        [{ text: sheet.fit(sheet.letters.write(state), totalColumns[1]?.width ?? 0) }],
        [{ text: formatCount(group.count) }],
        money(group.amount),
        money(group.received),
        money(group.excess),
      ],
      { isTotal },
    )
  }
  for (const [currency, groups] of Map.groupBy(totals, (each) => each.currency)) {
    for (const group of groups) put(group, group.status, false)
    const sum = (of: (total: Total) => bigint) => groups.reduce((all, each) => all + of(each), 0n)
    const count = groups.reduce((all, each) => all + each.count, 0)
    const [amount, received] = [sum((each) => each.amount), sum((each) => each.received)]
    const excess = sum((each) => each.excess)
    put({ currency, count, amount, received, excess }, 'all', true)
  }
  if (totals.length === 0) table.row([[], [{ text: 'none', tone: 'faint' }]])
  return table.y()
}

/** @returns where it ended, and whether the chain is still to be read of one of them */
function putList(
  sheet: Sheet,
  { order, printing }: InvoicesStatement,
  rows: Iterable<RawRow>,
  from: number,
): { y: number; isUnread: boolean; hasExcess: boolean } {
  const begins = from + 60 > sheet.bottom ? newPage(sheet) : from
  const table = createTable(sheet, listColumns, putHeading(sheet, 'Invoices', begins))
  table.head()
  let [isUnread, hasExcess] = [false, false]
  for (const row of rows) {
    if (receivedOf(row) === null) isUnread = true
    if (moneyOf(figuresIn(row, printing)).excess > 0n) hasExcess = true
    table.row(cellsOf(sheet, row, order, printing))
  }
  return { y: table.y(), isUnread, hasExcess }
}

const excessNote =
  'Excess: what came beyond the amount of a paid invoice, and all that came for one that expired or was cancelled. It is to be returned unless that was settled.'

const descriptionLines = 3

function cellsOf(
  sheet: Sheet,
  row: RawRow,
  { network, options }: ExportOrder,
  printing: Printing,
): Cell[] {
  const { times } = printing
  const figures = figuresIn(row, printing)
  const decimals = decimalsOf[currencyOf(row)]
  const moment = (ms: unknown) => formatMoment(ms as number, times)
  const money = (digits: string | null): Cell =>
    digits === null || digits === '0'
      ? []
      : [{ text: formatMoney(BigInt(digits), decimals, options.decimalMark) }]
  const width = (index: number) => (listColumns[index]?.width ?? 0) - 12
  const write = (text: unknown) => sheet.letters.write(String(text))
  const [created, changed] = [row[createdAt], row[changedAt]]
  const description = write(row[descriptionAt]).trim()
  const payer = row[payerAt] as string | null
  const label = row[labelAt] as string | null
  return [
    [
      { text: moment(created) },
      ...(changed === created ? [] : [{ text: moment(changed), tone: 'faint' as const }]),
    ],
    [
      { text: middleCut(sheet, write(row[idAt]), width(1)) },
      { text: sheet.fit(write(statusOf(row)), width(1)), tone: 'faint' },
    ],
    [
      ...(description === ''
        ? []
        : sheet.wrap(description, width(2), descriptionLines).map((text) => ({ text }))),
      ...(label === null
        ? []
        : [{ text: sheet.fit(`from ${write(label)}`, width(2)), tone: 'faint' as const }]),
      ...(payer === null
        ? []
        : [{ text: friendly(payer, network.testOnly), tone: 'faint' as const }]),
      ...(figures.uncounted.length === 0
        ? []
        : sheet
            .wrap(write(describeUncounted(figures)), width(2), descriptionLines)
            .map((text) => ({ text, tone: 'act' as const }))),
    ],
    [{ text: currencyOf(row) }],
    money(amountOf(row)),
    money(receivedOf(row)),
    money(String(moneyOf(figures).excess)),
  ]
}

/** As wallets show it. */
export function friendly(address: string, testOnly: boolean): string {
  return readAddress(address) === null
    ? address
    : formatFriendly(address, { bounceable: false, testOnly })
}

/** The ends of an id tell it apart. */
export function middleCut(sheet: Sheet, text: string, width: number): string {
  if (sheet.widthOf(text) <= width) return text
  for (let kept = Math.floor(text.length / 2); kept > 1; kept -= 1) {
    const cut = `${text.slice(0, kept)}…${text.slice(-kept)}`
    if (sheet.widthOf(cut) <= width) return cut
  }
  return sheet.fit(text, width)
}
