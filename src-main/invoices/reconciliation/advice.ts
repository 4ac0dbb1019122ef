/** Recommends the next step: the title says what to do or wait for, the text says why. Pure. */
import type { Advice, MatterKind } from '../../../src-preload/contract/invoice.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import {
  type ReconciledInvoice,
  type TallyPayment,
  endOf,
  overpaidBy,
  tallyOf,
} from './discrepancies.ts'
import { duration, money, stateWords } from './words.ts'

type AdvisedInvoice = ReconciledInvoice &
  Pick<StoredInvoice, 'payTo' | 'currency' | 'confirmedAt' | 'reported'>

type AdvisedPayment = TallyPayment & Pick<StoredPayment, 'certainty'>

export type UncountedPayment = Pick<StoredPayment, 'account' | 'currency' | 'amount'> & {
  readonly isHandled: boolean
}

export type AdviceInput = {
  readonly readTo: number | null
  readonly now: number
  readonly uncounted?: readonly UncountedPayment[]
  readonly fitting?: readonly Pick<StoredPayment, 'currency' | 'amount'>[]
}

type Case = ReturnType<typeof caseOf>

/** By urgency. */
const adviceByKind = {
  'gateway-ahead': onGatewayAhead,
  'chain-ahead': onChainAhead,
  'paid-late': onLate,
  'paid-after-cancel': onLate,
  overpaid: onOverpaid,
  partial: onPartial,
  'reported-differs': onReportedDiffers,
} as const

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

export function advise(
  invoice: AdvisedInvoice,
  payments: readonly AdvisedPayment[],
  discrepancies: readonly { readonly kind: MatterKind; readonly isHandled: boolean }[],
  input: AdviceInput,
): Advice {
  const inOrder = Object.keys(adviceByKind).flatMap((each) =>
    discrepancies.filter(({ kind }) => kind === each),
  )
  const open = inOrder.find(({ isHandled }) => !isHandled)
  if (open !== undefined) return adviseOn(open.kind, invoice, payments, input)
  if (invoice.confirmedAt === null) {
    return wait(
      'Do nothing before the gateway has confirmed it.',
      'Only a delivery reports this invoice. Anyone who knows the receiver URL can send such a delivery.',
      ['fetch'],
    )
  }
  const subject = caseOf(invoice, payments, input)
  if (subject.uncounted.some(({ isHandled }) => !isHandled)) return onUncountedOf(subject)
  if (inOrder.length === 0) return onState(subject)
  const words = [...new Set(inOrder.map(({ kind }) => handledWords[kind]))].join(' and ')
  return advice(
    invoice.status === 'paid' ? 'good' : 'neutral',
    'Nothing left to do.',
    [
      `You have marked ${words} as handled. It comes back by itself when there is more of it.`,
      ...subject.uncountedWords,
    ],
    [],
  )
}

export function adviseOn(
  kind: MatterKind,
  invoice: AdvisedInvoice,
  payments: readonly AdvisedPayment[],
  input: AdviceInput,
): Advice {
  if (kind === 'unmatched') return onUnmatched('', [])
  const subject = caseOf(invoice, payments, input)
  const found = adviceByKind[kind](subject)
  const isGuess = kind !== 'reported-differs' && payments.some((each) => each.certainty === 'guess')
  const guess = isGuess ? ['One of its payments is linked by a guess: look at it first.'] : []
  return { ...found, text: [found.text, ...guess, ...subject.uncountedWords].join(' ') }
}

export function describeDiscrepancy(kind: MatterKind): string {
  return handledWords[kind]
}

export function onUnmatched(paid: string, evidence: readonly string[]): Advice {
  return act(
    `Link ${paid} to its invoice or refund it.`,
    ['It matches no known invoice.', ...evidence.slice(0, 3)],
    ['find-payment', 'prepare-refund', 'mark-handled'],
  )
}

