/** Rollups are kept by quarters of an hour: those begin together in every time zone of today. */

const quarterMs = 900_000

export type Span = { readonly from: number; readonly to: number }

type Split = {
  /** Whole quarters within it, the second not included; null for none. */
  readonly quarters: Span | null
  /** What is left of it at both ends, milliseconds: to be counted by the rows themselves. */
  readonly edges: readonly Span[]
}

/** Pure. */
export function splitSpan({ from, to }: Span): Split {
  if (from >= to) return { quarters: null, edges: [] }
  const first = Math.ceil(from / quarterMs)
  const last = Math.floor(to / quarterMs)
  if (first >= last) return { quarters: null, edges: [{ from, to }] }
  const edges = [
    { from, to: first * quarterMs },
    { from: last * quarterMs, to },
  ]
  return { quarters: { from: first, to: last }, edges: edges.filter((edge) => edge.from < edge.to) }
}
