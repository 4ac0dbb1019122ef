/** Which transfer back to the payer gives a matter's money back, as far as the chain tells. Pure. */
import type { OutgoingTransfer } from '../../store/invoices/outgoing-transfers.ts'

export type RefundLook = {
  /** What is to be returned; null where no amount is in question. */
  readonly amount: bigint | null
  /** Told in the comment of what is prepared here. */
  readonly id: string | null
}

/** @param transfers newest first: since the matter came about, to a payer, in its currency */
export function findRefund(
  transfers: readonly OutgoingTransfer[],
  { amount, id }: RefundLook,
): OutgoingTransfer | null {
  const named = transfers.find(
    ({ comment }) => id !== null && comment?.toLowerCase().includes(id.toLowerCase()),
  )
  return named ?? transfers.find((each) => each.amount === amount) ?? transfers[0] ?? null
}
