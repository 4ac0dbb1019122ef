import type { Matter } from '../../../../src-preload/contract/matter.ts'
import type { MatterKind } from '../../../../src-preload/contract/invoice.ts'
import { matterWords } from '../invoice-words.ts'

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

const amountWords: Readonly<Record<MatterKind, string>> = {
  overpaid: 'to return',
  'paid-late': 'to return',
  'paid-after-cancel': 'to return',
  unmatched: 'received',
  partial: 'missing',
  'chain-ahead': 'to return, or honour the order',
  'gateway-ahead': 'missing on the chain',
  'reported-differs': '',
}

/** What is the matter, in as many words as fit. */
export function matterLabelOf({ kind, invoice }: Pick<Matter, 'kind' | 'invoice'>): string {
  // One that names an invoice matches it, and is not counted all the same.
  return kind === 'unmatched' && invoice === null ? 'matches no invoice' : matterWords[kind]
}

/** What its amount stands for. */
export function amountWordsOf({ kind, invoice }: Pick<Matter, 'kind' | 'invoice'>): string {
  // In part, and its time is over: what came is not missing but to be returned.
  return kind === 'partial' && invoice?.status !== 'pending' ? 'to return' : amountWords[kind]
}

/** Whom it is about, in a word. */
export function subjectOf({ invoice, payment }: Pick<Matter, 'invoice' | 'payment'>): string {
  if (invoice !== null) return invoice.id
  return payment === null ? '' : 'Payment'
}
