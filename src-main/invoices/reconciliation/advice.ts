/** Recommends the next step: the title says what to do or wait for, the text says why. Pure. */
import type { Advice, InvoiceCurrency, MatterKind } from '../../../src-preload/contract/invoice.ts'
import type { Payment } from '../../../src-preload/contract/payment.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import { duration, money, stateWords } from './words.ts'
import { overpaidBy, type Tally, type TallyPayment, endOf, tallyOf } from './discrepancies.ts'

type AdvisedInvoice = Pick<
  StoredInvoice,
  | 'payTo'
  | 'status'
  | 'currency'
  | 'amount'
  | 'overpayment'
  | 'createdAt'
  | 'expiresAt'
  | 'changedAt'
  | 'confirmedAt'
  | 'reported'
>

type AdvisedDiscrepancy = { readonly kind: MatterKind; readonly isHandled: boolean }

export type UncountedPayment = Pick<StoredPayment, 'account' | 'currency' | 'amount'> & {
  readonly isHandled: boolean
}

export type Known = {
  readonly readTo: number | null
  readonly now: number
  readonly uncounted?: readonly UncountedPayment[]
  readonly fitting?: readonly Pick<StoredPayment, 'currency' | 'amount'>[]
}

type Case = Known & {
  readonly invoice: AdvisedInvoice
  readonly tally: Tally
  readonly isGuess: boolean
  readonly money: (units: bigint) => string
}

const order: readonly MatterKind[] = [
  'gateway-ahead',
  'chain-ahead',
  'paid-late',
  'paid-after-cancel',
  'overpaid',
  'partial',
  'reported-differs',
]

export function advise(
  invoice: AdvisedInvoice,
  payments: readonly (TallyPayment & { readonly certainty: Payment['certainty'] })[],
  matters: readonly AdvisedDiscrepancy[],
  known: Known,
): Advice {
  const kind = order.find((each) =>
    matters.some((discrepancy) => discrepancy.kind === each && !discrepancy.isHandled),
  )
  const subject = caseOf(invoice, payments, known)
  if (kind !== undefined) return adviseOn(kind, invoice, payments, known)
  const handled = order.filter((each) => matters.some((discrepancy) => discrepancy.kind === each))
  if (invoice.confirmedAt === null) return onReportOnly
  const open = (known.uncounted ?? []).filter(({ isHandled }) => !isHandled)
  const [first] = open
  if (first !== undefined) return onUncountedOf(subject, first, open)
  return handled.length > 0 ? onHandled(subject, handled) : onState(subject)
}

export function adviseOn(
  kind: Exclude<MatterKind, 'unmatched'> | MatterKind,
  invoice: AdvisedInvoice,
  payments: readonly (TallyPayment & { readonly certainty: Payment['certainty'] })[],
  known: Known,
): Advice {
  const subject = caseOf(invoice, payments, known)
  const advice = adviseOnDiscrepancy(kind, subject)
  const isGuess = subject.isGuess && kind !== 'reported-differs'
  const guess = isGuess ? ['One of its payments is linked by a guess: look at it first.'] : []
  return { ...advice, text: [advice.text, ...guess, ...uncountedWords(subject)].join(' ') }
}

function caseOf(
  invoice: AdvisedInvoice,
  payments: readonly (TallyPayment & { readonly certainty: Payment['certainty'] })[],
  known: Known,
): Case {
  return {
    ...known,
    invoice,
    tally: tallyOf(invoice, payments),
    isGuess: payments.some(({ certainty }) => certainty === 'guess'),
    money: (units) => money(units, invoice.currency),
  }
}

