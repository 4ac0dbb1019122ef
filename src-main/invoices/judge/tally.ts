/** What payments come to for an invoice, by its own time. Pure. */
import type { StoredInvoice } from '../store/stored-invoice.ts'
import type { StoredPayment } from '../store/payments.ts'

type Timed = Pick<StoredInvoice, 'status' | 'createdAt' | 'expiresAt' | 'changedAt'>

/**
 * The last moment in which it could be paid: its expiry, unless it was cancelled before. Moments are
 * whole seconds: what comes in the second of the cancellation is taken for later.
 */
export function endOf({ status, expiresAt, changedAt }: Timed): number {
  return status === 'cancelled' ? Math.min(expiresAt, changedAt - 1) : expiresAt
}

export type TallyPayment = Pick<StoredPayment, 'at' | 'amount' | 'payer'>

export type Tally = {
  readonly received: bigint
  /** Of it, what came while it could be paid, and what came after. */
  readonly inTime: bigint
  readonly late: bigint
  /** Block time of the payment that reached the amount; null while none has. */
  readonly paidAt: number | null
  readonly firstAt: number | null
  readonly lastAt: number | null
  readonly firstLateAt: number | null
  /** When more than the amount was there. */
  readonly exceededAt: number | null
}

/** @param payments oldest first */
export function tallyOf(
  invoice: Timed & Pick<StoredInvoice, 'amount'>,
  payments: readonly TallyPayment[],
): Tally {
  const end = endOf(invoice)
  let received = 0n
  let inTime = 0n
  let paidAt: number | null = null
  let exceededAt: number | null = null
  let firstLateAt: number | null = null
  for (const { at, amount } of payments) {
    received += amount
    if (at <= end) inTime += amount
    else firstLateAt ??= at
    if (received >= invoice.amount) paidAt ??= at
    if (received > invoice.amount) exceededAt ??= at
  }
  return {
    received,
    inTime,
    late: received - inTime,
    paidAt,
    firstAt: payments.at(0)?.at ?? null,
    lastAt: payments.at(-1)?.at ?? null,
    firstLateAt,
    exceededAt,
  }
}
