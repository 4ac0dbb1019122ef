/**
 * Decides which invoice a payment is for. The service does not document its own rule (gateway-facts 4), so
 * the best evidence decides, and all evidence is kept. Pure.
 * 1. The comment of the invoice's link: certain.
 * 2. An address that only this invoice names and that was unused before: certain.
 * 3. Exactly the amount, where the gateway counted as much beyond better-evidenced payments and names this
 * payer and time: certain; likely where several invoices fit or the link requires a comment. An invoice
 * that requires a comment gets a payment without it in no other way.
 * 4. A comment that contains the id of this invoice and of no other: likely. Two ids: no link.
 * 5. Exactly the amount, where the gateway counted it for this payer or at this time, else where it is
 * awaited, else within the time of a paid or ended invoice, or where it was counted as too much: likely
 * where no other invoice fits as well, or the comment names one of them, else a guess.
 * 6. A comment that names the order or resembles the id of one invoice, or of one that is awaited: a guess.
 * Of two payments for one invoice the better evidence goes first, then the one nearer to the gateway's
 * report, then the older one, so the order of discovery has no effect.
 */
import type { Payment, PaymentEvidence } from '../../../src-preload/contract/payment.ts'
import { currencyName, formatMoney } from '../../../src-preload/domain/amount.ts'
import {
  type CommentGrade,
  type PaymentComment,
  commentGrades,
  commentKey,
  namesId,
  readPaymentComment,
  shortComment,
} from '../../../src-preload/domain/payment-comment.ts'
import type { GatewayInvoice, StoredInvoice } from '../store/invoice-rows.ts'
import type { NewPayment, PaymentLink } from '../store/payments.ts'
import { endOf } from './discrepancies.ts'
import { duration } from './labels.ts'

export type MatchInvoice = Omit<GatewayInvoice, 'paymentLink' | 'raw'> &
  Pick<StoredInvoice, 'key' | 'orderReference'>

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
  readonly namedKey: number | null
}

/** Block times are seconds, and a gateway may report "paid" some time after the block. */
export const sameMomentMs = 120_000
/** The clock that dates invoices may be ahead of the blocks' clock by this much. */
export const clockSlackMs = 60_000

export function findMatch(payment: MatchPayment, candidates: readonly Candidate[]): Match {
  const comment = readPaymentComment(payment.comment)
  const compared = candidates.map((candidate) => compare(payment, comment, candidate))
  const payable = compared.filter(({ facts }) => facts.isPayable)
  const equal = compared.filter(({ facts }) => facts.grade === 'equal')
  const named = equal.length > 0 ? [] : compared.filter(({ facts }) => facts.grade === 'id')
  const [byName = equal[0]] = equal.filter(({ facts }) => facts.isPayable)
  const only = byName ?? (named.length === 1 ? named[0] : undefined)
  const namedKey = only?.candidate.invoice.key ?? null
  const link = (to: Compared, certainty: NonNullable<Payment['certainty']>): Match => {
    const evidence = evidenceFor(payment, to)
    return { invoiceKey: to.candidate.invoice.key, certainty, evidence, namedKey }
  }
  if (byName?.facts.isPayable === true) return link(byName, 'certain')
  const own = payable.find(({ candidate }) => candidate.isOwnAddress)
  if (own !== undefined && own.candidate.invoice.comment === null) return link(own, 'certain')

  const exact = payable.filter(({ facts }) => facts.hasAmount)
  const told = exact.filter(({ facts }) => facts.isCounted && facts.isToldOf)
  const [nearest] = told.sort(
    (a, b) => b.facts.weight - a.facts.weight || a.facts.apart - b.facts.apart || older(a, b),
  )
  if (nearest !== undefined) {
    const isSure = told.length === 1 && nearest.candidate.invoice.comment === null
    return link(nearest, isSure ? 'certain' : 'likely')
  }
  if (named.length > 1) return { ...unmatched(payment, compared), evidence: severalNamed(named) }
  if (only?.facts.isPayable === true) return link(only, 'likely')
  const [fits, certainty] = fittingAmount(exact) ?? matchingWords(payable) ?? []
  return fits === undefined || certainty === undefined
    ? { ...unmatched(payment, compared), namedKey }
    : link(fits, certainty)
}