function adviseOnDiscrepancy(kind: MatterKind, subject: Case): Advice {
  switch (kind) {
    case 'overpaid':
      return onOverpaid(subject)
    case 'paid-late':
    case 'paid-after-cancel':
      return onLate(kind, subject)
    case 'partial':
      return subject.invoice.status === 'pending' ? onPartWaiting(subject) : onPartEnded(subject)
    case 'chain-ahead':
      return subject.invoice.status === 'pending' ? onChainAhead(subject) : onMissedInTime(subject)
    case 'gateway-ahead':
      return onGatewayAhead(subject)
    case 'reported-differs':
      return {
        tone: 'act',
        title: 'Ask the gateway again, and go by what it says.',
        text: `A webhook told of another state than the gateway does, which says ${stateWords(subject.invoice.status)}. Anybody who knows the receiver’s address can have sent it.`,
        acts: ['fetch', 'mark-handled'],
      }
    case 'unmatched':
      return onUnmatched('', [])
  }
}

export function onUnmatched(paid: string, evidence: readonly string[]): Advice {
  return {
    tone: 'act',
    title: `Link ${paid} to its invoice or return it.`,
    text: ['It belongs to no invoice that is known.', ...evidence.slice(0, 3)].join(' '),
    acts: ['find-payment', 'prepare-refund', 'mark-handled'],
  }
}

export function onUncounted(
  payment: Pick<StoredPayment, 'account' | 'currency' | 'amount'>,
  invoice: Pick<StoredInvoice, 'id' | 'payTo' | 'currency' | 'amount'>,
): Advice {
  const much = money(payment.amount, payment.currency)
  return {
    tone: 'act',
    title: `Return ${much}.`,
    text: `${much} came for invoice ${invoice.id} and is not counted: ${whyUncounted(payment, invoice)}`,
    acts:
      payment.currency === invoice.currency
        ? ['find-payment', 'prepare-refund', 'mark-handled']
        : ['prepare-refund', 'mark-handled'],
  }
}

function whyUncounted(
  payment: Pick<StoredPayment, 'account' | 'currency'>,
  invoice: Pick<StoredInvoice, 'payTo' | 'currency' | 'amount'>,
): string {
  if (payment.currency !== invoice.currency) {
    return `the invoice asks for ${money(invoice.amount, invoice.currency)}.`
  }
  return payment.account === invoice.payTo
    ? 'the comment that the invoice asks for is missing.'
    : 'it came to another address than the invoice names.'
}

function sumsOf(payments: readonly Pick<StoredPayment, 'currency' | 'amount'>[]): string {
  const sums = new Map<InvoiceCurrency, bigint>()
  for (const { currency, amount } of payments) {
    sums.set(currency, (sums.get(currency) ?? 0n) + amount)
  }
  return [...sums].map(([currency, units]) => money(units, currency)).join(' and ')
}

function uncountedWords({ invoice, uncounted = [] }: Case): string[] {
  const [first] = uncounted
  if (first === undefined) return []
  const isHandled = uncounted.every((payment) => payment.isHandled)
  return [
    `${sumsOf(uncounted)} also came for it and is not counted${isHandled ? ', which you have marked as handled.' : `: ${whyUncounted(first, invoice)}`}`,
  ]
}

function onUncountedOf(
  subject: Case,
  first: UncountedPayment,
  open: readonly UncountedPayment[],
): Advice {
  const { invoice, tally, now } = subject
  const much = sumsOf(open)
  const isOpen = invoice.status === 'pending' && invoice.expiresAt > now && tally.paidAt === null
  const state = isOpen
    ? `The invoice still waits for ${subject.money(invoice.amount - tally.received)}.`
    : invoice.status === 'expired'
      ? 'The invoice expired.'
      : invoice.status === 'cancelled'
        ? 'The invoice was cancelled.'
        : `The invoice is ${stateWords(invoice.status)}.`
  return {
    tone: 'act',
    title: `Return ${much}.`,
    text: `${much} came for this invoice and is not counted: ${whyUncounted(first, invoice)} ${state}`,
    acts: [
      'prepare-refund',
      'mark-handled',
      ...(isOpen ? (['share-link', 'cancel'] as const) : []),
      ...(invoice.status === 'expired' || invoice.status === 'cancelled'
        ? (['issue-again'] as const)
        : []),
    ],
  }
}

