import { keptFromKey } from './capture-deletion.ts'
import type { CaptureRecord } from './capture-record.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

export type StoredArrival = Pick<CaptureRecord, 'receivedAt' | 'status' | 'token' | 'tokenId'> & {
  readonly id: number
  readonly lt: bigint
  readonly isOutOfOrder: boolean
}

type Sample = Pick<CaptureRecord, 'target' | 'body' | 'token' | 'tokenId'>

/** The index stores logical times as signed 64-bit integers (receiver/classify.ts). */
const largestLt = 2n ** 63n - 1n

export type Arrivals = ReturnType<typeof createArrivals>

export function createArrivals(database: Database, index: Database) {
  const sql = createSql(database)
  const indexSql = createSql(index)
  const received = 'NOT EXISTS (SELECT 1 FROM capture_origins WHERE capture_id = id)'

  function ofOne(account: string, lt: bigint): StoredArrival[] {
    const facts = indexSql.all<{ id: number; isOutOfOrder: boolean }>(
      `SELECT id, out_of_order AS is_out_of_order FROM facts
       WHERE lt = ? AND kind = 'account_tx' AND lower(account) = ? ORDER BY id`,
      ...[lt, account],
    )
    return facts.flatMap((fact) => {
      const row = sql.get<Omit<StoredArrival, 'id' | 'lt' | 'isOutOfOrder'>>(
        `SELECT received_at, status, token, token_id FROM captures WHERE id = ? AND ${received}`,
        fact.id,
      )
      // The row is null if the capture was deleted and the index has not processed the deletion yet.
      return row === null ? [] : { ...fact, ...row, lt }
    })
  }

  return {
    /** Deliveries with a higher logical time cannot be found. */
    largestLt,
    of: (account: string, lts: readonly bigint[]): StoredArrival[] =>
      lts.filter((lt) => lt <= largestLt).flatMap((lt) => ofOne(account, lt)),
    /** Returns accounts of the latest captures with ids after the first and up to the second. */
    accountsBetween: (after: number, upTo: number) =>
      indexSql.column<string>(
        `SELECT DISTINCT lower(account) FROM facts
         WHERE id > ? AND id <= ? AND kind = 'account_tx' AND account IS NOT NULL`,
        ...[Math.max(after, upTo - 5000), upTo],
      ),
    latest: (limit: number) =>
      indexSql.column<number>(
        `SELECT id FROM (SELECT id, kind FROM facts ORDER BY id DESC LIMIT ?)
         WHERE kind = 'account_tx'`,
        limit,
      ),
    sample: (id: number, largestBytes: number) =>
      sql.get<Sample>(
        `SELECT target, body, token, token_id FROM captures
         WHERE id = ? AND completeness = 'complete' AND body_bytes <= ?
           AND status BETWEEN 200 AND 299 AND ${received}`,
        ...[id, largestBytes],
      ),
    /** Time in milliseconds before which captures may have been deleted; null if none were. */
    keptFrom(): number | null {
      const value = sql.value<string>('SELECT value FROM settings WHERE key = ?', keptFromKey)
      return value === null ? null : Math.ceil(Number(value) / 1000)
    },
  }
}