type Fitting = readonly [Compared, 'likely' | 'guess'] | null

function fittingAmount(exact: readonly Compared[]): Fitting {
  const free = exact.filter(({ candidate }) => candidate.invoice.comment === null).sort(older)
  const [fitting] = [
    free.filter(({ facts }) => facts.isCounted && facts.isHalfToldOf),
    free.filter(({ facts }) => facts.isWaitedFor),
    free.filter(({ facts }) => facts.isInTime && facts.isUncovered),
    free.filter(({ facts }) => facts.isTooMuch).sort(laterEnded),
  ].filter((each) => each.length > 0)
  const [first] = fitting ?? []
  if (first === undefined) return null
  const named = fitting?.filter(({ facts }) => facts.weight > 0) ?? []
  if (named[0] !== undefined && named.length === 1) return [named[0], 'likely']
  return [first, fitting?.length === 1 ? 'likely' : 'guess']
}

/** Several invoices may name the same order or resemble each other; then only an awaited one counts. */
function matchingWords(payable: readonly Compared[]): Fitting {
  for (const wanted of ['reference', 'similar'] as const) {
    const named = payable.filter(({ facts }) => facts.grade === wanted)
    const awaited = named.filter(({ facts }) => facts.isWaitedFor)
    const [one, other] = named.length === 1 ? named : awaited
    if (one !== undefined && other === undefined) return [one, 'guess']
    if (named.length > 0) return null
  }
  return null
}

function severalNamed(named: readonly Compared[]): PaymentEvidence[] {
  const ids = named.map(({ candidate }) => candidate.invoice.id).join(' and ')
  const text = `The comment names invoices ${ids}, so Tondesk links the payment to neither of them.`
  return [{ kind: 'comment', fits: true, text }]
}

type Compared = ReturnType<typeof compare>

function compare(payment: MatchPayment, comment: PaymentComment, candidate: Candidate) {
  const { invoice } = candidate
  const others = ahead(payment, candidate)
  const counted = countedFor(invoice)
  const spent = invoice.status === 'paid' ? invoice.amount : 0n
  const overOfOthers = others > spent ? others - spent : 0n
  const isUncovered = others < invoice.amount
  const isInTime = isWithin(payment, invoice)
  const apart = Math.abs(invoice.changedAt - payment.at)
  const grade = comment.grade(invoice)
  const facts = {
    apart,
    isInTime,
    isUncovered,
    grade,
    weight: weightOf(grade),
    isPayable: payment.account === invoice.payTo && payment.currency === invoice.currency,
    hasAmount: payment.amount === invoice.amount,
    isToldOf: isNamedByGateway(payment, invoice),
    // Either the payer or the time agrees; after the invoice's time, only the time counts.
    isHalfToldOf: apart <= sameMomentMs || (isInTime && invoice.paidBy === payment.payer),
    isWaitedFor: counted === null && isInTime && isUncovered,
    // The gateway counted at least this amount beyond what other payments explain.
    isCounted: counted !== null && counted - others >= payment.amount,
    isTooMuch: invoice.overpayment - overOfOthers >= payment.amount,
  }
  return { candidate, facts }
}

/** Returns 0 without evidence up to 4 for the comment of the link. */
export const weightOf = (grade: CommentGrade | null): number =>
  grade === null ? 0 : commentGrades.indexOf(grade) + 1

/** The amount that the gateway reports as paid; null if it reports none, as for a partial payment. */
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
  if (invoice.status !== 'pending' && isNamedByGateway(payment, invoice)) return rankOfTold
  if (namesId(payment.comment, invoice.id)) return 2
  return isWithin(payment, invoice) ? 3 : 4
}

