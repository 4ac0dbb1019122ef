/**
 * Finds decisions that the user must make about an invoice. The service's overpayment rules (specification,
 * section 2) define the amounts: the excess of a paid invoice, or everything paid to an invoice that ended
 * unpaid. If gateway and chain differ, the larger amount counts, because that much may be owed.
 */
import { isAccepted } from '../../../src-preload/contract/invoice-money.ts'
import type { DiscrepancyKind } from '../../../src-preload/contract/invoice.ts'
import { namesId } from '../../../src-preload/domain/payment-comment.ts'
import type { StoredDiscrepancy } from '../store/discrepancies.ts'
import type { OutgoingTransfer } from '../store/invoice-accounts.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import type { StoredPayment } from '../store/payments.ts'

export type ReconciledInvoice = Pick<
  StoredInvoice,
  'status' | 'amount' | 'overpayment' | 'createdAt' | 'expiresAt' | 'changedAt'
> &
  Partial<Pick<StoredInvoice, 'tolerance'>>

type Circumstances = {
  readonly readTo: number | null
  readonly now: number
  readonly differsSince: number | null
}

export type Draft = Pick<StoredDiscrepancy, 'kind' | 'amount' | 'state' | 'since'>

/** The gateway may take this long to report what the chain already shows. */
const graceMs = 60_000
/** Times of blocks and states have whole seconds. */
const secondMs = 1000

export function discrepanciesOf(
  invoice: ReconciledInvoice,
  payments: readonly TallyPayment[],
  circumstances: Circumstances,
): Draft[] {
  const { status: state, amount, changedAt } = invoice
  const { now, differsSince } = circumstances
  const tally = tallyOf(invoice, payments)
  const { received, inTime, late, paidAt, firstAt, firstLateAt, exceededAt } = tally
  const over = overpaidBy(invoice, tally)
  const isSettled = isAccepted(state, invoice.tolerance)
  const drafts: Draft[] = []
  const add = (kind: DiscrepancyKind, affected: bigint | null, since: number | null) =>
    drafts.push({ kind, amount: affected, state, since: since ?? changedAt })

  // The specification does not define what happens to money in an undocumented state.
  if (state === 'pending' && received > 0n) {
    if (paidAt === null) {
      if (!isSettled) add('partial', amount - received, firstAt)
    } else if (now - paidAt > graceMs) add('chain-ahead', null, paidAt)
  }
  if (state === 'paid') {
    if (over > 0n) add('overpaid', over, exceededAt)
    if (received < amount && isReadBeyond(invoice, circumstances)) {
      add('gateway-ahead', amount - received, changedAt)
    }
  }
  if ((state === 'expired' || state === 'cancelled') && over > 0n) {
    const lateKind = state === 'cancelled' ? 'paid-after-cancel' : 'paid-late'
    // If only the gateway reports the payment, its amount decides whether it was late.
    if (isSettled) add(late > 0n ? lateKind : 'overpaid', over, firstLateAt ?? exceededAt)
    else if (received === 0n) add(over >= amount ? lateKind : 'partial', over, null)
    else if (inTime >= amount) add('chain-ahead', over, paidAt)
    else if (late > 0n) add(lateKind, over, firstLateAt)
    else add('partial', over, firstAt)
  }
  if (differsSince !== null) add('reported-differs', null, differsSince)
  return drafts
}

export function overpaidBy(
  { status, amount, overpayment, tolerance }: ReconciledInvoice,
  { received }: Pick<Tally, 'received'>,
): bigint {
  const isSettled = isAccepted(status, tolerance)
  // The gateway counts everything as overpayment, also what the invoice keeps.
  const byGateway = overpayment - (isSettled ? amount : 0n)
  const byChain = received - (isSettled || status === 'paid' ? amount : 0n)
  const over = byChain > byGateway ? byChain : byGateway
  return over > 0n ? over : 0n
}

/**
 * The tolerance that counts for an invoice from now on; null if none makes it count as paid. What once
 * decided stays. A setting decides only when a payment arrives, and never about an amount that it reaches.
 */
export function fixTolerance(
  { amount, received, tolerance }: Pick<StoredInvoice, 'amount' | 'received' | 'tolerance'>,
  { inTime, received: now }: Pick<Tally, 'inTime' | 'received'>,
  setting: bigint | null,
): bigint | null {
  const fixed = tolerance ?? (now === received || inTime >= amount ? null : setting)
  return fixed !== null && fixed < amount && inTime + fixed >= amount ? fixed : null
}

const refundOfOne = /\brefund of (invoice|payment)[^\p{L}\p{N}]+([\p{L}\p{N}_-]+)/iu

