/** Rows as JSON, one a line, with all that the ledger has of them: amounts and moments twice, exact and readable. */
import { invoiceColumn } from '../../../src-preload/contract/index.ts'
import { printUnits } from './amounts.ts'
import type { Printing, RawRow, StoredColumn } from './raw-row.ts'
import { decimalsIn, hashesIn, placesOf } from './raw-row.ts'

/** The names of the columns, and those that only this format has. */
export const jsonlColumns = [
  ...invoiceColumn.options,
  'comment',
  'first_seen',
  'first_source',
  'confirmed',
] as const satisfies readonly StoredColumn[]

const places = placesOf(jsonlColumns)
const place = new Map<StoredColumn, number>(
  jsonlColumns.map((column, index) => [column, places[index] ?? -1]),
)

export function jsonlLine(row: RawRow, { times, mattersOf }: Printing): string {
  const decimals = decimalsIn(row)
  const cell = (column: StoredColumn) => row[place.get(column) ?? -1]
  const text = (column: StoredColumn) => cell(column) as string | null
  const amount = (name: 'amount' | 'received' | 'overpayment') => {
    const digits = text(name)
    const decimal = digits === null ? null : printUnits(digits, decimals, '.')
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
