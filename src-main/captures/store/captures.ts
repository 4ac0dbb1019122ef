import type { CaptureOrigin, TokenVerdict } from '../../../src-preload/domain/capture-words.ts'
import type { Completeness } from '../../../src-preload/contract/capture.ts'
import type { Database } from '../../database/database.ts'
import { createSql, flag } from '../../database/sql.ts'
import { headerCodecs } from './capture-record.ts'

/** A stored capture without its headers and body. */
export type StoredCapture = {
  readonly id: number
  readonly origin: CaptureOrigin
  readonly receivedAt: number
  readonly durationUs: number
  readonly status: number | null
  readonly method: string
  readonly target: string
  readonly completeness: Completeness
  readonly token: TokenVerdict
  readonly tokenId: string | null
  readonly bodyBytes: number
  readonly pinned: boolean
  readonly note: string
}

export type StoredCaptureDetail = StoredCapture & {
  readonly httpVersion: string
  readonly remoteAddress: string
  readonly incident: string | null
  readonly headers: [string, string][]
}

type Page = {
  readonly before?: number | undefined
  readonly after?: number | undefined
  readonly limit: number
}

const columns = `c.id, c.received_at, c.duration_us, c.status, c.method, c.target, c.completeness,
  c.token, c.token_id, c.body_bytes, coalesce(m.pinned, 0) AS pinned, coalesce(m.note, '') AS note,
  coalesce(o.origin, 'received') AS origin`
const from = `FROM captures c LEFT JOIN capture_marks m ON m.capture_id = c.id
  LEFT JOIN capture_origins o ON o.capture_id = c.id`

/**
 * Counts what is newer than `:id`. Only the index by time is light enough to count over, and ids
 * follow the order in which requests ended: a slow one began up to its time limit, and here a
 * minute, before its neighbours.
 */
export function countAfterSql(table: string): string {
  return `SELECT count(*) AS n FROM ${table} INDEXED BY captures_by_time
    WHERE id > :id AND received_at > coalesce(
      (SELECT received_at FROM ${table} WHERE id <= :id ORDER BY id DESC LIMIT 1), 0) - 60000000`
}

/** Of what was received alone: what a person put here may be of any time, and lie at either end. */
const receivedAfterSql = `SELECT count(*) AS n FROM captures c INDEXED BY captures_by_time
  WHERE c.id > :id AND c.received_at > coalesce(
    (SELECT CASE WHEN p.id IN (SELECT capture_id FROM capture_origins) THEN 0 ELSE p.received_at END
     FROM captures p WHERE p.id <= :id ORDER BY p.id DESC LIMIT 1), 0) - 60000000
  AND c.id NOT IN (SELECT capture_id FROM capture_origins)`

export type Captures = ReturnType<typeof createCaptures>

/** Reads captures; the writer thread writes them. Newest first throughout. */
export function createCaptures(database: Database) {
  const sql = createSql(database, { pinned: flag, ...headerCodecs })
  const one = `SELECT ${columns} ${from} WHERE c.id = ?`

  return {
    list: ({ before = Number.MAX_SAFE_INTEGER, after = 0, limit }: Page) =>
      sql.all<StoredCapture>(
        `SELECT ${columns} ${from} WHERE c.id < ? AND c.id > ? ORDER BY c.id DESC LIMIT ?`,
        ...[before, after, limit],
      ),
    /** Those of these ids that still exist. */
    byIds: (ids: readonly number[]) =>
      ids.flatMap((id) => sql.get<StoredCapture>(one, id) ?? []).sort((a, b) => b.id - a.id),
    get: (id: number) =>
      sql.get<StoredCaptureDetail>(
        `SELECT ${columns}, c.http_version, c.remote_address, c.incident, c.headers
         ${from} WHERE c.id = ?`,
        id,
      ),
    body: (id: number) => sql.value<Uint8Array>('SELECT body FROM captures WHERE id = ?', id),
    /** Captures received, newer than this id. */
    countAfter: (id: number) => sql.value<number>(receivedAfterSql, { id }) ?? 0,
    countPinned: () =>
      sql.value<number>('SELECT count(*) FROM capture_marks WHERE pinned = 1') ?? 0,
    /** Ids of what was imported under this name, newer than `after`, oldest first. */
    madeFrom: (name: string, after: number, limit: number) =>
      sql.column<number>(
        `SELECT capture_id FROM capture_origins
         WHERE capture_id > ? AND origin = 'imported' AND made_from = ?
         ORDER BY capture_id LIMIT ?`,
        ...[after, name, limit],
      ),
  }
}
