import type { TokenVerdict } from '../../../src-preload/domain/capture-words.ts'
import { keptFromKey } from '../../captures/store/capture-deletion.ts'
import type { Database } from '../../database/database.ts'

/** A delivery of an account's transaction, as it was received here. */
export type StoredArrival = {
  readonly id: number
  readonly lt: bigint
  /** Microseconds. */
  readonly receivedAt: number
  readonly status: number | null
  readonly token: TokenVerdict
  readonly tokenId: string | null
  readonly isOutOfOrder: boolean
}

export type Sample = {
  readonly target: string
  readonly body: Uint8Array
  readonly token: TokenVerdict
  readonly tokenId: string | null
}

/** Reads deliveries by what they are of: facts from the index, the rest from the captures. */
export type Arrivals = {
  /** Beyond, no delivery is found by its logical time. */
  readonly largestLt: bigint
  /** Received ones of these transactions of an account, in the order of arrival. */
  of(account: string, lts: readonly bigint[]): StoredArrival[]
  /** Newest deliveries of transactions, at most so many looked at. */
  latest(limit: number): number[]
  /** One that was received whole, as it was; null for others. */
  sample(id: number, largestBytes: number): Sample | null
  /** Milliseconds; captures received before may have been cleared away. Null when none were. */
  keptFrom(): number | null
}

/** What the index files deliveries by: a signed integer (receiver/classify.ts). */
const largestLt = 2n ** 63n - 1n

export function createArrivals(database: Database, index: Database): Arrivals {
  const facts = index.prepare(
    `SELECT id, out_of_order FROM facts
     WHERE lt = ? AND kind = 'account_tx' AND lower(account) = ? ORDER BY id`,
  )
  const latest = index.prepare(
    `SELECT id FROM (SELECT id, kind FROM facts ORDER BY id DESC LIMIT ?)
     WHERE kind = 'account_tx'`,
  )
  const received = 'NOT EXISTS (SELECT 1 FROM capture_origins WHERE capture_id = id)'
  const capture = database.prepare(
    `SELECT received_at, status, token, token_id FROM captures WHERE id = ? AND ${received}`,
  )
  const sample = database.prepare(
    `SELECT target, body, token, token_id FROM captures
     WHERE id = ? AND completeness = 'complete' AND body_bytes <= ?
       AND status BETWEEN 200 AND 299 AND ${received}`,
  )
  const kept = database.prepare('SELECT value FROM settings WHERE key = ?')

  return {
    largestLt,
    of: (account, lts) =>
      lts
        .filter((lt) => lt <= largestLt)
        .flatMap((lt) =>
          facts.all(lt, account).flatMap((fact) => {
            const id = fact['id'] as number
            const row = capture.get(id)
            // Deleted, and the index has yet to follow.
            if (row === undefined) return []
            return {
              id,
              lt,
              receivedAt: row['received_at'] as number,
              status: row['status'] as number | null,
              token: row['token'] as TokenVerdict,
              tokenId: row['token_id'] as string | null,
              isOutOfOrder: fact['out_of_order'] === 1,
            }
          }),
        ),
    latest: (limit) => latest.all(limit).map((row) => row['id'] as number),
    sample(id, largestBytes) {
      const row = sample.get(id, largestBytes)
      if (row === undefined) return null
      return {
        target: row['target'] as string,
        body: row['body'] as Uint8Array,
        token: row['token'] as TokenVerdict,
        tokenId: row['token_id'] as string | null,
      }
    },
    keptFrom() {
      const value = kept.get(keptFromKey)?.['value']
      return value === undefined ? null : Math.ceil(Number(value) / 1000)
    },
  }
}