function onOverpaid(subject: Case): Advice {
  const { invoice, tally } = subject
  const over = overpaidBy(invoice, tally)
  const known =
    tally.received > invoice.amount
      ? `${subject.money(tally.received)} came for an invoice of ${subject.money(invoice.amount)}, which is paid.`
      : `The invoice of ${subject.money(invoice.amount)} is paid, and the gateway counts the rest as overpayment.`
  return {
    tone: 'act',
    title: `Return ${subject.money(over)}.`,
    text: [known, ...differenceOf(subject)].join(' '),
    acts: ['prepare-refund', 'mark-handled'],
  }
}

function onLate(kind: 'paid-late' | 'paid-after-cancel', subject: Case): Advice {
  const { invoice, tally } = subject
  const over = subject.money(overpaidBy(invoice, tally))
  const isWhole = overpaidBy(invoice, tally) >= invoice.amount
  const ended = kind === 'paid-late' ? 'expired' : 'was cancelled'
  const rule = 'so the gateway counts all of it as overpayment and leaves the state as it is.'
  const text =
    tally.firstLateAt === null
      ? `It came after the invoice ${ended}, ${rule}`
      : `${partsOf(subject)} ${lateness(tally.firstLateAt, invoice)} after the invoice ${ended}, ${rule}`
  return {
    tone: 'act',
    title: `Return ${over}${isWhole ? ' or honour the order' : ''}.`,
    text: [text, ...differenceOf(subject)].join(' '),
    acts: [
      'prepare-refund',
      'mark-handled',
      ...(tally.received === 0n ? (['read-chain'] as const) : []),
    ],
  }
}

function partsOf({ tally, money: print }: Case): string {
  return tally.inTime > 0n
    ? `${print(tally.inTime)} of it came in time, ${print(tally.late)} came`
    : 'The payment came'
}

function lateness(at: number, invoice: AdvisedInvoice): string {
  return duration(Math.max(1000, at - endOf(invoice)))
}

function onPartWaiting(subject: Case): Advice {
  const { invoice, tally, now } = subject
  const missing = subject.money(invoice.amount - tally.received)
  const left = invoice.expiresAt - now
  const isOpen = left > 0
  const come = `${subject.money(tally.received)} of ${subject.money(invoice.amount)} has come`
  return {
    tone: 'act',
    title: isOpen ? `Ask the payer for another ${missing}.` : 'Ask the gateway again.',
    text: isOpen
      ? `${come}. The rest is to come exactly, in the same way as before, within ${duration(left)}; otherwise all of it is to be returned.`
      : `${come}, ${missing} is missing, and its time is over. The gateway has yet to say so.`,
    acts: isOpen ? ['share-link', 'cancel', 'mark-handled'] : ['fetch', 'mark-handled'],
  }
}

function onPartEnded(subject: Case): Advice {
  const { invoice, tally } = subject
  const over = subject.money(overpaidBy(invoice, tally))
  const isCancelled = invoice.status === 'cancelled'
  const text = [
    `${over} came, less than the ${subject.money(invoice.amount)} that were asked, ${isCancelled ? 'and the invoice was cancelled, so' : 'so the invoice expired and'} the gateway counts all of it as overpayment.`,
    ...differenceOf(subject),
  ]
  return {
    tone: 'act',
    title: `Return ${over}.`,
    text: text.join(' '),
    acts: ['prepare-refund', 'mark-handled', 'issue-again'],
  }
}

function onChainAhead({ tally, now, money: print }: Case): Advice {
  const since = tally.paidAt === null ? '' : ` for ${duration(Math.max(1000, now - tally.paidAt))}`
  return {
    tone: 'act',
    title: 'Ask the gateway again.',
    text: `${print(tally.received)} has been on the chain${since}, all that was asked, and the gateway still says pending. If it stays so, the payment may not be as it expects, and the chain is what counts.`,
    acts: ['fetch', 'mark-handled', 'prepare-refund'],
  }
}

