import type { Invoice, InvoiceSource, MatterKind } from '../../../src-preload/contract/invoice.ts'
import type { PaymentEvidence } from '../../../src-preload/contract/payment.ts'
import { describeUncounted } from '../../../src-preload/contract/invoice-money.ts'
import type { Tone } from '../../ui/tag.tsx'

const stateTones: Readonly<Record<string, Tone>> = {
  pending: 'warn',
  paid: 'ok',
  expired: 'plain',
  cancelled: 'plain',
}

/** One that is not documented stands as it is, in no colour. */
export function stateTone(status: string): Tone {
  return Object.hasOwn(stateTones, status) ? (stateTones[status] ?? 'plain') : 'plain'
}

/** Those that are documented, in the order in which they come about. */
export const knownStates: readonly string[] = Object.keys(stateTones)

export function isKnownState(status: string): boolean {
  return Object.hasOwn(stateTones, status)
}

/** What needs a decision, in as many words as fit beside a state. */
export const matterWords: Readonly<Record<MatterKind, string>> = {
  overpaid: 'overpaid',
  'paid-late': 'paid late',
  'paid-after-cancel': 'paid after cancel',
  partial: 'paid in part',
  'chain-ahead': 'paid on the chain',
  'gateway-ahead': 'not on the chain',
  'reported-differs': 'report differs',
  unmatched: 'not counted',
}

/** What each means, in a sentence. */
export const matterTexts: Readonly<Record<MatterKind, string>> = {
  overpaid: 'It is paid, with more than was asked.',
  'paid-late': 'Money came after it had expired: all of it is to be returned.',
  'paid-after-cancel': 'Money came after it had been cancelled: all of it is to be returned.',
  partial: 'Something has arrived in time, but not all.',
  'chain-ahead': 'All of it is on the chain, in time, and the gateway still says pending.',
  'gateway-ahead': 'The gateway says paid, and the chain, read beyond that moment, shows less.',
  'reported-differs': 'A delivery told of a state that the gateway does not confirm.',
  unmatched: 'It came to an address of invoices, and counts for none.',
}

export const matterTones: Readonly<Record<MatterKind, Exclude<Tone, 'ok'>>> = {
  overpaid: 'plain',
  'paid-late': 'bad',
  'paid-after-cancel': 'bad',
  partial: 'warn',
  'chain-ahead': 'warn',
  'gateway-ahead': 'bad',
  'reported-differs': 'warn',
  unmatched: 'warn',
}

/** How something was learnt. */
export const sourceWords: Readonly<Record<InvoiceSource, string>> = {
  'created-here': 'created here',
  'cancelled-here': 'cancelled here',
  listing: 'a listing of the gateway',
  fetch: 'the gateway, asked for it',
  webhook: 'the gateway, asked because of a delivery',
  chain: 'the chain',
  person: 'you',
}

export const certaintyWords = {
  certain: 'certain',
  likely: 'likely',
  guess: 'a guess',
} as const

export const evidenceWords: Readonly<Record<PaymentEvidence['kind'], string>> = {
  comment: 'comment',
  address: 'address',
  amount: 'amount',
  payer: 'payer',
  time: 'time',
  person: 'you',
}

/** Of the invoice itself; what is not counted is said with its amount instead. */
export function ownMatters({ matters }: Pick<Invoice, 'matters'>): readonly MatterKind[] {
  return matters.filter((kind) => kind !== 'unmatched')
}

/** As the head of its detail has it: `expired, paid late`. */
export function printState(invoice: Pick<Invoice, 'status' | 'matters' | 'uncounted'>): string {
  const words = ownMatters(invoice).map((kind) => matterWords[kind])
  const uncounted = describeUncounted(invoice)
  return [invoice.status, ...words, ...(uncounted === '' ? [] : [uncounted])].join(', ')
}

/** The tone of all of it: what needs a decision outweighs the state. */
export function wholeTone({ status, matters }: Pick<Invoice, 'status' | 'matters'>): Tone {
  const tones = matters.map((kind) => matterTones[kind])
  if (tones.includes('bad')) return 'bad'
  return tones.includes('warn') ? 'warn' : stateTone(status)
}
