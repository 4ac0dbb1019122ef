import type { Database } from '../../database/database.ts'

/** Which accounts deliveries tell of, from the index. */
export type TouchedAccounts = {
  /** The newest that is classified. */
  newest(): number
  /** Of those after `after`, up to `upTo`; of a rush only the newest. Raw. */
  between(after: number, upTo: number): string[]
}

const maxFacts = 10_000

export function createTouchedAccounts(index: Database): TouchedAccounts {
  const newest = index.prepare('SELECT max(id) AS id FROM facts')
  const between = index.prepare(
    `SELECT DISTINCT account FROM facts
     WHERE id > ? AND id <= ? AND kind = 'account_tx' AND account IS NOT NULL`,
  )
  return {
    newest: () => Number(newest.get()?.['id'] ?? 0),
    between: (after, upTo) =>
      between.all(Math.max(after, upTo - maxFacts), upTo).map((row) => row['account'] as string),
  }
}
