import type { Pattern } from './pattern.ts'

/** An amount as written: `1.5` is 15 with a scale of 1. */
export type AmountBound = {
  readonly digits: bigint
  readonly scale: number
  readonly inclusive: boolean
}

/** What one alternative of a term asks of a value. */
export type Test =
  /** These words, next to each other; with `prefix` the last may be the beginning of one. */
  | { readonly is: 'words'; readonly phrase: string; readonly prefix: boolean }
  /** The beginning of words that are written together: `order4` stands for `order-4`. */
  | { readonly is: 'compound'; readonly beginning: string }
  /** Of a free word: what a field has. */
  | { readonly is: 'field'; readonly field: string; readonly test: Test }
  /** Anything at all, where it may be empty. */
  | { readonly is: 'some' }
  /** These characters anywhere, inside words too; lower case. */
  | { readonly is: 'inside'; readonly text: string }
  /** The whole value, letters in any case. */
  | { readonly is: 'text'; readonly pattern: Pattern }
  /** A whole number between the two, both included; null is open. */
  | { readonly is: 'range'; readonly low: bigint | null; readonly high: bigint | null }
  | {
      readonly is: 'amount'
      /** Upper case. */
      readonly symbol: string
      readonly low: AmountBound | null
      readonly high: AmountBound | null
    }
