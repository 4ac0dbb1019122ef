import type {
  InvoiceExportOptions,
  InvoiceExportSubject,
} from '../../../src-preload/contract/invoice-export.ts'
import { type CoinName, formatAmount } from '../../../src-preload/domain/amount.ts'
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { ChosenFiat } from '../fiat/fiat-view.ts'
import type { Chunks, Column, Rows } from '../../exports/table.ts'
import type { Sheet } from '../../exports/xlsx.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'
import columns from './columns.json' with { type: 'json' }
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

export type InvoiceExportOrder = {
  readonly database: string
  readonly network: { readonly id: string; readonly name: string; readonly testOnly: boolean }
  readonly coin: CoinName
  readonly subject: InvoiceExportSubject
  readonly options: InvoiceExportOptions
  readonly at: number
  /** How far the chain was read at the time of the request, and the time of the gateway's clock. */
  readonly chain: Pick<InvoiceSync['chain'], 'readTo' | 'problem'> & { readonly now: number }
  /** Null if no fiat currency is chosen. */
  readonly fiat: ChosenFiat | null
  readonly appVersion: string
  /** Empty if the user has not set it. */
  readonly merchantName: string
  /** The path of the logo file, which may not exist. */
  readonly logo: string
  readonly target: Readonly<Record<'file' | 'manifest' | 'name', string>> | null
}

export type Content<R> = {
  readonly total: number
  readonly columns: readonly Column<R>[]
  readonly toJson: (row: R) => unknown
  readonly rows: (limit?: number) => Rows<R>
  readonly statement: (rows: Rows<R>) => Chunks | Promise<Chunks>
  readonly workbook: (rows: Rows<R>) => Promise<readonly Sheet[]>
  readonly summary: () => Readonly<Record<string, unknown>>
}

/** Amounts are digits of minimal units, times are milliseconds. */
export type Cell = string | number | null

const amounts = new Set(columns.amounts)
const moments = new Set(columns.moments)
const widths: Readonly<Record<string, number>> = lookupTable(columns.widths)

const kindOf = (name: string) =>
  amounts.has(name) ? 'amount' : moments.has(name) ? 'moment' : 'text'

export function toColumn<R>(
  name: string,
  cell: (row: R) => Cell,
  decimalsIn: (row: R) => number,
): Column<R> {
  const kind = kindOf(name)
  if (kind !== 'amount') return { name, kind, width: widths[name], value: cell }
  const value = (row: R) => toDecimal(cell(row), decimalsIn(row))
  return { name, kind, value }
}

/** Adds a decimal to each amount and an ISO time to each moment. */
export function toJsonFields(
  fields: Readonly<Record<string, unknown>>,
  decimals: number,
  times: ZoneTimes,
): Record<string, unknown> {
  const json: Record<string, unknown> = {}
  for (const name in fields) {
    const value = fields[name]
    const kind = kindOf(name)
    json[name] = value
    if (kind === 'amount') json[`${name}_decimal`] = toDecimal(value as Cell, decimals)
    if (kind === 'moment') {
      json[`${name}_iso`] = typeof value === 'number' ? times.print(value) : null
    }
  }
  return json
}

const toDecimal = (digits: Cell, decimals: number): string | null =>
  digits === null ? null : formatAmount(String(digits), decimals)