function onMissedInTime(subject: Case): Advice {
  const { invoice, tally } = subject
  const ended = invoice.status === 'cancelled' ? 'was cancelled' : 'expired'
  return {
    tone: 'act',
    title: `Honour the order or return ${subject.money(overpaidBy(invoice, tally))}.`,
    text: [
      `The chain shows ${subject.money(tally.inTime)} before the invoice ${ended}, all that was asked, and the gateway did not take it as paid.`,
      ...differenceOf(subject),
    ].join(' '),
    acts: ['prepare-refund', 'mark-handled', 'fetch'],
  }
}

function onGatewayAhead(subject: Case): Advice {
  const { invoice, tally, uncounted = [] } = subject
  const missing = subject.money(invoice.amount - tally.received)
  const found =
    tally.received === 0n
      ? uncounted.length > 0
        ? 'shows none that counts'
        : 'shows no payment of it'
      : `shows ${subject.money(tally.received)} of it`
  return {
    tone: 'act',
    title: `Find ${missing} before the order goes out.`,
    text: `The gateway says paid, and the chain, read beyond that moment, ${found}: ${missing} of ${subject.money(invoice.amount)} is not found. It may be among the payments that belong to no invoice.`,
    acts: ['find-payment', 'read-chain', 'mark-handled'],
  }
}

function differenceOf({ invoice, tally, readTo, money: print }: Case): string[] {
  const spent = invoice.status === 'paid' ? invoice.amount : 0n
  const byChain = tally.received > spent ? tally.received - spent : 0n
  if (readTo === null || byChain === invoice.overpayment) return []
  return [
    `The gateway counts ${print(invoice.overpayment)} as overpayment, the chain shows ${print(byChain)}.`,
  ]
}

const onReportOnly: Advice = {
  tone: 'wait',
  title: 'Do nothing before the gateway has confirmed it.',
  text: 'Only a delivery has told of this invoice, and anybody who knows the receiver’s address can have sent it.',
  acts: ['fetch'],
}

const handledWords: Readonly<Record<MatterKind, string>> = {
  overpaid: 'the overpayment',
  'paid-late': 'the late payment',
  'paid-after-cancel': 'the payment after it was cancelled',
  partial: 'the payment in part',
  'chain-ahead': 'the payment the gateway did not count',
  'gateway-ahead': 'the payment that was not found',
  'reported-differs': 'the delivery that said otherwise',
  unmatched: 'the payment without an invoice',
}

export function describeDiscrepancy(kind: MatterKind): string {
  return handledWords[kind]
}

function onHandled(subject: Case, kinds: readonly MatterKind[]): Advice {
  const words = kinds.map(describeDiscrepancy).join(' and ')
  const isPaid = subject.invoice.status === 'paid'
  return {
    tone: isPaid ? 'good' : 'neutral',
    title: 'Nothing left to do.',
    text: [
      `You have marked ${words} as handled. It comes back by itself when there is more of it.`,
      ...uncountedWords(subject),
    ].join(' '),
    acts: [],
  }
}

function onState(subject: Case): Advice {
  const { invoice } = subject
  if (invoice.reported !== null && invoice.reported.status !== invoice.status) {
    return {
      tone: 'wait',
      title: 'Wait for the gateway’s word.',
      text: `A delivery says ${stateWords(invoice.reported.status)}; the gateway, which says ${stateWords(invoice.status)}, is being asked.`,
      acts: ['fetch'],
    }
  }
  switch (invoice.status) {
    case 'pending':
      return onWaiting(subject)
    case 'paid':
      return onPaid(subject)
    case 'expired':
    case 'cancelled':
      return onEndedUnpaid(subject)
    default:
      return onUnknown(subject)
  }
}