/** The id of the invoice that the comment of a transfer names, as in prepared refunds; null otherwise. */
export function refundedInvoice({ comment }: Pick<OutgoingTransfer, 'comment'>): string | null {
  const [, what, id = ''] = refundOfOne.exec(comment ?? '') ?? []
  return what?.toLowerCase() === 'invoice' ? id : null
}

/**
 * `id` is in the comment of a prepared refund: an invoice's id, or the beginning of a payment's
 * hash. A transfer that names another discrepancy, or has another amount, does not refund this one.
 * @param transfers transfers to a payer in the discrepancy's currency since it began, newest first
 */
export function refundsAmong<T extends Pick<OutgoingTransfer, 'comment' | 'amount'>>(
  transfers: readonly T[],
  { amount, id }: { readonly amount: bigint | null; readonly id: string | null },
): T[] {
  const named = transfers.filter(({ comment }) => id !== null && namesId(comment, id))
  if (named.length > 0) return named
  const unnamed = transfers.filter(({ comment }) => !refundOfOne.test(comment ?? ''))
  return unnamed.filter((each) => each.amount === amount).slice(0, 1)
}

const isReadBeyond = ({ changedAt }: ReconciledInvoice, { readTo }: Circumstances): boolean =>
  readTo !== null && readTo > changedAt + secondMs

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

/**
 * The time of the expiry or of an earlier cancellation. A payment in the second of the cancellation
 * counts as late.
 */
export const endOf = ({ status, expiresAt, changedAt }: Timed): number =>
  status === 'cancelled' ? Math.min(expiresAt, changedAt - 1) : expiresAt

export type TallyPayment = Pick<StoredPayment, 'at' | 'amount' | 'payer'>

type Tally = ReturnType<typeof tallyOf>

export function tallyOf(
  invoice: Timed & Pick<StoredInvoice, 'amount'>,
  payments: readonly TallyPayment[],
) {
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
  const firstAt = payments.at(0)?.at ?? null
  return { received, inTime, late: received - inTime, paidAt, firstAt, firstLateAt, exceededAt }
}

/**
 * Compares the stored discrepancies of an invoice or payment with those that apply now.
 * @returns `open`: the kinds that need a decision
 */
export function compareDiscrepancies(
  stored: readonly StoredDiscrepancy[],
  drafts: readonly Draft[],
  now: number,
) {
  const added = drafts.filter((draft) => !stored.some(({ kind }) => kind === draft.kind))
  const updated: StoredDiscrepancy[] = []
  const open = added.map(({ kind }) => kind)
  for (const discrepancy of stored) {
    const draft = drafts.find(({ kind }) => kind === discrepancy.kind)
    const update = updateDiscrepancy(discrepancy, draft, now)
    const current = { ...discrepancy, ...update }
    if (update !== null) updated.push(current)
    if (isOpen(current)) open.push(current.kind)
  }
  return { added, updated, open }
}

export const isOpen = ({ handled, closedAt }: Pick<StoredDiscrepancy, 'handled' | 'closedAt'>) =>
  handled === null && closedAt === null

type Kept = Pick<StoredDiscrepancy, 'amount' | 'state' | 'since' | 'handled' | 'closedAt'>

/**
 * A handled discrepancy stays handled until its amount grows or its invoice's state changes. One
 * that no longer applies closes, and may return as a new one. Null means no change.
 */
export function updateDiscrepancy(kept: Kept, now: Draft | undefined, at: number): Kept | null {
  if (now === undefined) return kept.closedAt === null ? { ...kept, closedAt: at } : null
  const { amount, state, since } = now
  const isBack = kept.closedAt !== null
  const isHandled =
    !isBack && kept.handled?.state === state && (amount ?? 0n) <= (kept.handled.amount ?? 0n)
  const handled = isHandled ? kept.handled : null
  const update = { amount, state, since, handled, closedAt: null }
  const isSame = Object.entries(update).every(([name, value]) => kept[name as keyof Kept] === value)
  return isSame ? null : update
}

/** An amount below a thousandth of a coin without a comment is spam, and no invoice may request less. */
const dustBelow = 1_000_000n

export function isDust(
  payment: Pick<StoredPayment, 'currency' | 'amount' | 'commentKey'>,
): boolean {
  const { currency, amount, commentKey } = payment
  return currency === 'TON' && amount < dustBelow && commentKey === null
}

/** @param invoicedSince creation time of the address's first invoice */
export function unmatchedDiscrepancy(
  payment: Parameters<typeof isDust>[0] & Pick<StoredPayment, 'invoiceKey' | 'at' | 'linkedBy'>,
  invoicedSince: number,
): Draft | null {
  const { invoiceKey, amount, at, linkedBy } = payment
  if (invoiceKey !== null) return null
  // A payment that the user unlinked always needs a decision.
  if (linkedBy !== 'person' && (isDust(payment) || at < invoicedSince)) return null
  return { kind: 'unmatched', amount, state: 'unmatched', since: at }
}