export function onUncounted(
  payment: Pick<StoredPayment, 'account' | 'currency' | 'amount'>,
  invoice: Pick<StoredInvoice, 'id' | 'payTo' | 'currency' | 'amount'>,
): Advice {
  const much = money(payment.amount, payment.currency)
  const isLinkable = payment.currency === invoice.currency
  return act(
    `Refund ${much}.`,
    `${much} came for invoice ${invoice.id} and is not counted: ${whyUncounted(payment, invoice)}`,
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
  const format = (units: bigint) => money(units, currency)
  const spent = status === 'paid' ? amount : 0n
  const byChain = tally.received > spent ? tally.received - spent : 0n
  const [first] = fitting
  return {
    ...{ ...chain, uncounted, invoice, tally, format },
    over: overpaidBy(invoice, tally),
    missing: format(amount - tally.received),
    ended: status === 'cancelled' ? 'was cancelled' : 'expired',
    uncountedWords: describeUncounted(invoice, uncounted),
    fittingWords:
      first === undefined
        ? []
        : [
            `${fitting.length === 1 ? 'A payment' : `${fitting.length} payments`} of ${format(first.amount)} came to its address in its time, exactly what it asks for, and names no invoice: it may be for this one.`,
          ],
    differenceWords:
      input.readTo === null || byChain === overpayment
        ? []
        : [
            `The gateway counts ${format(overpayment)} as overpayment, the chain shows ${format(byChain)}.`,
          ],
  }
}

function describeUncounted(
  invoice: AdvisedInvoice,
  uncounted: readonly UncountedPayment[],
): string[] {
  const [first] = uncounted
  if (first === undefined) return []
  const came = `${formatSums(uncounted)} also came for it and is not counted`
  return uncounted.every(({ isHandled }) => isHandled)
    ? [`${came}, which you have marked as handled.`]
    : [`${came}: ${whyUncounted(first, invoice)}`]
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

function formatSums(payments: readonly Pick<StoredPayment, 'currency' | 'amount'>[]): string {
  return [...Map.groupBy(payments, ({ currency }) => currency)]
    .map(([currency, all]) =>
      money(
        all.reduce((sum, { amount }) => sum + amount, 0n),
        currency,
      ),
    )
    .join(' and ')
}

function onUncountedOf({ invoice, tally, now, uncounted, missing, ended }: Case): Advice {
  const open = uncounted.filter(({ isHandled }) => !isHandled)
  const much = formatSums(open)
  const why = open.slice(0, 1).map((payment) => whyUncounted(payment, invoice))
  const isOpen = invoice.status === 'pending' && invoice.expiresAt > now && tally.paidAt === null
  const isEnded = invoice.status === 'expired' || invoice.status === 'cancelled'
  const state = isOpen
    ? `The invoice still waits for ${missing}.`
    : `The invoice ${isEnded ? ended : `is ${stateWords(invoice.status)}`}.`
  return act(
    `Refund ${much}.`,
    [`${much} came for this invoice and is not counted:`, ...why, state],
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
    'Ask the gateway again, and go by what it says.',
    `A delivery reports another state than the gateway, which says ${stateWords(invoice.status)}. Anyone who knows the receiver URL can send such a delivery.`,
    ['fetch', 'mark-handled'],
  )
}

function onOverpaid({ invoice, tally, format, over, differenceWords }: Case): Advice {
  const paid =
    tally.received > invoice.amount
      ? `${format(tally.received)} came for an invoice of ${format(invoice.amount)}, which is paid.`
      : `The invoice of ${format(invoice.amount)} is paid, and the gateway counts the rest as overpayment.`
  return act(
    `Refund ${format(over)}.`,
    [paid, ...differenceWords],
    ['prepare-refund', 'mark-handled'],
  )
}

function onLate({ invoice, tally, format, over, ended, differenceWords }: Case): Advice {
  const { firstLateAt, inTime, late, received } = tally
  const came =
    inTime > 0n ? `${format(inTime)} of it came in time, ${format(late)} came` : 'The payment came'
  const after =
    firstLateAt === null
      ? 'It came'
      : `${came} ${duration(Math.max(1000, firstLateAt - endOf(invoice)))}`
  return act(
    `Refund ${format(over)}${over >= invoice.amount ? ' or fulfil the order' : ''}.`,
    [
      `${after} after the invoice ${ended}, so the gateway counts all of it as overpayment and leaves the state as it is.`,
      ...differenceWords,
    ],
    ['prepare-refund', 'mark-handled', ...(received === 0n ? (['read-chain'] as const) : [])],
  )
}

function onPartial({ invoice, tally, now, format, over, missing, differenceWords }: Case): Advice {
  const asked = format(invoice.amount)
  if (invoice.status !== 'pending') {
    const isCancelled = invoice.status === 'cancelled'
    return act(
      `Refund ${format(over)}.`,
      [
        `${format(over)} came, less than the ${asked} that were asked, ${isCancelled ? 'and the invoice was cancelled, so' : 'so the invoice expired and'} the gateway counts all of it as overpayment.`,
        ...differenceWords,
      ],
      ['prepare-refund', 'mark-handled', 'issue-again'],
    )
  }
  const left = invoice.expiresAt - now
  const came = `${format(tally.received)} of ${asked} has come`
  return left > 0
    ? act(
        `Ask the payer for another ${missing}.`,
        `${came}. The rest is to come exactly, in the same way as before, within ${duration(left)}; otherwise all of it is to be refunded.`,
        ['share-link', 'cancel', 'mark-handled'],
      )
    : act(
        'Ask the gateway again.',
        `${came}, ${missing} is missing, and its time is over. The gateway has yet to say so.`,
        ['fetch', 'mark-handled'],
      )
}

function onChainAhead({ invoice, tally, now, format, over, ended, differenceWords }: Case): Advice {
  if (invoice.status !== 'pending') {
    return act(
      `Fulfil the order or refund ${format(over)}.`,
      [
        `The chain shows ${format(tally.inTime)} before the invoice ${ended}, all that was asked, and the gateway did not take it as paid.`,
        ...differenceWords,
      ],
      ['prepare-refund', 'mark-handled', 'fetch'],
    )
  }
  const since = tally.paidAt === null ? '' : ` for ${duration(Math.max(1000, now - tally.paidAt))}`
  return act(
    'Ask the gateway again.',
    `${format(tally.received)} has been on the chain${since}, all that was asked, and the gateway still says pending. If it stays so, the payment may not be as it expects, and the chain is what counts.`,
    ['fetch', 'mark-handled', 'prepare-refund'],
  )
}

function onGatewayAhead({ invoice, tally, uncounted, format, missing }: Case): Advice {
  const none = uncounted.length > 0 ? 'none that counts' : 'no payment of it'
  const found = tally.received === 0n ? none : `${format(tally.received)} of it`
  return act(
    `Find ${missing} before the order goes out.`,
    `The gateway says paid, and the chain, read beyond that moment, shows ${found}: ${missing} of ${format(invoice.amount)} is not found. It may be among the payments that belong to no invoice.`,
    ['find-payment', 'read-chain', 'mark-handled'],
  )
}

function onState(subject: Case): Advice {
  const { invoice, tally, format } = subject
  const { status, reported } = invoice
  if (reported !== null && reported.status !== status) {
    return wait(
      'Wait for the gateway’s word.',
      `A delivery says ${stateWords(reported.status)}; the gateway, which says ${stateWords(status)}, is being asked.`,
      ['fetch'],
    )
  }
  if (status === 'pending') return onWaiting(subject)
  if (status === 'paid') return onPaid(subject)
  if (status === 'expired' || status === 'cancelled') return onEndedUnpaid(subject)
  const got = tally.received > 0n ? [`${format(tally.received)} was received for it.`] : []
  return advice(
    'neutral',
    `Look up what ${stateWords(status)} means.`,
    ['The gateway’s documents do not name this state.', ...got],
    ['fetch'],
  )
}

function onWaiting({ invoice, tally, now, format, uncountedWords, fittingWords }: Case): Advice {
  if (tally.paidAt !== null) {
    return wait(
      'Wait for the gateway to confirm it.',
      `${format(tally.received)} is on the chain. The gateway says so in a moment as a rule.`,
      ['fetch'],
    )
  }
  const left = invoice.expiresAt - now
  if (left <= 0) {
    return wait(
      'Wait for the gateway to end it.',
      [
        'Its time is over, and the gateway has yet to say that it has expired.',
        ...uncountedWords,
        ...fittingWords,
      ],
      ['fetch', 'issue-again'],
    )
  }
  return wait(
    'Give the payer the link, and wait.',
    [
      `${format(invoice.amount)} is to come within ${duration(left)}.`,
      ...uncountedWords,
      ...fittingWords,
    ],
    [...(fittingWords.length > 0 ? (['find-payment'] as const) : []), 'share-link', 'cancel'],
  )
}

function onPaid({ invoice, tally, format }: Case): Advice {
  if (tally.received < invoice.amount) {
    return advice(
      'good',
      'Read the chain to be sure.',
      `The gateway says that ${format(invoice.amount)} was paid. The chain was not read so far yet.`,
      ['read-chain'],
    )
  }
  const afterMs = (tally.paidAt ?? 0) - invoice.createdAt
  const after = afterMs > 0 ? `, ${duration(afterMs)} after it was created` : ''
  return advice(
    'good',
    'Nothing left to do.',
    `${format(tally.received)} came${after}: paid exactly, as gateway and chain say.`,
    [],
  )
}

function onEndedUnpaid({ readTo, ended, fittingWords, uncountedWords }: Case): Advice {
  if (fittingWords.length > 0) {
    return act(
      'Look at the payment that may be for it.',
      [`The invoice ${ended}.`, ...fittingWords, ...uncountedWords],
      ['find-payment', 'issue-again'],
    )
  }
  const nothing = readTo === null ? 'No payment of it is known' : 'No payment of it was found'
  return advice(
    'neutral',
    'Reissue if the order is still valid.',
    uncountedWords.length > 0
      ? [`The invoice ${ended} without a payment that counts.`, ...uncountedWords]
      : `${nothing}, and it ${ended}. A payment to it from now on would have to be refunded.`,
    ['issue-again'],
  )
}
