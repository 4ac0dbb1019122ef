/** What a job has issued, as CSV to hand on. */
import Papa from 'papaparse'
import { guardCell } from '../../files/formula-safe.ts'
import type { StoredItem } from '../../store/invoices/invoice-job-items.ts'
import { printAmount } from '../../ton/amount.ts'
import { decimalsOf } from './read-amount.ts'

const columns = ['id', 'link', 'amount', 'currency', 'description', 'expires']

/** @param expiresAt of an invoice, milliseconds; null where the ledger does not know it */
export async function* printIssued(
  pages: AsyncIterable<readonly StoredItem[]>,
  expiresAt: (invoice: string) => number | null,
): AsyncGenerator<string> {
  // The mark makes spreadsheets read it as UTF-8.
  yield `\ufeff${columns.join(',')}\r\n`
  for await (const items of pages) {
    const rows = items.map(({ invoice, paymentLink, currency, amount, description }) => {
      const expires = expiresAt(invoice ?? '')
      return [
        guardCell(invoice ?? ''),
        guardCell(paymentLink ?? ''),
        printAmount(amount, decimalsOf[currency]),
        currency,
        guardCell(description),
        expires === null ? '' : new Date(expires).toISOString(),
      ]
    })
    if (rows.length > 0) yield `${Papa.unparse(rows)}\r\n`
  }
}
