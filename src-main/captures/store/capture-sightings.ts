import type { Captures } from './captures.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

const maxOfEvent = 20
const maxRefused = 100
/** Where the index's integers end. */
const largestLt = 2n ** 63n - 1n

export type Sightings = ReturnType<typeof createSightings>

/**
 * The receiver's captures that belong to a delivery which the gateway tells of.
 * @param index a connection of its own to the index file
 */
export function createSightings(database: Database, index: Database, captures: Captures) {
  const sql = createSql(database)
  const facts = createSql(index)
  const received = `NOT EXISTS (SELECT 1 FROM capture_origins o WHERE o.capture_id = captures.id)`
  const momentOf = (condition: string, moment: number) =>
    sql.value<number>(
      `SELECT received_at FROM captures INDEXED BY captures_by_time
       WHERE ${received} AND received_at ${condition} LIMIT 1`,
      moment,
    )

  return {
    /** Deliveries received of an account's event, the oldest first, at most twenty. */
    ofEvent(account: string, lt: bigint) {
      if (lt > largestLt) return []
      const ids = facts.column<number>(
        `SELECT id FROM facts WHERE lt = ? AND kind = 'account_tx' AND lower(account) = ?
         ORDER BY id LIMIT ${maxOfEvent}`,
        ...[lt, account.toLowerCase()],
      )
      return captures
        .byIds(ids)
        .filter(({ origin }) => origin === 'received')
        .reverse()
    },
    /** Received in a span, both ends in microseconds, and answered otherwise than 200; at most a hundred. */
    refusedIn(from: number, to: number) {
      const ids = sql.column<number>(
        `SELECT id FROM captures INDEXED BY captures_by_time
         WHERE received_at BETWEEN ? AND ? AND status IS NOT 200 AND ${received}
         ORDER BY received_at LIMIT ${maxRefused}`,
        ...[from, to],
      )
      return captures.byIds(ids).reverse()
    },
    /** When the last one before, and the first one after a moment were received; microseconds. */
    around: (moment: number) => ({
      before: momentOf('<= ? ORDER BY received_at DESC', moment),
      after: momentOf('> ? ORDER BY received_at', moment),
    }),
  }
}
