import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { Database } from '../../database/database.ts'
import { joinUnits } from './units.ts'

/** Of one currency and state, as the gateway has confirmed them. */
type InvoiceTotal = {
  readonly currency: InvoiceCurrency
  readonly status: string
  readonly count: number
  /** What they ask, minimal units. */
  readonly amount: bigint
  /** Those that only a delivery has told of are counted here alone. */
  readonly unconfirmed: number
}

export type InvoiceTotals = {
  /** Kept by triggers (migration 0014): a read of a few rows, however many invoices there are. */
  of(network: string): InvoiceTotal[]
}

export function createInvoiceTotals(database: Database): InvoiceTotals {
  const select = database.prepare(
    `SELECT currency, status, count, whole, rest, unconfirmed FROM invoice_totals WHERE network = ?`,
  )
  select.setReadBigInts(true)
  return {
    of: (network) =>
      select.all(network).map((row) => ({
        currency: row['currency'] as InvoiceCurrency,
        status: row['status'] as string,
        count: Number(row['count']),
        amount: joinUnits(row['whole'], row['rest']),
        unconfirmed: Number(row['unconfirmed']),
      })),
  }
}
