import { splitHeaders } from '../../captures/store/capture-record.ts'
import type { Database } from '../../database/database.ts'
import type { PlannedCapture } from './replay-plans.ts'

/** What is sent again of a capture, as received. */
export type SendableCapture = {
  readonly method: string
  readonly target: string
  readonly headers: [string, string][]
  readonly body: Uint8Array
}

type CaptureToReplay = SendableCapture & {
  /** Microseconds. */
  readonly receivedAt: number
}

/** What is odd about some captures. */
export type CaptureLook = {
  readonly found: number
  /** Broken off or cut at the limit: what is sent is not what was delivered. */
  readonly incomplete: number
  /** Imported, rebuilt, of a test. */
  readonly others: number
  /** Microseconds; null where there is none. */
  readonly first: number | null
  readonly last: number | null
}

export type ReplayCaptures = {
  get(id: number): CaptureToReplay | null
  /** Several at once, which is four times as fast; fewer than asked for when their bodies are large. */
  some(ids: readonly number[]): Map<number, SendableCapture>
  /** Of these, those that are there, in the order of arrival. */
  existing(ids: readonly number[]): PlannedCapture[]
  look(ids: readonly number[]): CaptureLook
  /** All there are between two ids, in the order of arrival. */
  between(after: number, upTo: number, limit: number): PlannedCapture[]
  /** Received since, between two ids, in the order of arrival. */
  since(at: number, after: number, upTo: number, limit: number): PlannedCapture[]
  countSince(at: number): number
  count(): number
  /** Of what a page of ids stands for: when each arrived. */
  arrivals(ids: readonly number[]): PlannedCapture[]
  /** 0 when there are none. */
  newestId(): number
}

type CaptureRow = [id: number, method: string, target: string, headers: string, body: Uint8Array]

/** Bodies of up to 64 MiB each: many of them must not be in memory at once. */
const sliceBytes = 4 * 1024 * 1024

const received = 'id NOT IN (SELECT capture_id FROM capture_origins)'

export function createReplayCaptures(database: Database): ReplayCaptures {
  const one = database.prepare(
    'SELECT received_at, method, target, headers, body FROM captures WHERE id = ?',
  )
  const some = database.prepare(
    `SELECT id, method, target, headers, body FROM captures
     WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
  )
  some.setReturnArrays(true)
  const existing = database.prepare(
    `SELECT id, received_at FROM captures
     WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
  )
  const look = database.prepare(
    `SELECT count(*) AS found, min(received_at) AS first, max(received_at) AS last,
       coalesce(sum(completeness <> 'complete'), 0) AS incomplete,
       coalesce(sum(id IN (SELECT capture_id FROM capture_origins)), 0) AS others
     FROM captures WHERE id IN (SELECT value FROM json_each(?))`,
  )
  const between = database.prepare(
    'SELECT id, received_at FROM captures WHERE id > ? AND id <= ? ORDER BY id LIMIT ?',
  )
  // By id: one that took long began before its neighbours, so the time alone has no order to go on by.
  const since = database.prepare(
    `SELECT id, received_at FROM captures
     WHERE id > ? AND id <= ? AND received_at >= ? AND ${received} ORDER BY id LIMIT ?`,
  )
  const firstSince = database.prepare(
    'SELECT min(id) AS id FROM captures INDEXED BY captures_by_time WHERE received_at >= ?',
  )
  const countSince = database.prepare(
    `SELECT (SELECT count(*) FROM captures INDEXED BY captures_by_time WHERE received_at >= :at)
       - (SELECT count(*) FROM capture_origins WHERE received_at >= :at) AS n`,
  )
  const countAll = database.prepare(
    'SELECT count(*) AS n FROM captures INDEXED BY captures_by_time',
  )
  const newest = database.prepare('SELECT max(id) AS id FROM captures')

  const toPlanned = (row: Record<string, unknown>): PlannedCapture => ({
    id: row['id'] as number,
    at: row['received_at'] as number,
  })

  return {
    get(id) {
      const row = one.get(id)
      if (row === undefined) return null
      return {
        receivedAt: row['received_at'] as number,
        method: row['method'] as string,
        target: row['target'] as string,
        headers: splitHeaders(row['headers'] as string),
        body: row['body'] as Uint8Array,
      }
    },
    some(ids) {
      const found = new Map<number, SendableCapture>()
      let bytes = 0
      for (const row of some.iterate(JSON.stringify(ids))) {
        const [id, method, target, headers, body] = row as unknown as CaptureRow
        found.set(id, { method, target, headers: splitHeaders(headers), body })
        bytes += body.byteLength
        if (bytes > sliceBytes) break
      }
      return found
    },
    existing: (ids) => existing.all(JSON.stringify(ids)).map(toPlanned),
    look(ids) {
      const row = look.get(JSON.stringify(ids))
      return {
        found: Number(row?.['found']),
        incomplete: Number(row?.['incomplete']),
        others: Number(row?.['others']),
        first: (row?.['first'] ?? null) as number | null,
        last: (row?.['last'] ?? null) as number | null,
      }
    },
    between: (after, upTo, limit) => between.all(after, upTo, limit).map(toPlanned),
    since(at, after, upTo, limit) {
      const first = after > 0 ? after : Number(firstSince.get(at)?.['id'] ?? 1) - 1
      return since.all(first, upTo, at, limit).map(toPlanned)
    },
    countSince: (at) => Number(countSince.get({ at })?.['n']),
    count: () => Number(countAll.get()?.['n']),
    arrivals(ids) {
      const known = new Map(existing.all(JSON.stringify(ids)).map((row) => [row['id'], row]))
      return ids.map((id) => {
        const row = known.get(id)
        return row === undefined ? { id, at: null } : toPlanned(row)
      })
    },
    newestId: () => Number(newest.get()?.['id'] ?? 0),
  }
}
