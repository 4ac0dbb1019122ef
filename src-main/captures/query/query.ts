import type { QueryProblem } from '../../../src-preload/contract/capture-query.ts'
import type { Field } from './fields.ts'
import type { Test } from './value-test.ts'

export type Term = {
  /** Offsets into the text, in UTF-16 units; `to` is exclusive. */
  readonly from: number
  readonly to: number
  readonly field: Field
  /** Of a header, in lower case; empty elsewhere. */
  readonly name: string
  readonly negated: boolean
  /** One of these must hold, or with `negated` none. */
  readonly tests: readonly Test[]
}

/** All terms must hold. With problems, the terms are those that could be read. */
export type Query = {
  readonly terms: readonly Term[]
  readonly problems: readonly QueryProblem[]
}
