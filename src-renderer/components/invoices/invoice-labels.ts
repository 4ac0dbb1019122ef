import { describeExceptions } from '../../../src-preload/contract/invoice-money.ts'
import type {
  Invoice,
  InvoiceSource,
  DiscrepancyKind,
} from '../../../src-preload/contract/invoice.ts'
import type { PaymentEvidence } from '../../../src-preload/contract/payment.ts'
import type { Tone } from '../../ui/layout.tsx'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

const stateTones: Readonly<Record<string, Tone>> = lookupTable({
  pending: 'warn',
  paid: 'ok',
  expired: 'plain',
  cancelled: 'plain',
})

/** An undocumented state has no color. */
export const stateTone = (status: string): Tone => stateTones[status] ?? 'plain'

/** The documented states, in the order in which they occur. */
export const documentedStatuses: readonly string[] = Object.keys(stateTones)

/** Short labels of discrepancies, beside a state. */
export const discrepancyLabels: Readonly<Record<DiscrepancyKind, string>> = {
  overpaid: 'overpaid',
  'paid-late': 'paid late',
  'paid-after-cancel': 'paid after cancelling',
  partial: 'underpaid',
  'chain-ahead': 'paid on chain',
  'gateway-ahead': 'not on chain',
  'reported-differs': 'report differs',
  unmatched: 'unmatched',
}

/** Texts of discrepancies for use in a sentence. */
export const discrepancyTexts: Readonly<Record<DiscrepancyKind, string>> = {
  overpaid: 'The payer sent more than the invoice requests.',
  'paid-late': 'The payment arrived after the invoice had expired. Return the complete amount.',
  'paid-after-cancel':
    'The payment arrived after the invoice had been cancelled. Return the complete amount.',
  partial: 'Only a part of the amount arrived in time.',
  'chain-ahead':
    'The whole amount arrived on the chain in time, but the gateway still reports the invoice as pending.',
  'gateway-ahead':
    'The gateway reports the invoice as paid, but less than its amount has arrived on the chain.',
  'reported-differs': 'A delivery reported a state that the gateway does not confirm.',
  unmatched: 'The payment arrived at an address of your invoices, but matches none of them.',
}

export const discrepancyTones: Readonly<Record<DiscrepancyKind, Exclude<Tone, 'ok'>>> = {
  overpaid: 'plain',
  'paid-late': 'bad',
  'paid-after-cancel': 'bad',
  partial: 'warn',
  'chain-ahead': 'warn',
  'gateway-ahead': 'bad',
  'reported-differs': 'warn',
  unmatched: 'warn',
}

/** Labels of the sources of information. */
export const sourceLabels: Readonly<Record<InvoiceSource, string>> = {
  'created-here': 'created here',
  'cancelled-here': 'cancelled here',
  listing: 'gateway list',
  fetch: 'gateway',
  webhook: 'gateway, after a delivery',
  chain: 'chain',
  person: 'you',
}

export const certaintyLabels = { certain: 'certain', likely: 'likely', guess: 'a guess' } as const

export const reasonLabels: Readonly<Record<PaymentEvidence['kind'], string>> = {
  comment: 'comment',
  address: 'address',
  amount: 'amount',
  payer: 'payer',
  time: 'time',
  person: 'you',
}

/**
 * Returns discrepancies of the invoice itself; a payment that does not count is shown with its
 * amount instead.
 */
export function ownDiscrepancies({ matters }: Pick<Invoice, 'matters'>) {
  return matters.filter((kind) => kind !== 'unmatched')
}

/** Formats a state with discrepancies, such as `expired, paid late`. */
export function describeState(invoice: Invoice): string {
  const labels = ownDiscrepancies(invoice).map((kind) => discrepancyLabels[kind])
  const words = [...describeExceptions(invoice), ...labels]
  const { accepted, status } = invoice
  return (accepted ? [...words, `the gateway says ${status}`] : [status, ...words]).join(', ')
}

/** The tone of a discrepancy takes precedence over that of the state. */
export function invoiceTone(invoice: Pick<Invoice, 'status' | 'matters'> & Partial<Invoice>): Tone {
  const { accepted, status, matters } = invoice
  const tones = matters.map((kind) => discrepancyTones[kind])
  if (tones.includes('bad')) return 'bad'
  return tones.includes('warn') ? 'warn' : accepted ? 'ok' : stateTone(status)
}
