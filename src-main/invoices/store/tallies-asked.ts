import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'

export type Amounts = Readonly<Record<InvoiceCurrency, bigint>>

/** What a span adds up to; see `invoiceTally` of the contract. */
export type Tally = {
  readonly created: number
  readonly createdPaid: number
  readonly paid: number
  readonly expired: number
  readonly cancelled: number
  readonly volume: Amounts
  readonly overpaid: number
  readonly overpayment: Amounts
}

export type Due = { readonly count: number; readonly amount: Amounts }

/** So many took so long; `seconds` is the least that is in the bucket. */
export type PaymentTime = {
  readonly currency: InvoiceCurrency
  readonly seconds: number
  readonly count: number
}

/** Spans from each moment to the next, milliseconds; an empty list of currencies is any. */
export type TalliesAsked = {
  readonly network: string
  readonly currencies: readonly InvoiceCurrency[]
  readonly bounds: readonly number[]
}

export type SpanAsked = {
  readonly network: string
  readonly currencies: readonly InvoiceCurrency[]
  readonly from: number
  readonly to: number
}

/** Before the first moment, from each to the next, and after the last. */
export type DueAsked = TalliesAsked
