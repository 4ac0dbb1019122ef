import type {
  InvoiceCurrency,
  InvoiceFilter,
  InvoiceSort,
} from '../../../src-preload/contract/invoice.ts'
import type { AccountRange, ListText } from '../../database/list-text.ts'

/** A word that is sought in the id, the description and the payer. */
export type SoughtWord = {
  /** As it was typed. */
  readonly text: string
  /** The payer's address, where the word is one; raw. */
  readonly address: string | null
  /** What a beginning, or a shortened address, stands for. */
  readonly range: AccountRange | null
  readonly amounts: ListText['amounts']
  /** A part of a raw address, in lower case; null where it says too little. */
  readonly part: string | null
}

/** Minimal units, both included. */
export type UnitsRange = { readonly from: bigint | null; readonly to: bigint | null }

/** A filter as the store reads it: what people write has been read. */
export type ListFilter = {
  readonly statuses: readonly string[]
  /** Empty: any. */
  readonly currencies: readonly InvoiceCurrency[]
  readonly period: InvoiceFilter['period']
  readonly amounts: Readonly<Record<InvoiceCurrency, UnitsRange>> | null
  readonly overpaid: boolean
  readonly matter: InvoiceFilter['matter']
  readonly paidWithin: InvoiceFilter['paidWithin']
  /** All of them. */
  readonly words: readonly SoughtWord[]
}

export type ListAsked = {
  readonly network: string
  readonly filter: ListFilter
  readonly sort: InvoiceSort
  readonly offset: number
  readonly limit: number
}
