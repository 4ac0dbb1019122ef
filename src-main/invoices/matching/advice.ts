/** Recommends the next step: the title says what to do or what to wait for, the text says why. */
import { isAccepted } from '../../../src-preload/contract/invoice-money.ts'
import type { Advice, DiscrepancyKind, Invoice } from '../../../src-preload/contract/invoice.ts'
import { formatMoney, sumByCurrency } from '../../../src-preload/domain/amount.ts'
import { commentKey, shortComment } from '../../../src-preload/domain/payment-comment.ts'
import type { PaymentEvidence } from '../../../src-preload/contract/payment.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import {
  type ReconciledInvoice,
  type TallyPayment,
  endOf,
  overpaidBy,
  tallyOf,
} from './discrepancies.ts'
import { differenceTo } from './uncounted.ts'
import { duration, formatStatus } from './labels.ts'

type AdvisedInvoice = ReconciledInvoice &
  Pick<StoredInvoice, 'payTo' | 'currency' | 'comment' | 'confirmedAt' | 'reported'>

type AdvisedPayment = TallyPayment & Pick<StoredPayment, 'certainty' | 'comment'>

type UncountedFacts = Pick<StoredPayment, 'account' | 'currency' | 'amount' | 'comment'>

export type UncountedPayment = UncountedFacts & { readonly isHandled: boolean }

type FittingPayment = Pick<StoredPayment, 'currency' | 'amount' | 'comment'> & {
  readonly isNaming: boolean
}

export type AdviceInput = {
  readonly readTo: number | null
  readonly now: number
  readonly uncounted?: readonly UncountedPayment[]
  /** Unlinked payments with the amount, and those whose comment names several invoices. */
  readonly fitting?: readonly FittingPayment[]
  /** The invoices that count together; the advised invoice then has the amounts of all. */
  readonly together?: Pick<NonNullable<Invoice['together']>, 'other' | 'isLast'> | null
  /** The state of the invoice alone. */
  readonly ownStatus?: string
}

type Case = ReturnType<typeof caseOf>

/** The advice by kind, in order of urgency. */
const adviceByKind = {
  'gateway-ahead': onGatewayAhead,
  'chain-ahead': onChainAhead,
  'paid-late': onLate,
  'paid-after-cancel': onLate,
  overpaid: onOverpaid,
  partial: onPartial,
  'reported-differs': onReportedDiffers,
} as const

const handledWords: Readonly<Record<DiscrepancyKind, string>> = {
  overpaid: 'the overpayment',
  'paid-late': 'the late payment',
  'paid-after-cancel': 'the payment after the cancellation',
  partial: 'the partial payment',
  'chain-ahead': 'the payment that the gateway does not count',
  'gateway-ahead': 'the missing payment',
  'reported-differs': 'the delivery that reports a different state',
  unmatched: 'the payment without an invoice',
}

export function adviseOnInvoice(
  invoice: AdvisedInvoice,
  payments: readonly AdvisedPayment[],
  discrepancies: readonly { readonly kind: DiscrepancyKind; readonly isHandled: boolean }[],
  input: AdviceInput,
): Advice {
  const inOrder = Object.keys(adviceByKind).flatMap((each) =>
    discrepancies.filter(({ kind }) => kind === each),
  )
  const open = inOrder.find(({ isHandled }) => !isHandled)
  if (open !== undefined) return adviseOn(open.kind, invoice, payments, input)
  if (invoice.confirmedAt === null) {
    return wait(
      'Wait until the gateway confirms the invoice.',
      'Only a delivery reports this invoice, and anyone who knows the receiver URL can send a delivery.',
      ['fetch'],
    )
  }
  const subject = caseOf(invoice, payments, input)
  if (subject.uncounted.some(({ isHandled }) => !isHandled)) return onUncountedOf(subject)
  if (subject.together?.isLast === false) return onContinued(subject, subject.together.other)
  if (inOrder.length === 0) return onState(subject)
  const words = [...new Set(inOrder.map(({ kind }) => handledWords[kind]))].join(' and ')
  return advice(
    invoice.status === 'paid' ? 'good' : 'neutral',
    'No action needed.',
    [
      `You marked ${words} as handled. The invoice needs attention again if the amount grows.`,
      ...subject.uncountedWords,
    ],
    [],
  )
}

