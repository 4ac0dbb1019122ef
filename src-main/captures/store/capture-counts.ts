import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

/** Whose deliveries: of webhooks, by the tokens that their deliveries carry, or of an account. */
export type CountedOf = { readonly tokenIds: readonly string[] } | { readonly account: string }

/** Received, and how it was answered; milliseconds since the epoch. */
type CountedCapture = { readonly at: number; readonly isTaken: boolean }

/** Rows are heavy with bodies; what is known of them in the index is not. */
const sliceRows = { captures: 1000, facts: 10_000 }
/** Ids are given when a request has ended, which its time limit bounds. */
const slackUs = 120_000_000

export type CaptureCounts = ReturnType<typeof createCaptureCounts>

/**
 * Counts deliveries without holding anybody up: a slice of ids at a time.
 * @param index a connection of its own to the index file
 */
export function createCaptureCounts(database: Database, index: Database) {
  const sql = createSql(database)
  const facts = createSql(index)
  const select = `SELECT c.received_at / 1000 AS at, ifnull(c.status BETWEEN 200 AND 299, 0) AS is_taken
    FROM captures c
    WHERE NOT EXISTS (SELECT 1 FROM capture_origins o WHERE o.capture_id = c.id)`

  const firstFrom = (moment: number) =>
    sql.value<number>(
      `SELECT id FROM captures INDEXED BY captures_by_time
       WHERE received_at >= ? ORDER BY received_at LIMIT 1`,
      moment,
    )

  function captures(of: CountedOf, from: number, to: number): CountedCapture[] {
    if ('tokenIds' in of) {
      return sql.all<CountedCapture>(
        `${select} AND c.id BETWEEN ? AND ? AND c.token_id IN (SELECT value FROM json_each(?))`,
        ...[from, to, JSON.stringify(of.tokenIds)],
      )
    }
    const ids = facts.column<number>(
      `SELECT id FROM facts
       WHERE id BETWEEN ? AND ? AND account IS NOT NULL AND lower(account) = ?`,
      ...[from, to, of.account],
    )
    return sql.all<CountedCapture>(
      `${select} AND c.id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    )
  }

  return {
    /** Ids between which all lie that were received in a span of milliseconds; null when there are none. */
    range(from: number, to: number): { readonly first: number; readonly last: number } | null {
      const first = firstFrom(from * 1000 - slackUs)
      if (first === null) return null
      const newest = () => sql.value<number>('SELECT max(id) FROM captures') ?? first
      return { first, last: firstFrom(to * 1000 + slackUs) ?? newest() }
    },
    /** Those of the next ids that were delivered; `next` is null behind the last. */
    slice(of: CountedOf, from: number, last: number) {
      const rows = 'tokenIds' in of ? sliceRows.captures : sliceRows.facts
      const to = Math.min(last, from + rows - 1)
      return { captures: captures(of, from, to), next: to < last ? to + 1 : null }
    },
  }
}
