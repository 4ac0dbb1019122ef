/**
 * Finds what needs the user's decision about an invoice. The service's overpayment rules (specification,
 * section 2) set the amounts: the excess of a paid invoice, everything paid to one that ended unpaid.
 * Where gateway and chain differ the larger amount counts, since that much may be owed. Pure.
 */
import type { MatterKind } from '../../../src-preload/contract/invoice.ts'
import type { StoredDiscrepancy } from '../store/discrepancies.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import type { StoredPayment } from '../store/payments.ts'

type ReconciledInvoice = Pick<
  StoredInvoice,
  'status' | 'amount' | 'overpayment' | 'createdAt' | 'expiresAt' | 'changedAt'
>

type Circumstances = {
  readonly readTo: number | null
  readonly now: number
  readonly differsSince: number | null
}

export type Draft = Pick<StoredDiscrepancy, 'kind' | 'amount' | 'state' | 'since'>

/** The gateway may take this long to report what the chain already shows. */
const graceMs = 60_000
/** Times of blocks and states are whole seconds. */
const secondMs = 1000

export function discrepanciesOf(
  invoice: ReconciledInvoice,
  payments: readonly TallyPayment[],
  circumstances: Circumstances,
): Draft[] {
  const tally = tallyOf(invoice, payments)
  const drafts = ofMoney(invoice, tally, circumstances)
  const { differsSince } = circumstances
  if (differsSince !== null) {
    drafts.push({
      kind: 'reported-differs',
      amount: null,
      state: invoice.status,
      since: differsSince,
    })
  }
  return drafts
}

function ofMoney(invoice: ReconciledInvoice, tally: Tally, circumstances: Circumstances): Draft[] {
  const draft = (kind: MatterKind, amount: bigint | null, since: number | null): Draft[] => [
    { kind, amount, state: invoice.status, since: since ?? invoice.changedAt },
  ]
  switch (invoice.status) {
    case 'pending':
      return ofPending(invoice, tally, circumstances, draft)
    case 'paid':
      return ofPaid(invoice, tally, circumstances, draft)
    case 'expired':
    case 'cancelled':
      return ofEnded(invoice, tally, draft)
    default:
      // The specification does not say what happens to money in an undocumented state.
      return []
  }
}

type Make = (kind: MatterKind, amount: bigint | null, since: number | null) => Draft[]

function ofPending(
  invoice: ReconciledInvoice,
  tally: Tally,
  { now }: Circumstances,
  draft: Make,
): Draft[] {
  if (tally.received === 0n) return []
  if (tally.paidAt === null) {
    return draft('partial', invoice.amount - tally.received, tally.firstAt)
  }
  return now - tally.paidAt > graceMs ? draft('chain-ahead', null, tally.paidAt) : []
}

function ofPaid(
  invoice: ReconciledInvoice,
  tally: Tally,
  circumstances: Circumstances,
  draft: Make,
): Draft[] {
  const drafts: Draft[] = []
  const over = overpaidBy(invoice, tally)
  if (over > 0n) drafts.push(...draft('overpaid', over, tally.exceededAt))
  if (tally.received < invoice.amount && isReadBeyond(invoice, circumstances)) {
    drafts.push(...draft('gateway-ahead', invoice.amount - tally.received, invoice.changedAt))
  }
  return drafts
}

function ofEnded(invoice: ReconciledInvoice, tally: Tally, draft: Make): Draft[] {
  const over = overpaidBy(invoice, tally)
  if (over === 0n) return []
  const late: MatterKind = invoice.status === 'cancelled' ? 'paid-after-cancel' : 'paid-late'
  if (tally.received === 0n) {
    // Only the gateway reports this payment, so its amount tells whether it came late.
    return draft(over >= invoice.amount ? late : 'partial', over, null)
  }
  if (tally.inTime >= invoice.amount) return draft('chain-ahead', over, tally.paidAt)
  return tally.late > 0n
    ? draft(late, over, tally.firstLateAt)
    : draft('partial', over, tally.firstAt)
}

