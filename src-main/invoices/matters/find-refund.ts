/** Which transfer back to the payer gives a matter's money back, as far as the chain tells. Pure. */
import type { OutgoingTransfer } from '../store/outgoing-transfers.ts'

type RefundLook = {
  /** What is to be returned; null where no amount is in question. */
  readonly amount: bigint | null
  /** Told in the comment of what is prepared here: an invoice's id, or how a payment's hash begins. */
  readonly id: string | null
}

/** As `refund.prepare` proposes it. */
const refundOfOne = /^\s*refund of (?:invoice|payment) \S/i

/**
 * One payer may have several matters: what names another one, or is of another amount, is no sign that
 * this one was given back.
 *
 * @param transfers newest first: since the matter came about, to a payer, in its currency
 */
export function findRefund(
  transfers: readonly OutgoingTransfer[],
  { amount, id }: RefundLook,
): OutgoingTransfer | null {
  const named = transfers.find(
    ({ comment }) => id !== null && comment?.toLowerCase().includes(id.toLowerCase()),
  )
  if (named !== undefined) return named
  const unnamed = transfers.filter(({ comment }) => !refundOfOne.test(comment ?? ''))
  return unnamed.find((each) => each.amount === amount) ?? null
}
