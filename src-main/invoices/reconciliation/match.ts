/**
 * Decides which invoice a payment is for. The service does not document its own rule (gateway-facts 4), so
 * the best evidence decides, and all evidence is kept. Pure.
 * 1. The comment of the invoice's link: certain.
 * 2. An address that only this invoice names and that was unused before: certain.
 * 3. Exactly the amount, where the gateway counted as much beyond better-evidenced payments and names this
 * payer and time: certain; likely where several invoices fit or the link asks for a comment. An invoice
 * that asks for a comment gets a payment without it in no other way.
 * 4. Exactly the amount, where the gateway counted it for this payer or at this time, else where it is
 * awaited, else within the time of a paid or ended invoice, or where it was counted as too much: likely
 * where no other invoice fits as well, else a guess.
 * Of two payments for one invoice the better evidence goes first, then the one nearer to the gateway's
 * report, then the older one, so the order of discovery does not matter.
 */
import type { Payment, PaymentEvidence } from '../../../src-preload/contract/payment.ts'
import type { NewPayment, PaymentLink } from '../store/payments.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import { endOf } from './discrepancies.ts'
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
  readonly others: readonly LinkedPayment[]
  readonly isOwnAddress: boolean
}

export type MatchPayment = Pick<
  NewPayment,
  'account' | 'at' | 'lt' | 'currency' | 'amount' | 'payer' | 'comment'
>

export type LinkedPayment = MatchPayment & Pick<PaymentLink, 'linkedBy'>

export type Match = {
  readonly invoiceKey: number | null
  readonly certainty: Payment['certainty']
  readonly evidence: PaymentEvidence[]
}

/** Block times are seconds, and a gateway may report "paid" some time after the block. */
export const sameMomentMs = 120_000
/** The clock that dates invoices may be ahead of the blocks' clock by this much. */
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
  const told = exact.filter(({ facts }) => facts.isCounted && facts.isToldOf)
  const [nearest] = told.sort((a, b) => a.facts.apart - b.facts.apart || older(a, b))
  if (nearest !== undefined) {
    const isSure = told.length === 1 && nearest.candidate.invoice.comment === null
    return linked(payment, nearest, isSure ? 'certain' : 'likely')
  }
  const free = exact.filter(({ candidate }) => candidate.invoice.comment === null)
  const ways = [
    free.filter(({ facts }) => facts.isCounted && facts.isHalfToldOf).sort(older),
    free.filter(({ facts }) => facts.isWaitedFor).sort(older),
    free.filter(({ facts }) => facts.isInTime && facts.isUncovered).sort(older),
    free.filter(({ facts }) => facts.isTooMuch).sort(laterEnded),
  ]
  const fitting = ways.find((way) => way.length > 0)
  const [first] = fitting ?? []
  return first === undefined
    ? null
    : linked(payment, first, fitting?.length === 1 ? 'likely' : 'guess')
}

type Facts = {
  readonly isPayable: boolean
  readonly hasComment: boolean
  readonly hasAmount: boolean
  readonly isInTime: boolean
  readonly apart: number
  readonly isToldOf: boolean
  /** Either payer or time agrees; after the invoice's time, only the time counts. */
  readonly isHalfToldOf: boolean
  readonly isWaitedFor: boolean
  readonly isUncovered: boolean
  /** The gateway counted at least this amount beyond what other payments explain. */
  readonly isCounted: boolean
  readonly isTooMuch: boolean
}

type Compared = { readonly candidate: Candidate; readonly facts: Facts }

function compare(payment: MatchPayment, candidate: Candidate): Compared {
  const { invoice } = candidate
  const others = ahead(payment, candidate)
  const counted = countedFor(invoice)
  const spent = invoice.status === 'paid' ? invoice.amount : 0n
  const overOfOthers = others > spent ? others - spent : 0n
  const isUncovered = others < invoice.amount
  const isInTime = isWithin(payment, invoice)
  const isSamePayer = invoice.paidBy === payment.payer
  const apart = Math.abs(invoice.changedAt - payment.at)
  const isSameMoment = apart <= sameMomentMs
  const facts = {
    isPayable: payment.account === invoice.payTo && payment.currency === invoice.currency,
    hasComment: isNamedBy(invoice, payment),
    hasAmount: payment.amount === invoice.amount,
    isInTime,
    apart,
    isToldOf: isToldOf(payment, invoice),
    isHalfToldOf: isSameMoment || (isInTime && isSamePayer),
    isWaitedFor: counted === null && isInTime && isUncovered,
    isUncovered,
    isCounted: counted !== null && counted - others >= payment.amount,
    isTooMuch: invoice.overpayment - overOfOthers >= payment.amount,
  }
  return { candidate, facts }
}

/** The amount that the gateway reports as paid; null where it does not say, as for a partial payment. */
function countedFor({ status, amount, overpayment }: MatchInvoice): bigint | null {
  if (status === 'paid') return amount + overpayment
  return status === 'expired' || status === 'cancelled' ? overpayment : null
}

function ahead(payment: MatchPayment, { invoice, isOwnAddress, others }: Candidate): bigint {
  const rank = (each: MatchPayment) => rankOf(each, invoice, isOwnAddress)
  const own = rank(payment)
  const apart = ({ at }: MatchPayment) => Math.abs(invoice.changedAt - at)
  return others
    .filter((other) => {
      const worse = other.linkedBy === 'person' ? -1 : rank(other) - own
      if (worse !== 0) return worse < 0
      const further = own === rankOfTold ? apart(other) - apart(payment) : 0
      return further === 0 ? isEarlier(other, payment) : further < 0
    })
    .reduce((sum, { amount }) => sum + amount, 0n)
}

const rankOfTold = 1

function rankOf(payment: MatchPayment, invoice: MatchInvoice, isOwnAddress: boolean): number {
  if (isNamedBy(invoice, payment) || (isOwnAddress && invoice.comment === null)) return 0
  if (invoice.status !== 'pending' && isToldOf(payment, invoice)) return rankOfTold
  return isWithin(payment, invoice) ? 2 : 3
}

export function isToldOf(
  { payer, at }: Pick<MatchPayment, 'payer' | 'at'>,
  { paidBy, changedAt }: Pick<MatchInvoice, 'paidBy' | 'changedAt'>,
): boolean {
  return paidBy === payer && Math.abs(changedAt - at) <= sameMomentMs
}

export function isNamedBy(
  { comment }: Pick<MatchInvoice, 'comment'>,
  payment: Pick<MatchPayment, 'comment'>,
): boolean {
  return comment !== null && commentKey(payment.comment) === commentKey(comment)
}

function isWithin({ at }: MatchPayment, invoice: MatchInvoice): boolean {
  return at >= invoice.createdAt - clockSlackMs && at <= endOf(invoice)
}

function isEarlier(a: MatchPayment, b: MatchPayment): boolean {
  return a.at === b.at ? a.lt < b.lt : a.at < b.at
}

function laterEnded(a: Compared, b: Compared): number {
  return b.candidate.invoice.changedAt - a.candidate.invoice.changedAt || older(a, b)
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

/** Comments are compared without surrounding spaces and without case; null for none. */
export function commentKey(comment: string | null): string | null {
  const folded = comment?.trim().toLowerCase() ?? ''
  return folded === '' ? null : folded
}
