import { headerCodecs } from '../../captures/store/capture-record.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import {
  type ForwardedRequest,
  type StoredRequest,
  requestColumns,
  toForwarded,
} from './forward-log.ts'
import type { PlannedCapture } from './replay-jobs.ts'

type CaptureLook = {
  readonly found: number
  /** Number of requests that broke off or were cut at the limit, so that a replay differs from the delivery. */
  readonly incomplete: number
  /** Number of captures that were imported without their bodies and are not sent. */
  readonly bodiless: number
  readonly others: number
  readonly first: number | null
  readonly last: number | null
}

/** A body may have 64 MiB, so only a few may be in memory at once. */
const sliceBytes = 4 * 1024 * 1024

const received = 'id NOT IN (SELECT capture_id FROM capture_origins)'

export type ReplayCaptures = ReturnType<typeof createReplayCaptures>

export function createReplayCaptures(database: Database) {
  const sql = createSql(database, headerCodecs)
  const planned = 'SELECT id, received_at AS at FROM captures WHERE'
  const byTime = 'FROM captures INDEXED BY captures_by_time'

  const existing = (ids: readonly number[]) =>
    sql.all<PlannedCapture>(
      `${planned} id IN (SELECT value FROM json_each(?)) ORDER BY id`,
      JSON.stringify(ids),
    )

  return {
    existing,
    get(id: number): (ForwardedRequest & { readonly receivedAt: number }) | null {
      const row = sql.get<StoredRequest & { readonly receivedAt: number }>(
        `SELECT received_at, ${requestColumns} FROM captures WHERE id = ?`,
        id,
      )
      return row && toForwarded(row)
    },
    /**
     * Reads several captures at once, which is four times as fast. Returns fewer than requested if
     * bodies are large.
     */
    some(ids: readonly number[]): Map<number, ForwardedRequest> {
      const found = new Map<number, ForwardedRequest>()
      let bytes = 0
      const rows = sql.iterate<StoredRequest>(
        `SELECT ${requestColumns} FROM captures WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`,
        JSON.stringify(ids),
      )
      for (const capture of rows) {
        found.set(capture.id, toForwarded(capture))
        bytes += capture.body.byteLength
        if (bytes > sliceBytes) break
      }
      return found
    },
    look: (ids: readonly number[]) =>
      sql.get<CaptureLook>(
        `SELECT count(*) AS found, min(received_at) AS first, max(received_at) AS last,
           coalesce(sum(completeness IN ('truncated', 'partial')), 0) AS incomplete,
           coalesce(sum(completeness = 'missing'), 0) AS bodiless,
           coalesce(sum(id IN (SELECT capture_id FROM capture_origins)), 0) AS others
         FROM captures WHERE id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(ids),
      ) as CaptureLook,
    between: (after: number, upTo: number, limit: number) =>
      sql.all<PlannedCapture>(
        `${planned} id > ? AND id <= ? ORDER BY id LIMIT ?`,
        ...[after, upTo, limit],
      ),
    since(at: number, after: number, upTo: number, limit: number): PlannedCapture[] {
      const earliest = () =>
        sql.value<number>(`SELECT min(id) ${byTime} WHERE received_at >= ?`, at) ?? 1
      // Rows are selected by id, because times are not in order: a slow request began before its neighbors.
      return sql.all(
        `${planned} id > ? AND id <= ? AND received_at >= ? AND ${received} ORDER BY id LIMIT ?`,
        ...[after > 0 ? after : earliest() - 1, upTo, at, limit],
      )
    },
    countSince: (at: number) =>
      sql.value<number>(
        `SELECT (SELECT count(*) ${byTime} WHERE received_at >= $at)
           - (SELECT count(*) FROM capture_origins WHERE received_at >= $at)`,
        { at },
      ) ?? 0,
    count: () => sql.value<number>(`SELECT count(*) ${byTime}`) ?? 0,
    arrivals(ids: readonly number[]): PlannedCapture[] {
      const known = new Map(existing(ids).map((row) => [row.id, row]))
      return ids.map((id) => known.get(id) ?? { id, at: null })
    },
    newestId: () => sql.value<number>('SELECT max(id) FROM captures') ?? 0,
  }
}
