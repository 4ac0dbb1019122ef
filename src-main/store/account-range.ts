/** Accounts between two raw addresses, both included, whose address ends so. */
export type AccountRange = {
  readonly from: string
  readonly to: string
  /** Hexadecimal digits; empty where the end is open. */
  readonly ending: string
}

/** That a column with raw addresses is in the range of `rangeValues`. */
export function rangeSql(column: string): string {
  return `(${column} BETWEEN $from AND $to AND ${column} LIKE '%' || $ending)`
}

/** What `rangeSql` asks for; without a range it finds nothing. */
export function rangeValues(range: AccountRange | null): Record<string, string | null> {
  return { $from: range?.from ?? null, $to: range?.to ?? null, $ending: range?.ending ?? null }
}
