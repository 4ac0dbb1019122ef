/** Numbers between two, both included; null is open. */
export type Span = { readonly low: bigint | null; readonly high: bigint | null }

export type NumberColumn = 'id' | 'received_at' | 'is_received' | 'lt' | 'size' | 'took'
export type TermColumn =
  'network' | 'meaning' | 'asset' | 'direction' | 'opcode' | 'exit' | 'success'

/** Of which one must hold, or with `negated` none; what is not known holds nowhere. */
export type Condition = { readonly negated: boolean } & (
  | { readonly on: 'number'; readonly column: NumberColumn; readonly spans: readonly Span[] }
  /** Null is where it is not known. */
  | {
      readonly on: 'term'
      readonly column: TermColumn
      readonly ids: readonly (number | null)[]
    }
  | { readonly on: 'amount'; readonly amounts: readonly (Span & { readonly asset: number })[] }
  | { readonly on: 'pinned' }
  | { readonly on: 'forwarded'; readonly states: readonly ForwardState[] }
)

/** Of all targets together the worst counts. */
export type ForwardState = 'waiting' | 'failed' | 'delivered' | 'dropped' | 'no'

/** What the index can tell of a query; all of it must hold. */
export type IndexPlan = {
  /** A full text expression; null asks for no words. */
  readonly match: string | null
  readonly conditions: readonly Condition[]
}
