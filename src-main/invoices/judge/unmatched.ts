/** Whether a payment that belongs to no invoice needs a decision. Pure. */
import type { StoredPayment } from '../store/payments.ts'
import type { Draft } from './matters-of.ts'

/** Below a thousandth of a TON, without a word: what spammers send, and no invoice may ask for less. */
const dustBelow = 1_000_000n

export function isDust({
  currency,
  amount,
  commentKey,
}: Pick<StoredPayment, 'currency' | 'amount' | 'commentKey'>): boolean {
  return currency === 'TON' && amount < dustBelow && commentKey === null
}

/** @param invoicedSince when the first invoice of its address was created */
export function unmatchedMatter(
  payment: Pick<
    StoredPayment,
    'invoiceKey' | 'currency' | 'amount' | 'commentKey' | 'at' | 'linkedBy'
  >,
  invoicedSince: number,
): Draft | null {
  const { invoiceKey, amount, at, linkedBy } = payment
  if (invoiceKey !== null) return null
  // What a person has taken from an invoice is looked at in any case.
  if (linkedBy !== 'person' && (isDust(payment) || at < invoicedSince)) return null
  return { kind: 'unmatched', amount, state: 'unmatched', since: at }
}