export function adviseOn(
  kind: DiscrepancyKind,
  invoice: AdvisedInvoice,
  payments: readonly AdvisedPayment[],
  input: AdviceInput,
): Advice {
  if (kind === 'unmatched') return adviseUnmatched('', [])
  const subject = caseOf(invoice, payments, input)
  const found = adviceByKind[kind](subject)
  const isGuess = kind !== 'reported-differs' && payments.some((each) => each.certainty === 'guess')
  const guess = isGuess ? ['One payment may be for another invoice. Check it first.'] : []
  const { acceptedWords, togetherWords, uncountedWords } = subject
  const words = [...guess, ...acceptedWords, ...togetherWords, ...uncountedWords]
  return { ...found, text: [found.text, ...words].join(' ') }
}

export const describeDiscrepancy = (kind: DiscrepancyKind): string => handledWords[kind]

export function adviseUnmatched(paid: string, evidence: readonly PaymentEvidence[]): Advice {
  const named = evidence.filter(({ kind, fits }) => kind === 'comment' && fits)
  const against = evidence.filter(({ fits }) => !fits).slice(0, 3)
  return act(
    `Link ${paid} to its invoice or refund it.`,
    [
      ...(named.length === 0 ? ['The payment matches no known invoice.'] : []),
      ...[...named, ...against].map(({ text }) => text),
    ],
    ['find-payment', 'prepare-refund', 'mark-handled'],
  )
}

export function adviseUncounted(
  payment: UncountedFacts,
  invoice: Pick<StoredInvoice, 'id' | 'payTo' | 'currency' | 'amount' | 'comment'>,
): Advice {
  const much = formatMoney(payment.amount, payment.currency)
  const isLinkable = payment.currency === invoice.currency
  return act(
    `Refund ${much}.`,
    `The gateway does not count ${much} that was paid for invoice ${invoice.id}: ${whyUncounted(payment, invoice)}`,
    [...(isLinkable ? (['find-payment'] as const) : []), 'prepare-refund', 'mark-handled'],
  )
}

function advice(
  tone: Advice['tone'],
  title: string,
  text: string | readonly string[],
  acts: Advice['acts'],
): Advice {
  return { tone, title, text: [text].flat().join(' '), acts }
}

const act = advice.bind(null, 'act')
const wait = advice.bind(null, 'wait')

function caseOf(invoice: AdvisedInvoice, payments: readonly AdvisedPayment[], input: AdviceInput) {
  const { uncounted = [], fitting = [], ...chain } = input
  const { status, amount, overpayment, currency } = invoice
  const tally = tallyOf(invoice, payments)
  const format = (units: bigint) => formatMoney(units, currency)
  const accepted = isAccepted(status, invoice.tolerance)
  const byChain = overpaidBy({ ...invoice, overpayment: 0n }, tally)
  const isInexact = payments.some(
    ({ certainty, comment }) =>
      certainty === 'likely' &&
      invoice.comment !== null &&
      commentKey(comment) !== commentKey(invoice.comment),
  )
  return {
    ...chain,
    uncounted,
    invoice,
    tally,
    format,
    over: overpaidBy(invoice, tally),
    isInexact,
    inexactWords: isInexact
      ? [
          `The comment of a payment names the invoice, but is not exactly “${invoice.comment ?? ''}”, so the gateway may not count the payment.`,
        ]
      : [],
    missing: format(amount - tally.received),
    ended: status === 'cancelled' ? 'was cancelled' : 'expired',
    accepted,
    acceptedWords: accepted
      ? [
          `Your tolerance of ${format(invoice.tolerance ?? 0n)} accepts ${format(tally.inTime)} of ${format(amount)}, so the invoice counts as paid. The gateway reports ${formatStatus(status)}.`,
        ]
      : [],
    togetherWords: input.together
      ? [
          `The amounts include those of invoice ${input.together.other}, which counts with this one.`,
        ]
      : [],
    uncountedWords: describeUncounted(invoice, uncounted),
    isNamed: fitting.some(({ isNaming }) => isNaming),
    fittingWords: describeFitting(fitting),
    differenceWords:
      input.readTo === null || accepted || byChain === overpayment
        ? []
        : [
            `The gateway counts an overpayment of ${format(overpayment)}; the chain shows ${format(byChain)}.`,
          ],
  }
}

