/**
 * What of an invoice needs a person's decision. The service's two rules of overpayment (specification,
 * section 2) decide the amounts: more than the amount for a paid one, all of it for one that ended
 * unpaid. Where gateway and chain differ the larger figure counts, since that much may be owed. Pure.
 */
import type { MatterKind } from '../../../src-preload/contract/invoice.ts'
import type { StoredMatter } from '../store/matters.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import { type Tally, type TallyPayment, tallyOf } from './tally.ts'

type JudgedInvoice = Pick<
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

export type Draft = Pick<StoredMatter, 'kind' | 'amount' | 'state' | 'since'>

/** So long the gateway may take to say what the chain shows already. */
const graceMs = 60_000
/** Blocks and states are dated in whole seconds. */
const secondMs = 1000

/** @param payments those that belong to it, oldest first */
export function mattersOf(
  invoice: JudgedInvoice,
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

function ofMoney(invoice: JudgedInvoice, tally: Tally, circumstances: Circumstances): Draft[] {
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
  invoice: JudgedInvoice,
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
  invoice: JudgedInvoice,
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

function ofEnded(invoice: JudgedInvoice, tally: Tally, draft: Make): Draft[] {
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
  { status, amount, overpayment }: JudgedInvoice,
  { received }: Pick<Tally, 'received'>,
): bigint {
  const spent = status === 'paid' ? amount : 0n
  const byChain = received > spent ? received - spent : 0n
  return byChain > overpayment ? byChain : overpayment
}

function isReadBeyond({ changedAt }: JudgedInvoice, { readTo }: Circumstances): boolean {
  return readTo !== null && readTo > changedAt + secondMs
}

/**
 * Whether time alone, or reading on, may make another matter of it: the gateway has a while to follow
 * the chain, and the chain is to be read beyond what the gateway says.
 */
export function isWaiting(
  invoice: JudgedInvoice,
  { received }: Pick<Tally, 'received'>,
  circumstances: Circumstances,
): boolean {
  if (invoice.status === 'pending') return received >= invoice.amount
  if (invoice.status === 'paid') {
    return received < invoice.amount && !isReadBeyond(invoice, circumstances)
  }
  return false
}
