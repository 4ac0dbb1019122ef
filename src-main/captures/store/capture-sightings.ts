import type { Captures, StoredCapture } from './captures.ts'
import type { Database } from '../../database/database.ts'

/** What of the receiver's captures belongs to a delivery that the gateway tells of. */
export type Sightings = {
  /** Deliveries received of an account's event, the oldest first, at most twenty. */
  ofEvent(account: string, lt: bigint): StoredCapture[]
  /** Received in a span, both ends in microseconds, and answered otherwise than 200; at most a hundred. */
  refusedIn(from: number, to: number): StoredCapture[]
  /** When the last one before, and the first one after a moment were received; microseconds. */
  around(moment: number): { readonly before: number | null; readonly after: number | null }
}

const maxOfEvent = 20
const maxRefused = 100
/** Where the index's integers end. */
const largestLt = 2n ** 63n - 1n

/** @param index a connection of its own to the index file */
export function createSightings(
  database: Database,
  index: Database,
  captures: Captures,
): Sightings {
  const ofEvent = index.prepare(
    `SELECT id FROM facts WHERE lt = ? AND kind = 'account_tx' AND lower(account) = ?
     ORDER BY id LIMIT ${maxOfEvent}`,
  )
  const received = 'NOT EXISTS (SELECT 1 FROM capture_origins o WHERE o.capture_id = captures.id)'
  const refused = database.prepare(
    `SELECT id FROM captures INDEXED BY captures_by_time
     WHERE received_at BETWEEN ? AND ? AND status IS NOT 200 AND ${received}
     ORDER BY received_at LIMIT ${maxRefused}`,
  )
  const before = database.prepare(
    `SELECT received_at FROM captures INDEXED BY captures_by_time
     WHERE received_at <= ? AND ${received} ORDER BY received_at DESC LIMIT 1`,
  )
  const after = database.prepare(
    `SELECT received_at FROM captures INDEXED BY captures_by_time
     WHERE received_at > ? AND ${received} ORDER BY received_at LIMIT 1`,
  )
  const idsOf = (rows: readonly Record<string, unknown>[]) => rows.map((row) => Number(row['id']))
  const momentOf = (row: Record<string, unknown> | undefined) =>
    row === undefined ? null : Number(row['received_at'])

  return {
    ofEvent(account, lt) {
      if (lt > largestLt) return []
      const ids = idsOf(ofEvent.all(lt, account.toLowerCase()))
      return captures
        .byIds(ids)
        .filter(({ origin }) => origin === 'received')
        .reverse()
    },
    refusedIn: (from, to) => captures.byIds(idsOf(refused.all(from, to))).reverse(),
    around: (moment) => ({
      before: momentOf(before.get(moment)),
      after: momentOf(after.get(moment)),
    }),
  }
}