function describeFitting(fitting: readonly FittingPayment[]): string[] {
  const naming = fitting.filter(({ isNaming }) => isNaming)
  const [first] = naming.length > 0 ? naming : fitting
  if (first === undefined) return []
  const much = formatMoney(first.amount, first.currency)
  if (naming.length > 0) {
    return [
      `A payment of ${much} names this invoice and others in its comment “${shortComment(first.comment)}”. Check whether it is for this one.`,
    ]
  }
  const which = fitting.length === 1 ? 'A payment' : `${fitting.length} payments`
  const comment = fitting.find((each) => commentKey(each.comment) !== null)?.comment
  const how =
    comment === undefined
      ? 'without a comment'
      : `with the comment “${shortComment(comment)}”, which names no invoice`
  return [
    `${which} of exactly ${much} arrived at the invoice’s address in time, but ${how}. Check whether it is for this one.`,
  ]
}

function describeUncounted(
  invoice: AdvisedInvoice,
  uncounted: readonly UncountedPayment[],
): string[] {
  const [first] = uncounted
  if (first === undefined) return []
  const came = `${formatSums(uncounted)} was also paid for this invoice, but the gateway does not count it`
  return uncounted.every(({ isHandled }) => isHandled)
    ? [`${came}. You marked this payment as handled.`]
    : [`${came}: ${whyUncounted(first, invoice)}`]
}

function whyUncounted(
  payment: Pick<StoredPayment, 'account' | 'currency' | 'comment'>,
  invoice: Pick<StoredInvoice, 'payTo' | 'currency' | 'amount' | 'comment'>,
): string {
  const difference = differenceTo(payment, invoice)
  if (difference === 'asset') {
    return `the invoice requests ${formatMoney(invoice.amount, invoice.currency)}.`
  }
  if (difference === 'address') return 'the payment went to a different address than the invoice’s.'
  return commentKey(payment.comment) === null
    ? 'the comment required by the invoice is missing.'
    : `the comment is “${shortComment(payment.comment)}”, but the invoice requires “${shortComment(invoice.comment)}”.`
}

const formatSums = (payments: readonly Pick<StoredPayment, 'currency' | 'amount'>[]): string =>
  sumByCurrency(payments)
    .map(({ currency, sum }) => formatMoney(sum, currency))
    .join(' and ')

/** The invoice's rest is requested by another one. */
function onContinued({ invoice, ownStatus }: Case, last: string): Advice {
  return wait(
    `See invoice ${last}, which requests the rest.`,
    `Both count together. The link, the QR code and the text here are those of invoice ${last}. The gateway’s own page of this invoice may still accept a payment; money to both is one overpayment.`,
    [
      ...(invoice.status === 'pending' ? (['share-link'] as const) : []),
      ...(ownStatus === 'pending' ? (['cancel'] as const) : []),
    ],
  )
}

function onUncountedOf({ invoice, tally, now, uncounted, missing, ended }: Case): Advice {
  const open = uncounted.filter(({ isHandled }) => !isHandled)
  const much = formatSums(open)
  const why = open.slice(0, 1).map((payment) => whyUncounted(payment, invoice))
  const isOpen = invoice.status === 'pending' && invoice.expiresAt > now && tally.paidAt === null
  const isEnded = invoice.status === 'expired' || invoice.status === 'cancelled'
  const state = isOpen
    ? `The invoice still needs ${missing}.`
    : `The invoice ${isEnded ? ended : `is ${formatStatus(invoice.status)}`}.`
  return act(
    `Refund ${much}.`,
    [`The gateway does not count ${much} that was paid for this invoice:`, ...why, state],
    [
      'prepare-refund',
      'mark-handled',
      ...(isOpen ? (['share-link', 'cancel'] as const) : []),
      ...(isEnded ? (['issue-again'] as const) : []),
    ],
  )
}

function onReportedDiffers({ invoice }: Case): Advice {
  return act(
    'Check with the gateway, whose state is decisive.',
    `A delivery reports a different state than the gateway, which reports ${formatStatus(invoice.status)}. Anyone who knows the receiver URL can send a delivery.`,
    ['fetch', 'mark-handled'],
  )
}

