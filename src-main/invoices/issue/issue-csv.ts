/** What a job has issued, as CSV to hand on. */
import Papa from 'papaparse'
import { linkForDue } from '../../../src-preload/contract/invoice-money.ts'
import { guardCell } from '../../exports/formula-safe.ts'
import type { StoredItem } from '../store/invoice-jobs.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'

const columns = ['id', 'link', 'amount', 'currency', 'description', 'expires']

/** The link of an issued invoice: once a part of it has come, it asks for the rest. */
export function linkNow(
  { paymentLink }: Pick<StoredItem, 'paymentLink'>,
  now: StoredInvoice | null,
): string | null {
  if (paymentLink === null || now === null) return paymentLink
  const { status, currency } = now
  const [amount, received] = [String(now.amount), String(now.received)]
  return linkForDue(paymentLink, { status, currency, amount, received, overpayment: '0' })
}

/** @param now an invoice as the ledger has it; null where it does not */
export async function* formatIssued(
  pages: AsyncIterable<readonly StoredItem[]>,
  now: (invoice: string) => StoredInvoice | null,
): AsyncGenerator<string> {
  // The mark makes spreadsheets read it as UTF-8.
  yield `\ufeff${columns.join(',')}\r\n`
  for await (const items of pages) {
    const rows = items.map((item) => {
      const { invoice, currency, amount, description } = item
      const known = now(invoice ?? '')
      const expires = known?.expiresAt ?? null
      return [
        guardCell(invoice ?? ''),
        guardCell(linkNow(item, known) ?? ''),
        formatAmount(amount, decimalsOf[currency]),
        currency,
        guardCell(description),
        expires === null ? '' : new Date(expires).toISOString(),
      ]
    })
    if (rows.length > 0) yield `${Papa.unparse(rows)}\r\n`
  }
}
