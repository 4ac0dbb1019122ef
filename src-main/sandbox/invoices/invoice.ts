import type { invoiceStatuses } from '../../../src-preload/domain/invoice-words.ts'

export const currencies = ['TON', 'USDT'] as const
export type Currency = (typeof currencies)[number]

/** How it is told which invoice a payment is for; see docs/sandbox.md. */
export const matchingRules = ['comment', 'amount', 'address'] as const
export type MatchingRule = (typeof matchingRules)[number]

/** Amounts are minimal units, moments seconds since the epoch, addresses raw. */
export type Invoice = InvoiceState & {
  /** Eight hexadecimal digits. */
  readonly id: string
  readonly appId: number
  readonly currency: Currency
  readonly description: string | null
  readonly lifeTime: number
  readonly dateCreate: number
  /** The one in force when it was created. */
  readonly rule: MatchingRule
  readonly payTo: string
  /** Written down at the application's word; no money moves. Null until it is given. */
  readonly refunded: boolean | null
  readonly refundAmount: bigint | null
}

/** The comment a payment must carry; null when the invoice goes by something else. */
export function commentOf({ rule, id }: Pick<Invoice, 'rule' | 'id'>): string | null {
  return rule === 'comment' ? id : null
}

/** Whom invoices are issued by. */
export type InvoiceApp = {
  readonly id: number
  readonly projectId: number
  readonly name: string
  readonly description: string
  /** Raw; where payments go, and what new invoices name. */
  readonly recipient: string
  /** Seconds. */
  readonly dateCreate: number
  readonly webhooks: readonly AppWebhook[]
}

export type AppWebhook = {
  readonly id: number
  readonly url: string
  /** Of deliveries, since the last that was answered 200. */
  readonly failedAttempts: number
  /** Milliseconds. */
  readonly failedAt: number | null
  readonly lastError: string | null
}

/** The steps of the specification's section 1; only `granted` opens the API. */
export const accessStates = ['registered', 'requested', 'verified', 'granted', 'withdrawn'] as const
export type AccessState = (typeof accessStates)[number]

/** A transfer that may be for an invoice, as it arrived in a block. */
export type Payment = {
  readonly hash: string
  /** Raw; the account it arrived at. */
  readonly payTo: string
  readonly currency: Currency
  readonly amount: bigint
  /** Raw; of USDT the owner of the jettons. */
  readonly payer: string
  readonly comment: string | null
}

/**
 * What becomes of an invoice, as pure functions over values (specification sections 2 and 3). All
 * that was ever paid is kept as one sum; what of it pays the invoice and what is too much follows
 * from the status, so the two can never fail to add up.
 */

export type InvoiceStatus = (typeof invoiceStatuses)[number]

/** Amounts are minimal units, moments seconds since the epoch, addresses raw. */
export type InvoiceState = {
  readonly status: InvoiceStatus
  readonly amount: bigint
  /** Everything that has arrived for it, in time or late. */
  readonly received: bigint
  /** The last second in which a payment is in time. */
  readonly dateExpire: number
  /** When the status last changed; at first, when it was created. */
  readonly dateChange: number
  /** Whose payment reached the amount; null unless it is paid. */
  readonly paidBy: string | null
}

export type InvoiceEvent =
  /** `at` is the time of the block that holds it, whenever it comes to be looked at. */
  | {
      readonly kind: 'payment'
      readonly amount: bigint
      readonly payer: string
      readonly at: number
    }
  | { readonly kind: 'cancel'; readonly at: number }
  /** Time has come to `at`, and nothing else. */
  | { readonly kind: 'time'; readonly at: number }

/** The invoice after the event; the same object when nothing has changed. */
export function afterEvent(state: InvoiceState, event: InvoiceEvent): InvoiceState {
  const current = afterTime(state, event.at)
  switch (event.kind) {
    case 'time':
      return current
    case 'cancel':
      return current.status === 'pending'
        ? { ...current, status: 'cancelled', dateChange: event.at }
        : current
    case 'payment':
      return afterPayment(current, event.amount, event.payer, event.at)
  }
}

/** The first moment at which a pending invoice is expired: `dateExpire` itself is still in time. */
export function expiresAt({ dateExpire }: Pick<InvoiceState, 'dateExpire'>): number {
  return dateExpire + 1
}

function afterTime(state: InvoiceState, at: number): InvoiceState {
  const expires = expiresAt(state)
  return state.status === 'pending' && at >= expires
    ? { ...state, status: 'expired', dateChange: expires }
    : state
}

function afterPayment(state: InvoiceState, amount: bigint, payer: string, at: number) {
  if (amount <= 0n) return state
  const received = state.received + amount
  return state.status === 'pending' && received >= state.amount
    ? { ...state, received, status: 'paid' as const, paidBy: payer, dateChange: at }
    : { ...state, received }
}

/** What of the payments pays the invoice: none of them once it has ended unpaid. */
export function appliedOf({ status, amount, received }: InvoiceState): bigint {
  switch (status) {
    case 'pending':
      return received
    case 'paid':
      return amount
    case 'cancelled':
    case 'expired':
      return 0n
  }
}

/** What was paid too much; 0 for nothing. */
export function overpaymentOf(state: InvoiceState): bigint {
  return state.received - appliedOf(state)
}

/** Whether webhooks are told: a payment that only brings a pending invoice nearer is not. */
export function isReported(before: InvoiceState, after: InvoiceState): boolean {
  return before.status !== after.status || overpaymentOf(before) !== overpaymentOf(after)
}