function onOverpaid({ invoice, tally, format, over, differenceWords }: Case): Advice {
  const paid =
    tally.received > invoice.amount
      ? `The invoice requested ${format(invoice.amount)} and is paid, but ${format(tally.received)} arrived.`
      : `The invoice of ${format(invoice.amount)} is paid, and the gateway counts the excess as overpayment.`
  return act(
    `Refund ${format(over)}.`,
    [paid, ...differenceWords],
    ['prepare-refund', 'mark-handled'],
  )
}

function onLate({ invoice, tally, format, over, ended, differenceWords }: Case): Advice {
  const { firstLateAt, inTime, late, received } = tally
  const came =
    inTime > 0n ? `${format(inTime)} arrived in time and ${format(late)}` : 'The payment arrived'
  const after =
    firstLateAt === null
      ? 'The payment arrived'
      : `${came} ${duration(Math.max(1000, firstLateAt - endOf(invoice)))}`
  return act(
    `Refund ${format(over)}${over >= invoice.amount ? ' or fulfil the order' : ''}.`,
    [
      `${after} after the invoice ${ended}, so the gateway counts the complete amount as overpayment and leaves the invoice’s state unchanged.`,
      ...differenceWords,
    ],
    ['prepare-refund', 'mark-handled', ...(received === 0n ? (['read-chain'] as const) : [])],
  )
}

function onPartial(subject: Case): Advice {
  const { invoice, tally, now, format, over, missing, differenceWords } = subject
  const asked = format(invoice.amount)
  if (invoice.status !== 'pending') {
    const isCancelled = invoice.status === 'cancelled'
    return act(
      `Refund ${format(over)}.`,
      [
        `${format(over)} of the requested ${asked} arrived, ${isCancelled ? 'and the invoice was cancelled, so' : 'so the invoice expired and'} the gateway counts the complete amount as overpayment.`,
        ...differenceWords,
      ],
      ['issue-rest', 'prepare-refund', 'mark-handled', 'issue-again'],
    )
  }
  const left = invoice.expiresAt - now
  const came = `${format(tally.received)} of ${asked} arrived`
  if (subject.isInexact) {
    return act(
      `Accept or refund the ${format(tally.received)}.`,
      [
        `${came}, and ${missing} is missing.`,
        ...subject.inexactWords,
        'To accept it, cancel the invoice and fulfil the order.',
      ],
      ['prepare-refund', 'cancel', 'mark-handled'],
    )
  }
  return left > 0
    ? act(
        `Ask the payer for another ${missing}.`,
        `${came}. The payer must send exactly the rest in the same way within ${duration(left)}. Otherwise you have to refund the complete amount.`,
        ['share-link', 'issue-rest', 'cancel', 'mark-handled'],
      )
    : act(
        'Check with the gateway again.',
        `${came}, ${missing} is missing, and the invoice’s lifetime is over. The gateway does not report the invoice as expired yet.`,
        ['fetch', 'issue-rest', 'mark-handled'],
      )
}

function onChainAhead(subject: Case): Advice {
  const { invoice, tally, now, format, over, ended, differenceWords, inexactWords } = subject
  if (invoice.status !== 'pending') {
    return act(
      `Fulfil the order or refund ${format(over)}.`,
      [
        `The complete amount of ${format(tally.inTime)} arrived on the chain before the invoice ${ended}, but the gateway did not count the invoice as paid.`,
        ...inexactWords,
        ...differenceWords,
      ],
      ['prepare-refund', 'mark-handled', 'fetch'],
    )
  }
  const since = tally.paidAt === null ? '' : ` for ${duration(Math.max(1000, now - tally.paidAt))}`
  return act(
    'Check with the gateway again.',
    [
      `The complete amount of ${format(tally.received)} has been on the chain${since}, but the gateway still reports pending.`,
      ...(inexactWords.length > 0
        ? inexactWords
        : ['If this does not change, the payment may not match what the gateway expects.']),
      'The chain is authoritative.',
    ],
    ['fetch', 'mark-handled', 'prepare-refund'],
  )
}

