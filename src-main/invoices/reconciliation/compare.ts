/** Compares one invoice with the chain for a period and describes the differences. */
import type { ReconciliationRow } from '../../../src-preload/contract/discrepancy.ts'
import { acceptedOf, describeAccepted } from '../../../src-preload/contract/invoice-money.ts'
import { formatMoney } from '../../../src-preload/domain/amount.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'

/** `from` is inclusive, `to` is exclusive. */
export type Span = { readonly from: number; readonly to: number }

type ClosedInvoice = Pick<
  StoredInvoice,
  'id' | 'status' | 'currency' | 'amount' | 'overpayment' | 'changedAt' | 'paidBy'
> &
  Partial<Pick<StoredInvoice, 'tolerance'>>

type ClosedPayment = Pick<StoredPayment, 'at' | 'amount' | 'payer'>

type Difference = ReconciliationRow['difference']

export const isWithin = (at: number, { from, to }: Span): boolean => at >= from && at < to

export const isPaidIn = ({ status, changedAt }: ClosedInvoice, span: Span): boolean =>
  status === 'paid' && isWithin(changedAt, span)

export function differenceOf(
  invoice: ClosedInvoice,
  payments: readonly ClosedPayment[],
  span: Span,
): {
  readonly difference: Difference
  readonly text: string
  /** The invoice's part of the difference between chain and gateway in the period. */
  readonly units: bigint
  readonly overpayment: bigint
} {
  const isPaid = isPaidIn(invoice, span)
  const over = overpaymentIn(invoice, payments, span)
  const here = sum(payments.filter(({ at }) => isWithin(at, span)))
  const units = here - over - (isPaid ? invoice.amount : 0n)
  return { ...findingOf(invoice, payments, span), units, overpayment: over }
}

function findingOf(invoice: ClosedInvoice, payments: readonly ClosedPayment[], span: Span) {
  const { id, status, currency, amount, overpayment, paidBy } = invoice
  const print = (units: bigint) => formatMoney(units, currency)
  const received = sum(payments)
  if (!isPaidIn(invoice, span)) {
    const here = `${print(sum(payments.filter(({ at }) => isWithin(at, span))))} arrived in this period for invoice ${id}`
    if (status === 'paid') {
      return finding('other-period', `${here}, which was paid in another period.`)
    }
    const over = overpaymentIn(invoice, payments, span)
    const counted = over > 0n ? ` The gateway counts ${print(over)} as overpayment.` : ''
    const short = acceptedOf(invoice.tolerance ?? null, status, { amount, received })
    if (short !== null) {
      const words = describeAccepted({ accepted: short, currency })
      return finding('accepted', `${here}: ${words}. The gateway reports ${status}.${counted}`)
    }
    return finding(
      received < amount ? 'payment-less' : 'not-paid',
      `${here}, which is ${status}.${counted}`,
    )
  }
  const expected = amount + overpayment
  if (payments.length === 0) {
    return finding(
      'no-payment',
      `The gateway reports ${print(expected)} for paid invoice ${id}, but no payment was found.`,
    )
  }
  if (received !== expected) {
    const words = `The chain shows ${print(received)} for invoice ${id}, but the gateway reports ${print(expected)}.`
    return finding(received < expected ? 'payment-less' : 'payment-more', words)
  }
  if (payments.some(({ at }) => !isWithin(at, span))) {
    const outside = print(sum(payments.filter(({ at }) => !isWithin(at, span))))
    return finding('other-period', `${outside} for invoice ${id} arrived in another period.`)
  }
  if (paidBy !== null && !payments.some(({ payer }) => payer === paidBy)) {
    return finding('other-payer', `The gateway reports a different payer for invoice ${id}.`)
  }
  const more = overpayment > 0n ? `, ${print(overpayment)} more than requested` : ''
  return finding(null, `Gateway and chain show ${print(received)} for invoice ${id}${more}.`)
}

const finding = (difference: Difference, text: string) => ({ difference, text })

/**
 * The part of the gateway's overpayment that belongs to payments within the period, as the chain shows it;
 * a difference to the gateway's total goes to the last payment.
 */
function overpaymentIn(
  invoice: ClosedInvoice,
  payments: readonly ClosedPayment[],
  span: Span,
): bigint {
  const { status, amount, overpayment, changedAt } = invoice
  const last = payments.at(-1)
  if (last === undefined) return isWithin(changedAt, span) ? overpayment : 0n
  let left = status === 'expired' || status === 'cancelled' ? 0n : amount
  let over = 0n
  let within = 0n
  for (const payment of payments) {
    const spent = payment.amount < left ? payment.amount : left
    left -= spent
    over += payment.amount - spent
    if (isWithin(payment.at, span)) within += payment.amount - spent
  }
  return within + (isWithin(last.at, span) ? overpayment - over : 0n)
}

const sum = (payments: readonly Pick<ClosedPayment, 'amount'>[]): bigint =>
  payments.reduce((total, { amount }) => total + amount, 0n)
