/**
 * Which invoice a payment is for. The service does not say how it tells (gateway-facts 4), so the best
 * evidence there is decides, and all of it is kept. Pure.
 *
 * 1. The comment that the invoice's link asks for: certain.
 * 2. An address that only this invoice names, and that was never used before: certain.
 * 3. For links that ask for no comment, exactly the amount within the invoice's time: certain where the
 *    gateway names the payer and the moment, likely where no other invoice fits, else a guess, the
 *    oldest first. After its time only where the gateway counts as much as overpayment.
 * 4. For links that ask for one, the same without it only where the gateway says who paid and when.
 */
import type { Payment, PaymentEvidence } from '../../../src-preload/contract/index.ts'
import type { NewPayment } from '../../store/invoices/payments.ts'
import type { StoredInvoice } from '../../store/invoices/stored-invoice.ts'
import { endOf } from '../judge/tally.ts'
import { commentKey } from './comment-key.ts'
import { duration, money } from './words.ts'

export type MatchInvoice = Pick<
  StoredInvoice,
  | 'key'
  | 'id'
  | 'status'
  | 'currency'
  | 'amount'
  | 'overpayment'
  | 'payTo'
  | 'paidBy'
  | 'comment'
  | 'createdAt'
  | 'expiresAt'
  | 'changedAt'
>

export type Candidate = {
  readonly invoice: MatchInvoice
  /** What it received of other payments. */
  readonly others: bigint
  /** No other invoice names its address, and nobody used it before. */
  readonly isOwnAddress: boolean
}

export type MatchPayment = Pick<
  NewPayment,
  'account' | 'at' | 'currency' | 'amount' | 'payer' | 'comment'
>

export type Match = {
  readonly invoiceKey: number | null
  readonly certainty: Payment['certainty']
  readonly evidence: PaymentEvidence[]
}

/** Blocks are dated in seconds, and a gateway may say "paid" some time after the block. */
const sameMomentMs = 120_000
/** By how much the clock that dates invoices may be ahead of the one that dates blocks. */
export const clockSlackMs = 60_000

export function match(payment: MatchPayment, candidates: readonly Candidate[]): Match {
  const compared = candidates.map((candidate) => compare(payment, candidate))
  const byName = compared.find(({ facts }) => facts.isPayable && facts.hasComment)
  if (byName !== undefined) return linked(payment, byName, 'certain')
  const own = compared.find(({ facts, candidate }) => facts.isPayable && candidate.isOwnAddress)
  if (own !== undefined && own.candidate.invoice.comment === null) {
    return linked(payment, own, 'certain')
  }
  return byAmount(payment, compared) ?? unmatched(payment, compared)
}

function byAmount(payment: MatchPayment, compared: readonly Compared[]): Match | null {
  const exact = compared.filter(({ facts }) => facts.isPayable && facts.hasAmount)
  const told = exact.filter(({ facts }) => facts.isToldOf && facts.isUncovered)
  const [first] = told.sort(older)
  if (first !== undefined) {
    const asks = first.candidate.invoice.comment !== null
    return linked(payment, first, asks ? 'likely' : 'certain')
  }
  const free = exact.filter(({ candidate }) => candidate.invoice.comment === null)
  const inTime = free.filter(({ facts }) => facts.isInTime && facts.isUncovered)
  const [oldest] = inTime.sort(older)
  if (oldest !== undefined) {
    return linked(payment, oldest, inTime.length === 1 ? 'likely' : 'guess')
  }
  const late = free.filter(({ facts }) => facts.isOverpaidBy)
  const [newest] = late.sort(
    (a, b) => b.candidate.invoice.changedAt - a.candidate.invoice.changedAt,
  )
  return newest === undefined
    ? null
    : linked(payment, newest, late.length === 1 ? 'likely' : 'guess')
}

type Facts = {
  /** It is of this currency and address. */
  readonly isPayable: boolean
  readonly hasComment: boolean
  readonly hasAmount: boolean
  readonly isInTime: boolean
  /** The gateway says that this payer has paid it at about this moment. */
  readonly isToldOf: boolean
  /** Others have not reached its amount. */
  readonly isUncovered: boolean
  /** What the gateway counts as too much, beyond what others account for, is as much as this or more. */
  readonly isOverpaidBy: boolean
}

type Compared = { readonly candidate: Candidate; readonly facts: Facts }

function compare(payment: MatchPayment, candidate: Candidate): Compared {
  const { invoice, others } = candidate
  const spent = invoice.status === 'paid' ? invoice.amount : 0n
  const overOfOthers = others > spent ? others - spent : 0n
  const facts = {
    isPayable: payment.account === invoice.payTo && payment.currency === invoice.currency,
    hasComment:
      invoice.comment !== null && commentKey(payment.comment) === commentKey(invoice.comment),
    hasAmount: payment.amount === invoice.amount,
    isInTime: payment.at >= invoice.createdAt - clockSlackMs && payment.at <= endOf(invoice),
    isToldOf:
      invoice.status === 'paid' &&
      invoice.paidBy === payment.payer &&
      Math.abs(invoice.changedAt - payment.at) <= sameMomentMs,
    isUncovered: others < invoice.amount,
    isOverpaidBy: invoice.overpayment - overOfOthers >= payment.amount,
  }
  return { candidate, facts }
}