function onWaiting(subject: Case): Advice {
  const { invoice, tally, now } = subject
  if (tally.paidAt !== null) {
    return {
      tone: 'wait',
      title: 'Wait for the gateway to confirm it.',
      text: `${subject.money(tally.received)} is on the chain. The gateway says so in a moment as a rule.`,
      acts: ['fetch'],
    }
  }
  const left = invoice.expiresAt - now
  return left > 0
    ? {
        tone: 'wait',
        title: 'Give the payer the link, and wait.',
        text: [
          `${subject.money(invoice.amount)} is to come within ${duration(left)}.`,
          ...uncountedWords(subject),
          ...fittingWords(subject),
        ].join(' '),
        acts: [
          ...(fittingWords(subject).length > 0 ? (['find-payment'] as const) : []),
          'share-link',
          'cancel',
        ],
      }
    : {
        tone: 'wait',
        title: 'Wait for the gateway to end it.',
        text: [
          'Its time is over, and the gateway has yet to say that it has expired.',
          ...uncountedWords(subject),
          ...fittingWords(subject),
        ].join(' '),
        acts: ['fetch', 'issue-again'],
      }
}

function onPaid(subject: Case): Advice {
  const { invoice, tally } = subject
  if (tally.received >= invoice.amount) {
    const after =
      tally.paidAt === null || tally.paidAt <= invoice.createdAt
        ? ''
        : `, ${duration(tally.paidAt - invoice.createdAt)} after it was created`
    return {
      tone: 'good',
      title: 'Nothing left to do.',
      text: `${subject.money(tally.received)} came${after}: paid exactly, as gateway and chain say.`,
      acts: [],
    }
  }
  return {
    tone: 'good',
    title: 'Read the chain to be sure.',
    text: `The gateway says that ${subject.money(invoice.amount)} was paid. The chain was not read so far yet.`,
    acts: ['read-chain'],
  }
}

function fittingWords({ fitting = [], money: print }: Case): string[] {
  const [first] = fitting
  if (first === undefined) return []
  const what =
    fitting.length === 1
      ? `A payment of ${print(first.amount)} came`
      : `${fitting.length} payments of ${print(first.amount)} came`
  return [
    `${what} to its address in its time, exactly what it asks for, and names no invoice: it may be for this one.`,
  ]
}

function onEndedUnpaid(subject: Case): Advice {
  const { invoice, readTo } = subject
  const ended = invoice.status === 'cancelled' ? 'was cancelled' : 'expired'
  const fitting = fittingWords(subject)
  if (fitting.length > 0) {
    return {
      tone: 'act',
      title: 'Look at the payment that may be for it.',
      text: [`The invoice ${ended}.`, ...fitting, ...uncountedWords(subject)].join(' '),
      acts: ['find-payment', 'issue-again'],
    }
  }
  const uncounted = uncountedWords(subject)
  if (uncounted.length > 0) {
    return {
      tone: 'neutral',
      title: 'Issue it again if the order still stands.',
      text: [`The invoice ${ended} without a payment that counts.`, ...uncounted].join(' '),
      acts: ['issue-again'],
    }
  }
  const nothing = readTo === null ? 'No payment of it is known' : 'No payment of it was found'
  return {
    tone: 'neutral',
    title: 'Issue it again if the order still stands.',
    text: `${nothing}, and it ${ended}. What is paid to this one from now on would have to be returned.`,
    acts: ['issue-again'],
  }
}

function onUnknown({ invoice, tally, money: print }: Case): Advice {
  const got = tally.received > 0n ? ` ${print(tally.received)} was received for it.` : ''
  return {
    tone: 'neutral',
    title: `Look up what ${stateWords(invoice.status)} means.`,
    text: `The gateway’s documents do not name this state.${got}`,
    acts: ['fetch'],
  }
}