export function isNamedByGateway(
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

const isWithin = ({ at }: MatchPayment, invoice: MatchInvoice): boolean =>
  at >= invoice.createdAt - clockSlackMs && at <= endOf(invoice)

const isEarlier = (a: MatchPayment, b: MatchPayment): boolean =>
  a.at === b.at ? a.lt < b.lt : a.at < b.at

const laterEnded = (a: Compared, b: Compared): number =>
  b.candidate.invoice.changedAt - a.candidate.invoice.changedAt || older(a, b)

function older(a: Compared, b: Compared): number {
  const [one, other] = [a.candidate.invoice, b.candidate.invoice]
  return one.createdAt - other.createdAt || one.key - other.key
}

function unmatched(payment: MatchPayment, compared: readonly Compared[]): Match {
  const [named] = compared
    .filter(({ facts }) => facts.weight > 0)
    .sort((a, b) => b.facts.weight - a.facts.weight)
  const [alike] = compared
    .filter(({ facts }) => facts.isPayable && facts.hasAmount && facts.isInTime)
    .sort(older)
  const nearest = named ?? alike
  const text =
    commentKey(payment.comment) === null
      ? 'The payment has no comment, and no pending invoice with this address requests exactly this amount.'
      : `No invoice has the comment “${shortComment(payment.comment)}”, and no pending invoice with this address requests exactly this amount.`
  const evidence =
    nearest === undefined
      ? [{ kind: 'comment', fits: false, text } as const]
      : evidenceFor(payment, nearest)
  return { invoiceKey: null, certainty: null, evidence, namedKey: null }
}

export function evidenceOf(payment: MatchPayment, candidate: Candidate): PaymentEvidence[] {
  const comment = readPaymentComment(payment.comment)
  return evidenceFor(payment, compare(payment, comment, candidate))
}

function evidenceFor(payment: MatchPayment, { candidate, facts }: Compared): PaymentEvidence[] {
  const { id, comment, payTo, paidBy, currency, amount } = candidate.invoice
  const carried =
    commentKey(payment.comment) === null ? 'none' : `“${shortComment(payment.comment)}”`
  const evidence: PaymentEvidence[] = []
  const add = (kind: PaymentEvidence['kind'], fits: boolean, text: string) =>
    evidence.push({ kind, fits, text })

  if (facts.grade !== null) {
    const isAsked = comment !== null && facts.grade !== 'equal'
    const asked = isAsked
      ? `, but is not exactly “${shortComment(comment)}” as in the invoice’s link`
      : ''
    add('comment', true, `The comment ${carried} ${gradeWords[facts.grade]} invoice ${id}${asked}.`)
  } else if (comment !== null) {
    const text = `Invoice ${id} requires the comment “${shortComment(comment)}”; the payment has ${carried}.`
    add('comment', false, text)
  }

  if (payment.account !== payTo) {
    add('address', false, `Invoice ${id} has a different address.`)
  } else if (candidate.isOwnAddress) {
    add('address', true, `Only invoice ${id} has this address.`)
  } else
    add(
      'address',
      true,
      `The payment arrived at an address that invoice ${id} shares with other invoices.`,
    )

  const asked = formatMoney(amount, currency)
  const difference = payment.amount - amount
  if (payment.currency !== currency) {
    add(
      'amount',
      false,
      `The payment is in ${currencyName(payment.currency)}, but invoice ${id} requests ${asked}.`,
    )
  } else if (facts.hasAmount) add('amount', true, `The amount is exactly ${asked}, as requested.`)
  else {
    const [much, more] = difference < 0n ? [-difference, 'less'] : [difference, 'more']
    const text = `The amount is ${formatMoney(much, currency)} ${more} than the requested ${asked}.`
    add('amount', false, text)
  }

  add('time', facts.isInTime, describeTime(payment.at, candidate.invoice, facts.isInTime))

  if (paidBy === payment.payer) add('payer', true, 'The gateway reports the same payer.')
  else if (paidBy !== null) add('payer', false, 'The gateway reports a different payer.')
  return evidence
}

const gradeWords: Readonly<Record<CommentGrade, string>> = {
  equal: 'is the one in the link of',
  id: 'contains the id of',
  reference: 'fits the order reference or the description of',
  similar: 'resembles the id of',
}

function describeTime(at: number, invoice: MatchInvoice, isInTime: boolean): string {
  const sinceMs = at - invoice.createdAt
  if (isInTime) {
    const since = sinceMs <= 0 ? 'at the time when' : `${duration(sinceMs)} after`
    return `The payment arrived ${since} the invoice was created, within the invoice’s lifetime.`
  }
  if (sinceMs < 0)
    return `The payment arrived ${duration(-sinceMs)} before the invoice was created.`
  const ended = invoice.status === 'cancelled' ? 'was cancelled' : 'expired'
  return `The payment arrived ${duration(at - endOf(invoice))} after the invoice ${ended}.`
}