function older(a: Compared, b: Compared): number {
  const [one, other] = [a.candidate.invoice, b.candidate.invoice]
  return one.createdAt - other.createdAt || one.key - other.key
}

function linked(
  payment: MatchPayment,
  compared: Compared,
  certainty: NonNullable<Payment['certainty']>,
): Match {
  return {
    invoiceKey: compared.candidate.invoice.key,
    certainty,
    evidence: evidenceFor(payment, compared),
  }
}

/** Names of invoices that come nearest, with what speaks against them. */
function unmatched(payment: MatchPayment, compared: readonly Compared[]): Match {
  const named = compared.filter(({ facts }) => facts.hasComment)
  const alike = compared.filter(
    ({ facts }) => facts.isPayable && facts.hasAmount && facts.isInTime && !facts.hasComment,
  )
  const nearest = named[0] ?? alike.sort(older)[0]
  const evidence = nearest === undefined ? [commentAlone(payment)] : evidenceFor(payment, nearest)
  return { invoiceKey: null, certainty: null, evidence }
}

function commentAlone({ comment }: MatchPayment): PaymentEvidence {
  const text =
    commentKey(comment) === null
      ? 'It carries no comment, and no invoice of this address waits for exactly this amount.'
      : `Its comment “${short(comment ?? '')}” is that of no invoice, and none of this address waits for exactly this amount.`
  return { kind: 'comment', fits: false, text }
}

/** What was compared, in the order of its weight. */
export function evidenceOf(payment: MatchPayment, candidate: Candidate): PaymentEvidence[] {
  return evidenceFor(payment, compare(payment, candidate))
}

function evidenceFor(payment: MatchPayment, { candidate, facts }: Compared): PaymentEvidence[] {
  const { invoice } = candidate
  const line = (kind: PaymentEvidence['kind'], fits: boolean, text: string) => ({
    kind,
    fits,
    text,
  })
  const evidence: PaymentEvidence[] = []
  if (facts.hasComment) {
    const text = `Its comment is “${short(invoice.comment ?? '')}”, as the link of invoice ${invoice.id} asks.`
    evidence.push(line('comment', true, text))
  } else if (invoice.comment !== null) {
    const text = `Invoice ${invoice.id} asks for the comment “${short(invoice.comment)}”; ${commentWords(payment)}.`
    evidence.push(line('comment', false, text))
  }
  evidence.push(addressLine(payment, candidate, line))
  evidence.push(amountLine(payment, invoice, line))
  evidence.push(timeLine(payment, invoice, facts, line))
  if (invoice.paidBy !== null) {
    const same = invoice.paidBy === payment.payer
    const text = same
      ? 'The gateway names the same payer.'
      : `The gateway names another payer, ${invoice.paidBy}.`
    evidence.push(line('payer', same, text))
  }
  return evidence
}

type Line = (kind: PaymentEvidence['kind'], fits: boolean, text: string) => PaymentEvidence

function addressLine(payment: MatchPayment, candidate: Candidate, line: Line): PaymentEvidence {
  const { invoice, isOwnAddress } = candidate
  if (payment.account !== invoice.payTo) {
    return line('address', false, `Invoice ${invoice.id} is to be paid to another address.`)
  }
  return isOwnAddress
    ? line('address', true, `No other invoice than ${invoice.id} names its address.`)
    : line(
        'address',
        true,
        `It came to the address that invoice ${invoice.id} names, as others do.`,
      )
}

function amountLine(payment: MatchPayment, invoice: MatchInvoice, line: Line): PaymentEvidence {
  const asked = money(invoice.amount, invoice.currency)
  if (payment.currency !== invoice.currency) {
    const text = `It is in ${payment.currency}, and invoice ${invoice.id} asks for ${asked}.`
    return line('amount', false, text)
  }
  const difference = payment.amount - invoice.amount
  if (difference === 0n) return line('amount', true, `It is exactly ${asked}, as was asked.`)
  const much = money(difference < 0n ? -difference : difference, invoice.currency)
  const text = `It is ${much} ${difference < 0n ? 'less' : 'more'} than the ${asked} that were asked.`
  return line('amount', false, text)
}

function timeLine(
  payment: MatchPayment,
  invoice: MatchInvoice,
  { isInTime }: Facts,
  line: Line,
): PaymentEvidence {
  const after = payment.at - endOf(invoice)
  if (isInTime) {
    const since = payment.at - invoice.createdAt
    const text = `It came ${since <= 0 ? 'as soon as' : `${duration(since)} after`} the invoice was created, in its time.`
    return line('time', true, text)
  }
  return payment.at < invoice.createdAt
    ? line('time', false, `It came ${duration(invoice.createdAt - payment.at)} before the invoice.`)
    : line(
        'time',
        false,
        `It came ${duration(after)} after the invoice was ${invoice.status === 'cancelled' ? 'cancelled' : 'to expire'}.`,
      )
}

function commentWords({ comment }: MatchPayment): string {
  return commentKey(comment) === null
    ? 'this one carries none'
    : `this one carries “${short(comment ?? '')}”`
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 60 ? `${line.slice(0, 60)}…` : line
}
