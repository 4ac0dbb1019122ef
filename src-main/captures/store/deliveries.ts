import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import { createCaptureCounts } from './captures.ts'

/** A delivery attempt that this receiver stored. Times are milliseconds since the epoch. */
export type DeliveryAttempt = {
  readonly id: number
  readonly tokenId: string
  readonly at: number
  readonly status: number | null
  /** Time of the transaction's block; null until the transaction is known. */
  readonly blockAt: number | null
}

type FailedAttempt = {
  readonly id: number
  readonly at: number
  readonly status: number | null
  readonly account: string | null
}

const hourUs = 3_600_000_000

export type Deliveries = ReturnType<typeof createDeliveries>

/**
 * Finds delivery attempts by the token of their webhook. Imported, rebuilt and test captures do not
 * count. Every statement is limited, so that the caller can yield in between.
 * @param index a separate connection to the index file
 */
export function createDeliveries(database: Database, index: Database) {
  const sql = createSql(database)
  const facts = createSql(index)
  const counts = createCaptureCounts(database, index)
  const received = 'NOT EXISTS (SELECT 1 FROM capture_origins o WHERE o.capture_id = c.id)'

  return {
    /** Slices of ids that contain all captures of a period in milliseconds. */
    slices: (from: number, to: number) => counts.slices({ tokenIds: [] }, from, to),
    /** Returns the attempts in a range of ids, by three lookups of primary keys each. */
    attempts: (from: number, to: number) =>
      sql.all<DeliveryAttempt>(
        `SELECT c.id, c.token_id, c.received_at / 1000 AS at, c.status, m.block_at
         FROM captures c LEFT JOIN capture_meanings m ON m.capture_id = c.id
         WHERE c.id BETWEEN ? AND ? AND c.token_id IS NOT NULL AND ${received}`,
        ...[from, to],
      ),
    /**
     * Yields failed attempts of a webhook's token in a period, newest first, an hour at a time. The
     * index by time contains the status, so rows of accepted deliveries are not read.
     */
    *failed(tokenId: string, from: number, to: number, limit: number): Generator<FailedAttempt[]> {
      let left = limit
      for (let end = to * 1000; end >= from * 1000 && left > 0; end -= hourUs) {
        const rows = sql.all<Omit<FailedAttempt, 'account'>>(
          `SELECT c.id, c.received_at / 1000 AS at, c.status
           FROM captures c INDEXED BY captures_by_time
           WHERE c.received_at > ? AND c.received_at <= ? AND c.status IS NOT 200
             AND c.token_id = ? AND ${received}
           ORDER BY c.received_at DESC LIMIT ?`,
          ...[Math.max(from * 1000 - 1, end - hourUs), end, tokenId, left],
        )
        left -= rows.length
        const ids = JSON.stringify(rows.map(({ id }) => id))
        const known = facts.all<{ id: number; account: string | null }>(
          'SELECT id, account FROM facts WHERE id IN (SELECT value FROM json_each(?))',
          ids,
        )
        const accounts = new Map(known.map(({ id, account }) => [id, account]))
        yield rows.map((row) => ({ ...row, account: accounts.get(row.id) ?? null }))
      }
    },
  }
}
