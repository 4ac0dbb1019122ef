/**
 * Calculates the amounts received for an invoice, still due, and to be returned. Every page, file
 * and command uses these amounts and the sentence about them.
 */
import { formatMoney } from '../domain/amount.ts'
import type { CaptureRow } from './capture.ts'
import type { Invoice, DiscrepancyKind } from './invoice.ts'

export type InvoiceAmounts = Pick<
  Invoice,
  | 'status'
  | 'currency'
  | 'amount'
  | 'received'
  | 'overpayment'
  | 'refunded'
  | 'uncounted'
  | 'matters'
> &
  Partial<Pick<Invoice, 'accepted' | 'together'>>

/** Kinds of discrepancies whose amount must be returned once the invoice has ended. */
const returnKinds: readonly DiscrepancyKind[] = [
  'overpaid',
  'paid-late',
  'paid-after-cancel',
  'partial',
  'chain-ahead',
]

export function moneyOf(invoice: InvoiceAmounts) {
  const { matters, accepted = null, together = null } = invoice
  const { status, ...whole } = together ?? invoice
  const [amount, overpayment] = [BigInt(whole.amount), BigInt(whole.overpayment)]
  const received = invoice.received === null ? null : BigInt(invoice.received)
  const came = BigInt(whole.received ?? 0)
  const isPending = status === 'pending'
  const isSettled = status === 'paid' || accepted !== null
  // The last of several invoices that count together has the amounts of all.
  const isCounted = together === null || together.isLast
  const byChain = isSettled ? max(came - amount, 0n) : isEnded(status) ? came : 0n
  const byGateway = accepted === null ? overpayment : max(overpayment - amount, 0n)
  const excess = isCounted ? max(byChain, byGateway) : 0n
  const isToReturn = excess > 0n && matters.some((kind) => returnKinds.includes(kind))
  return {
    /** Null until the chain has been read. */
    received,
    /** 0 unless the invoice is pending. */
    due: isPending && !isSettled && isCounted ? max(amount - came, 0n) : 0n,
    /** The amount beyond the invoice. If gateway and chain differ, the larger amount counts. */
    excess,
    /** True until the user marks the excess as handled. */
    isToReturn,
    refunded: BigInt(invoice.refunded),
    /** The amount left to refund; 0 once the user has marked the excess as handled. */
    toReturn: isToReturn ? max(excess - BigInt(whole.refunded), 0n) : 0n,
    /** Payments that name this invoice but have another asset or address, so they do not count. */
    uncounted: invoice.uncounted.map(({ currency, amount: units }) => ({
      currency,
      units: BigInt(units),
    })),
  }
}

export function describeMoney(invoice: InvoiceAmounts): string {
  const { status, currency } = invoice
  const { received, due, excess, isToReturn, refunded, toReturn } = moneyOf(invoice)
  const print = (units: bigint) => formatMoney(units, currency)
  const came = received ?? 0n
  const isPart = due > 0n && came > 0n
  const parts = [
    came > 0n
      ? `${print(came)} received${isPart ? ` of ${print(BigInt(invoice.amount))}, ${print(due)} due` : ''}`
      : null,
    excess === 0n
      ? null
      : toReturn > 0n || !isToReturn
        ? `${print(isToReturn ? toReturn : excess)} ${isToReturn ? 'to return' : status === 'pending' ? 'counted as overpayment' : 'overpaid, marked as handled'}`
        : null,
    refunded === 0n ? null : `${print(refunded)} refunded`,
    ...describeExceptions(invoice),
  ].filter((part) => part !== null)
  if (parts.length > 0) return `${parts.join('; ')}.`
  return received === null ? 'The chain is not synced yet.' : 'No payment found.'
}

/** Facts that neither state nor amounts show, in few words each. */
export function describeExceptions(
  invoice: Pick<InvoiceAmounts, 'accepted' | 'currency' | 'together' | 'uncounted'>,
): string[] {
  const together = invoice.together ? `counts with invoice ${invoice.together.other}` : ''
  return [describeUncounted(invoice), describeAccepted(invoice), together].filter(Boolean)
}

/** `paid, short by 0.02 TON`: the user's tolerance accepts what the gateway does not. Else empty. */
export function describeAccepted({
  accepted,
  currency,
}: Pick<InvoiceAmounts, 'accepted' | 'currency'>): string {
  if (!accepted) return ''
  const { short } = accepted
  return short === '0' ? 'paid, accepted' : `paid, short by ${formatMoney(short, currency)}`
}

/** The amount left to pay of an underpaid invoice, alone or together with others; else 0. */
export function restOf(invoice: InvoiceAmounts): bigint {
  const { status, amount, received, refunded } = invoice.together ?? invoice
  const isOpen = !invoice.accepted && (status === 'pending' || isEnded(status))
  const [all, came] = [BigInt(amount), BigInt(received ?? 0)]
  return isOpen && came > 0n && refunded === '0' ? max(all - came, 0n) : 0n
}

/** Empty if every payment counts. */
export function describeUncounted(invoice: Pick<InvoiceAmounts, 'uncounted'>): string {
  const sums = invoice.uncounted.map(({ currency, amount }) => formatMoney(amount, currency))
  return sums.length === 0 ? '' : `${sums.join(' and ')} received, not counted`
}

/**
 * The payment link with the amount that is still due. The link stays unchanged if it has no amount
 * or the invoice is not partly paid.
 */
export function linkForDue(
  link: string,
  invoice: Omit<InvoiceAmounts, 'refunded' | 'uncounted' | 'matters'>,
) {
  const { due } = moneyOf({ ...invoice, refunded: '0', uncounted: [], matters: [] })
  const isPart = due > 0n && due < BigInt(invoice.amount)
  return isPart ? link.replace(/([?&]amount=)\d+(?=&|#|$)/, `$1${due}`) : link
}

/**
 * The payment link with the user's order reference as the payment's comment. A link with a comment
 * or a payload stays unchanged, because the gateway may identify the payment by it.
 */
export function linkWithReference(link: string, reference: string): string {
  if (reference === '' || link === '' || /[?&](text|bin)=/.test(link)) return link
  const [start = '', hash] = link.split('#')
  const text = `${start.includes('?') ? '&' : '?'}text=${encodeURIComponent(reference)}`
  return start + text + (hash === undefined ? '' : `#${hash}`)
}

/** True if the tolerance that is stored with an invoice makes it count as paid. */
export const isAccepted = (status: string, tolerance: bigint | string | null = null): boolean =>
  tolerance !== null && (status === 'pending' || isEnded(status))

/** @param invoice with the amounts of all that count together */
export function acceptedOf(
  tolerance: bigint | string | null,
  status: string,
  invoice: { readonly amount: bigint | string; readonly received: bigint | string | null },
): Invoice['accepted'] {
  if (tolerance === null || !isAccepted(status, tolerance)) return null
  const short = max(BigInt(invoice.amount) - BigInt(invoice.received ?? 0), 0n)
  return { tolerance: tolerance.toString(), short: short.toString() }
}

const isEnded = (status: string) => status === 'expired' || status === 'cancelled'
const max = (a: bigint, b: bigint) => (a > b ? a : b)

/**
 * True if the money of a delivery has moved. A delivery of an invoice states the requested amount,
 * which has moved only if the invoice is paid.
 */
export const isMoved = ({ kind, summary }: Pick<CaptureRow, 'kind' | 'summary'>): boolean =>
  kind !== 'invoice' || /^\S+ paid\b/.test(summary)
