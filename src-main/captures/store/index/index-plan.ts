/** Numbers between two, both included; null is open. */
export type Span = { readonly low: bigint | null; readonly high: bigint | null }

type NumberColumn = 'id' | 'received_at' | 'is_received' | 'lt' | 'size' | 'took'
type TermColumn = 'network' | 'meaning' | 'asset' | 'direction' | 'opcode' | 'exit' | 'success'

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

export type MatchColumn = 'all' | 'body' | 'comment' | 'note'

/** What is looked for in the full text index. */
export type Match =
  /** Its words next to each other, in order; with `prefix` the last may be the beginning of one. */
  | {
      readonly is: 'phrase'
      readonly column: MatchColumn
      readonly text: string
      readonly prefix: boolean
    }
  /** One of these tokens. */
  | { readonly is: 'facets'; readonly tokens: readonly string[] }
  /** A token that begins, and ends, so. An empty ending leaves the end open. */
  | { readonly is: 'facets beginning'; readonly token: string; readonly ending: string }
  | { readonly is: 'any'; readonly of: readonly Match[] }
  /** All of the first, of which there is one at least, none of the others. */
  | { readonly is: 'all'; readonly of: readonly Match[]; readonly but: readonly Match[] }

/** What the index can tell of a query; all of it must hold. */
export type IndexPlan = {
  /** Null asks for no words and no facets. */
  readonly match: Match | null
  readonly conditions: readonly Condition[]
}