function onGatewayAhead({ invoice, tally, uncounted, format, missing }: Case): Advice {
  const none = uncounted.length > 0 ? 'only payments that do not count' : 'no payment'
  const found = tally.received === 0n ? none : `only ${format(tally.received)}`
  return act(
    `Find ${missing} before you ship the order.`,
    `The gateway reports the invoice as paid, but the chain shows ${found} up to that time: ${missing} of ${format(invoice.amount)} is missing. Check the payments without an invoice.`,
    ['find-payment', 'read-chain', 'mark-handled'],
  )
}

function onState(subject: Case): Advice {
  const { invoice, tally, format } = subject
  const { status, reported } = invoice
  if (subject.accepted) return advice('good', 'No action needed.', subject.acceptedWords, [])
  if (reported !== null && reported.status !== status) {
    return wait(
      'Wait for the gateway.',
      `A delivery reports the invoice as ${formatStatus(reported.status)}, but the gateway reports ${formatStatus(status)}. Tondesk is checking with the gateway.`,
      ['fetch'],
    )
  }
  if (status === 'pending') return onWaiting(subject)
  if (status === 'paid') return onPaid(subject)
  if (status === 'expired' || status === 'cancelled') return onEndedUnpaid(subject)
  const got =
    tally.received > 0n ? [`${format(tally.received)} was received for this invoice.`] : []
  return advice(
    'neutral',
    `Look up what ${formatStatus(status)} means.`,
    ['The gateway’s documentation does not describe this state.', ...got],
    ['fetch'],
  )
}

function onWaiting(subject: Case): Advice {
  const { invoice, tally, now, format, missing, uncountedWords, fittingWords } = subject
  if (subject.isNamed && tally.paidAt === null) {
    return act(
      'Check the payment that may be for this invoice.',
      [...fittingWords, ...uncountedWords],
      ['find-payment', 'share-link', 'cancel'],
    )
  }
  if (tally.paidAt !== null) {
    return wait(
      'Wait for the gateway to confirm the payment.',
      [
        `${format(tally.received)} is on the chain. The gateway usually confirms a payment within moments.`,
        ...subject.inexactWords,
      ],
      ['fetch'],
    )
  }
  const left = invoice.expiresAt - now
  if (left <= 0) {
    return wait(
      'Wait for the gateway to end the invoice.',
      [
        'The lifetime of the invoice is over, but the gateway does not report it as expired yet.',
        ...uncountedWords,
        ...fittingWords,
      ],
      ['fetch', 'issue-again'],
    )
  }
  return wait(
    'Send the link to the payer and wait.',
    [`${missing} is due within ${duration(left)}.`, ...uncountedWords, ...fittingWords],
    [...(fittingWords.length > 0 ? (['find-payment'] as const) : []), 'share-link', 'cancel'],
  )
}

function onPaid({ invoice, tally, format }: Case): Advice {
  if (tally.received < invoice.amount) {
    return advice(
      'good',
      'Sync the chain to confirm.',
      `The gateway reports that ${format(invoice.amount)} was paid. The chain is not synced up to the time of the payment yet.`,
      ['read-chain'],
    )
  }
  const afterMs = (tally.paidAt ?? 0) - invoice.createdAt
  const after = afterMs > 0 ? ` ${duration(afterMs)} after the invoice was created` : ''
  return advice(
    'good',
    'No action needed.',
    `${format(tally.received)} arrived${after}. This is the exact amount, and both gateway and chain confirm it.`,
    [],
  )
}

function onEndedUnpaid({ readTo, ended, fittingWords, uncountedWords }: Case): Advice {
  if (fittingWords.length > 0) {
    return act(
      'Check the payment that may be for this invoice.',
      [`The invoice ${ended}.`, ...fittingWords, ...uncountedWords],
      ['find-payment', 'issue-again'],
    )
  }
  const nothing = readTo === null ? 'No payment is known' : 'No payment was found'
  return advice(
    'neutral',
    'Reissue the invoice if the order is still valid.',
    uncountedWords.length > 0
      ? [`The invoice ${ended} without a payment that counts.`, ...uncountedWords]
      : `${nothing}, and the invoice ${ended}. You have to refund a payment that arrives now.`,
    ['issue-again'],
  )
}
