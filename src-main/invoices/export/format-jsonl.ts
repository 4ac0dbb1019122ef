/** Rows as JSON, one a line, with all that the ledger has of them: amounts and moments twice, exact and readable. */
import { invoiceColumn } from '../../../src-preload/contract/invoice-export.ts'
import { formatUnits } from './amounts.ts'
import {
  type Printing,
  type RawRow,
  type StoredColumn,
  decimalsIn,
  hashesIn,
  readersOf,
  sumsIn,
} from './raw-row.ts'
import { decimalsOf } from '../../../src-preload/domain/amount.ts'

/** The names of the columns, and those that only this format has. */
export const jsonlColumns = [
  ...invoiceColumn.options,
  'comment',
  'first_seen',
  'first_source',
  'confirmed',
] as const satisfies readonly StoredColumn[]

export function createJsonlLine(printing: Printing): (row: RawRow) => string {
  const all = readersOf(jsonlColumns, printing)
  const readers = new Map(jsonlColumns.map((column, index) => [column as string, all[index]]))
  return (row) => jsonlLine(row, (column) => readers.get(column)?.(row), printing)
}

function jsonlLine(
  row: RawRow,
  cell: (column: StoredColumn) => unknown,
  { times, mattersOf }: Printing,
): string {
  const decimals = decimalsIn(row)
  const text = (column: StoredColumn) => cell(column) as string | null
  const amount = (name: 'amount' | 'received' | 'overpayment' | 'due' | 'to_return') => {
    const digits = text(name)
    const decimal = digits === null ? null : formatUnits(digits, decimals, '.')
    return { [name]: digits, [`${name}_decimal`]: decimal }
  }
  const moment = (name: StoredColumn) => {
    const ms = cell(name) as number | null
    return { [name]: ms, [`${name}_iso`]: ms === null ? null : times.print(ms) }
  }
  return `${JSON.stringify({
    network: text('network'),
    id: text('id'),
    status: text('status'),
    currency: text('currency'),
    ...amount('amount'),
    ...amount('received'),
    ...amount('overpayment'),
    ...amount('due'),
    ...amount('to_return'),
    uncounted: sumsIn(cell('uncounted')).map(({ currency, amount: digits }) => ({
      currency,
      amount: digits,
      amount_decimal: formatUnits(digits, decimalsOf[currency], '.'),
    })),
    description: text('description'),
    payer: text('payer'),
    payer_label: text('payer_label'),
    pay_to: text('pay_to'),
    ...moment('created'),
    ...moment('expires'),
    ...moment('changed'),
    ...moment('paid_on_chain'),
    transactions: hashesIn(cell('transactions')),
    matters: mattersOf(cell('matters') as number),
    payment_link: text('payment_link'),
    comment: text('comment'),
    ...moment('first_seen'),
    first_source: text('first_source'),
    ...moment('confirmed'),
  })}\n`
}
