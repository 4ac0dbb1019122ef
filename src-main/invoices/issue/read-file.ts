/** CSV of drafts: columns by a header, else in the order amount, currency, description, lifetime. Pure. */
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import { maxIssuedInvoices } from '../../../src-preload/domain/invoice-values.ts'
import {
  type MarkReading,
  currencyOf,
  decimalMarkOf,
  readAmount,
} from '../../../src-preload/domain/written-amount.ts'
import { unguardCell } from '../../exports/formula-safe.ts'
import { readTable } from '../../exports/read-table.ts'
import { readLifeTime, readLine, warnOfTwins } from './read-line.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

type Column = 'amount' | 'currency' | 'description' | 'lifetime' | 'order'
type Columns = Readonly<Record<Column, number>>

const withoutHeader: Columns = { amount: 0, currency: 1, description: 2, lifetime: 3, order: -1 }
export const invoiceHeaders: Readonly<Record<string, Column>> = lookupTable({
  amount: 'amount',
  sum: 'amount',
  total: 'amount',
  value: 'amount',
  price: 'amount',
  currency: 'currency',
  coin: 'currency',
  asset: 'currency',
  unit: 'currency',
  description: 'description',
  comment: 'description',
  note: 'description',
  memo: 'description',
  text: 'description',
  order: 'description',
  reference: 'description',
  lifetime: 'lifetime',
  life_time: 'lifetime',
  lifetime_seconds: 'lifetime',
  life_time_seconds: 'lifetime',
  expires_in: 'lifetime',
  duration: 'lifetime',
  ttl: 'lifetime',
  valid_for: 'lifetime',
  order_reference: 'order',
  order_ref: 'order',
  order_id: 'order',
  order_number: 'order',
})
const delimiterNames: Readonly<Record<string, string>> = lookupTable({
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
})

export function readInvoiceFile(
  csv: string,
  usual: {
    readonly currency: InvoiceCurrency
    readonly lifeTimeSeconds: number
    readonly comma?: MarkReading
  },
  limit = maxIssuedInvoices,
) {
  const { rows, delimiter } = readTable(csv, scoreRow)
  const [first] = rows
  const header = first === undefined ? null : readHeader(first.cells)
  const columns = header ?? withoutHeader
  const body = header === null ? rows : rows.slice(1)
  const read = body.slice(0, limit)
  const cellOf = (cells: readonly string[], column: Column) =>
    unguardCell(cells[columns[column]] ?? '').replace(/^ +| +$/g, '')
  const decimalMark = decimalMarkOf(read.map(({ cells }) => cellOf(cells, 'amount')))
  const lines = read.map(({ line, cells, isUnclosed }) => {
    const cell = (column: Column) => cellOf(cells, column)
    const lifeTime = readLifeTime(cell('lifetime'), usual.lifeTimeSeconds)
    const [amount, currency] = [cell('amount'), cell('currency')]
    const texts = { description: cell('description'), orderReference: cell('order') }
    const problem = isUnclosed ? openQuote : undefined
    const given = { amount, currency, lifeTime, ...texts, problem }
    const place = { line, text: cells.join(', ') }
    const context = { meaning: usual.comma ?? 'ask', decimalMark }
    return readLine({ ...place, ...given }, usual.currency, context)
  })
  const beyond = Math.max(0, body.length - limit)
  return {
    lines: warnOfTwins(lines),
    beyond,
    remarks: [
      ...(first === undefined ? [] : [columnRemark(header, first.cells)]),
      ...(first !== undefined && first.cells.length > 1 && delimiter !== ','
        ? [`Separator: ${delimiterNames[delimiter] ?? `“${delimiter}”`}.`]
        : []),
      ...(beyond > 0 ? [beyondRemark(beyond, limit)] : []),
    ],
  }
}

const openQuote = 'The closing quotation mark is missing.'

/** Scores how well a row parses: the second half of a split fraction is no currency. */
function scoreRow(cells: readonly string[]): number {
  const named = cells.filter((cell) => columnOf(cell) !== undefined).length
  const [amount = '', currency] = cells.map((cell) => unguardCell(cell.trim()))
  const isAmount = readAmount(amount, null, 'TON', { meaning: 'fraction' }).amount !== null
  const second = currency === undefined || currency === '' ? 0 : currencyOf(currency) ? 1 : -1
  const bySecond = isAmount ? second : 0
  const others = cells.filter((cell) => currencyOf(cell) !== null).length
  return named + (isAmount ? 1 : 0) + bySecond + others
}

function columnOf(cell: string): Column | undefined {
  const word = cell
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return Object.hasOwn(invoiceHeaders, word) ? invoiceHeaders[word] : undefined
}

function readHeader(cells: readonly string[]): Columns | null {
  const found = cells.map(columnOf)
  const [amount, currency] = [found.indexOf('amount'), found.indexOf('currency')]
  const [description, lifetime] = [found.indexOf('description'), found.indexOf('lifetime')]
  const order = found.indexOf('order')
  return amount === -1 ? null : { amount, currency, description, lifetime, order }
}

function beyondRemark(beyond: number, most: number): string {
  const [lines, are] = beyond === 1 ? ['line', 'is'] : ['lines', 'are']
  return `${beyond.toLocaleString('en')} ${lines} beyond the limit of ${most.toLocaleString('en')} ${are} ignored.`
}

function columnRemark(header: Columns | null, cells: readonly string[]): string {
  if (header === null) {
    return 'The file has no header. Expected columns: amount, currency, description, lifetime.'
  }
  const used = new Set(Object.values(header))
  const named = (isUsed: boolean) =>
    cells
      .filter((cell, index) => used.has(index) === isUsed && cell.trim() !== '')
      .map((cell) => cell.trim().slice(0, 40))
  const left = named(false)
  const taken = `Columns used: ${named(true).join(', ')}.`
  return left.length === 0 ? taken : `${taken} Columns ignored: ${left.slice(0, 10).join(', ')}.`
}
