import type { Matter, MatterKind } from '../../../../src-preload/contract/index.ts'

/** In the order in which a merchant would take them up: money that is not theirs first. */
export const matterKinds: readonly MatterKind[] = [
  'overpaid',
  'paid-late',
  'paid-after-cancel',
  'unmatched',
  'partial',
  'chain-ahead',
  'gateway-ahead',
  'reported-differs',
]

/** What its amount stands for. */
export const amountWords: Readonly<Record<MatterKind, string>> = {
  overpaid: 'to return',
  'paid-late': 'to return',
  'paid-after-cancel': 'to return',
  unmatched: 'received',
  partial: 'missing',
  'chain-ahead': 'on the chain',
  'gateway-ahead': 'missing on the chain',
  'reported-differs': '',
}

/** Whom it is about, in a word. */
export function subjectOf({ invoice, payment }: Pick<Matter, 'invoice' | 'payment'>): string {
  if (invoice !== null) return invoice.id
  return payment === null ? '' : 'Payment'
}
