import type { Closing, ClosingRow } from '../../../../src-preload/contract/matter.ts'
import { formatAmount } from '../../../components/amount.ts'
import { type InvoicesRoute, invoiceRoute, invoicesHome } from '../../../app/invoices-route.ts'
import type { Tone } from '../../../ui/tag.tsx'

type Difference = NonNullable<ClosingRow['difference']>

/** What does not agree, in as many words as a tag has room for. */
export const differenceWords: Readonly<Record<Difference, string>> = {
  'no-payment': 'no payment',
  'payment-less': 'less paid',
  'payment-more': 'more paid',
  'no-invoice': 'no invoice',
  'not-paid': 'not paid',
  'other-period': 'other period',
  'other-payer': 'other payer',
}

export const differenceTones: Readonly<Record<Difference, Tone>> = {
  'no-payment': 'bad',
  'payment-less': 'bad',
  'payment-more': 'warn',
  'no-invoice': 'warn',
  'not-paid': 'warn',
  'other-period': 'plain',
  'other-payer': 'plain',
}

/** The next step, and where it is taken. */
export function stepOf({
  difference,
  invoice,
}: Pick<ClosingRow, 'difference' | 'invoice'>): { label: string; route: InvoicesRoute } | null {
  if (difference === null) return null
  if (invoice === null) {
    return {
      label: 'Match or return it',
      route: { ...invoicesHome, view: 'attention', matter: null },
    }
  }
  const labels: Readonly<Record<Difference, string>> = {
    'no-payment': 'Find its payment',
    'payment-less': 'See what is missing',
    'payment-more': 'Return the rest',
    'no-invoice': 'Match or return it',
    'not-paid': 'Return it or honour it',
    'other-period': 'See when it was paid',
    'other-payer': 'See who has paid',
  }
  // What may still be paid is neither returned nor honoured yet.
  const isWaiting = difference === 'not-paid' && invoice.status === 'pending'
  const label = isWaiting ? labels['payment-less'] : labels[difference]
  return { label, route: invoiceRoute(invoice.id) }
}

/** Whether chain and gateway come to the same: by how much, signed, and in words. */
export function sayDifference(
  { difference }: Pick<Closing['totals'][number], 'difference'>,
  currency: 'TON' | 'USDT',
): { readonly agrees: boolean; readonly amount: string; readonly text: string } {
  const units = BigInt(difference)
  const amount = formatAmount(difference, currency)
  if (units === 0n) return { agrees: true, amount, text: 'agrees' }
  return units < 0n
    ? { agrees: false, amount, text: 'less on the chain' }
    : { agrees: false, amount: `+${amount}`, text: 'more on the chain' }
}
