import { linkForDue } from '../../../src-preload/contract/invoice-money.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'
import { type Column, type Rows, formatCsv } from '../../exports/table.ts'
import type { StoredItem } from '../store/invoice-jobs.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'

export function linkNow(
  { paymentLink }: Pick<StoredItem, 'paymentLink'>,
  now: StoredInvoice | null,
): string | null {
  if (paymentLink === null || now === null) return paymentLink
  const { status, currency } = now
  const [amount, received] = [String(now.amount), String(now.received)]
  return linkForDue(paymentLink, { status, currency, amount, received, overpayment: '0' })
}

export function formatIssued(
  rows: Rows<StoredItem>,
  find: (invoice: string) => StoredInvoice | null,
): AsyncIterable<string> {
  const text = (name: string, value: Column<StoredItem>['value']) =>
    ({ name, kind: 'text', value }) as const
  const now = ({ invoice }: StoredItem) => find(invoice ?? '')
  return formatCsv(
    [
      text('id', ({ invoice }) => invoice),
      text('link', (item) => linkNow(item, now(item))),
      text('amount', ({ amount, currency }) => formatAmount(amount, decimalsOf[currency])),
      text('currency', ({ currency }) => currency),
      text('description', ({ description }) => description),
      text('expires', (item) => toIso(now(item)?.expiresAt)),
      text('order_reference', ({ orderReference }) => orderReference),
    ],
    rows,
  )
}

function toIso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}
