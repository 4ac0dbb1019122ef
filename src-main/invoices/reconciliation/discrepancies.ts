/**
 * What of an invoice needs a person's decision. The service's two rules of overpayment (specification,
 * section 2) decide the amounts: more than the amount for a paid one, all of it for one that ended
 * unpaid. Where gateway and chain differ the larger figure counts, since that much may be owed. Pure.
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
  /** The chain was read of its address up to this block time; null while it was not. */
  readonly readTo: number | null
  /** By the gateway's clock. */
  readonly now: number
  /** When a delivery came that says otherwise than the gateway does; null for none. */
  readonly differsSince: number | null
}

export type Draft = Pick<StoredDiscrepancy, 'kind' | 'amount' | 'state' | 'since'>

/** So long the gateway may take to say what the chain shows already. */
const graceMs = 60_000
/** Blocks and states are dated in whole seconds. */
const secondMs = 1000

/** @param payments those that belong to it, oldest first */
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
      // Nobody has said what becomes of money in a state that is not documented.
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
    // Known from the gateway alone: when it came is told by how much it is.
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

/**
 * Whether time alone, or reading on, may make another matter of it: the gateway has a while to follow
 * the chain, and the chain is to be read beyond what the gateway says.
 */
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

/** What payments come to for an invoice, by its own time. Pure. */

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

/** What becomes of a matter that is kept, now that it is so or not any more. Pure. */

type Kept = Pick<StoredDiscrepancy, 'amount' | 'state' | 'since' | 'handled' | 'closedAt'>

/**
 * A handled one stays handled until its amount grows or its invoice is in another state; one that is
 * none any more closes, and comes back as a new one would.
 * @returns null where nothing changes
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

/** Whether a payment that belongs to no invoice needs a decision. Pure. */

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
export function unmatchedDiscrepancy(
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