export function overpaidBy(
  { status, amount, overpayment }: ReconciledInvoice,
  { received }: Pick<Tally, 'received'>,
): bigint {
  const spent = status === 'paid' ? amount : 0n
  const byChain = received > spent ? received - spent : 0n
  return byChain > overpayment ? byChain : overpayment
}

function isReadBeyond({ changedAt }: ReconciledInvoice, { readTo }: Circumstances): boolean {
  return readTo !== null && readTo > changedAt + secondMs
}

/** The gateway may lag behind the chain, and the chain must be read past the gateway's time. */
export function isWaiting(
  invoice: ReconciledInvoice,
  { received }: Pick<Tally, 'received'>,
  circumstances: Circumstances,
): boolean {
  if (invoice.status === 'pending') return received >= invoice.amount
  if (invoice.status === 'paid') {
    return received < invoice.amount && !isReadBeyond(invoice, circumstances)
  }
  return false
}

type Timed = Pick<StoredInvoice, 'status' | 'createdAt' | 'expiresAt' | 'changedAt'>

/** The expiry or an earlier cancellation. A payment in the second of the cancellation counts as late. */
export function endOf({ status, expiresAt, changedAt }: Timed): number {
  return status === 'cancelled' ? Math.min(expiresAt, changedAt - 1) : expiresAt
}

export type TallyPayment = Pick<StoredPayment, 'at' | 'amount' | 'payer'>

export type Tally = {
  readonly received: bigint
  readonly inTime: bigint
  readonly late: bigint
  readonly paidAt: number | null
  readonly firstAt: number | null
  readonly lastAt: number | null
  readonly firstLateAt: number | null
  readonly exceededAt: number | null
}

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

type Kept = Pick<StoredDiscrepancy, 'amount' | 'state' | 'since' | 'handled' | 'closedAt'>

/**
 * A handled discrepancy stays handled until its amount grows or its invoice's state changes. One that no
 * longer applies closes, and returns as a new one. Null means no change.
 */
export function updateDiscrepancy(kept: Kept, now: Draft | undefined, at: number): Kept | null {
  if (now === undefined) return kept.closedAt === null ? { ...kept, closedAt: at } : null
  const { amount, state, since } = now
  const isBack = kept.closedAt !== null
  const handled = isBack || !isSettled(kept.handled, now) ? null : kept.handled
  const isSame =
    !isBack &&
    kept.amount === amount &&
    kept.state === state &&
    kept.since === since &&
    handled === kept.handled
  return isSame ? null : { amount, state, since, handled, closedAt: null }
}

function isSettled(handled: Kept['handled'], { amount, state }: Draft): boolean {
  return handled !== null && handled.state === state && (amount ?? 0n) <= (handled.amount ?? 0n)
}

/** Less than a thousandth of a coin without a comment is spam, and no invoice may request less. */
const dustBelow = 1_000_000n

export function isDust({
  currency,
  amount,
  commentKey,
}: Pick<StoredPayment, 'currency' | 'amount' | 'commentKey'>): boolean {
  return currency === 'TON' && amount < dustBelow && commentKey === null
}

/** @param invoicedSince creation time of the address's first invoice */
export function unmatchedDiscrepancy(
  payment: Pick<
    StoredPayment,
    'invoiceKey' | 'currency' | 'amount' | 'commentKey' | 'at' | 'linkedBy'
  >,
  invoicedSince: number,
): Draft | null {
  const { invoiceKey, amount, at, linkedBy } = payment
  if (invoiceKey !== null) return null
  // A payment that the user unlinked always needs a decision.
  if (linkedBy !== 'person' && (isDust(payment) || at < invoicedSince)) return null
  return { kind: 'unmatched', amount, state: 'unmatched', since: at }
}
