import type { Database } from '../database.ts'

/** Which accounts deliveries tell of, from the index. */
export type TouchedAccounts = {
  /** Of those after `after`, up to `upTo`; of a rush only the newest. Raw. */
  between(after: number, upTo: number): string[]
}

const mostFacts = 10_000

export function createTouchedAccounts(index: Database): TouchedAccounts {
  const between = index.prepare(
    `SELECT DISTINCT account FROM facts
     WHERE id > ? AND id <= ? AND kind = 'account_tx' AND account IS NOT NULL`,
  )
  return {
    between: (after, upTo) =>
      between.all(Math.max(after, upTo - mostFacts), upTo).map((row) => row['account'] as string),
  }
}
