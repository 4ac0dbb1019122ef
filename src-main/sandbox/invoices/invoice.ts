import type { InvoiceState } from './invoice-state.ts'

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
