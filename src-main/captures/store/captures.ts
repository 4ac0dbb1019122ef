import type { CaptureOrigin, TokenVerdict } from '../../../src-preload/domain/capture-words.ts'
import type { Completeness } from '../../../src-preload/contract/capture.ts'
import { splitHeaders } from './capture-record.ts'
import type { Database } from '../../database/database.ts'

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

/** Reads captures; the writer thread writes them. Newest first throughout. */
export type Captures = {
  list(page: Page): StoredCapture[]
  /** Those of these ids that still exist, newest first. */
  byIds(ids: readonly number[]): StoredCapture[]
  get(id: number): StoredCaptureDetail | null
  body(id: number): Uint8Array | null
  /** Captures received, newer than this id. */
  countAfter(id: number): number
  countPinned(): number
}

type Row = Record<string, unknown>

const columns = `c.id, c.received_at, c.duration_us, c.status, c.method, c.target, c.completeness,
  c.token, c.token_id, c.body_bytes, coalesce(m.pinned, 0) AS pinned, coalesce(m.note, '') AS note,
  coalesce(o.origin, 'received') AS origin`
const origins = 'LEFT JOIN capture_origins o ON o.capture_id = c.id'
const from = `FROM captures c LEFT JOIN capture_marks m ON m.capture_id = c.id ${origins}`

/* The table is STRICT, and its enumerations are written from the contract's lists only. */
function toCapture(row: Row): StoredCapture {
  return {
    id: row['id'] as number,
    origin: row['origin'] as CaptureOrigin,
    receivedAt: row['received_at'] as number,
    durationUs: row['duration_us'] as number,
    status: row['status'] as number | null,
    method: row['method'] as string,
    target: row['target'] as string,
    completeness: row['completeness'] as Completeness,
    token: row['token'] as TokenVerdict,
    tokenId: row['token_id'] as string | null,
    bodyBytes: row['body_bytes'] as number,
    pinned: row['pinned'] === 1,
    note: row['note'] as string,
  }
}

function toDetail(row: Row): StoredCaptureDetail {
  return {
    ...toCapture(row),
    httpVersion: row['http_version'] as string,
    remoteAddress: row['remote_address'] as string,
    incident: row['incident'] as string | null,
    headers: splitHeaders(row['headers'] as string),
  }
}

const largestId = Number.MAX_SAFE_INTEGER

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

export function createCaptures(database: Database): Captures {
  const range = 'c.id < ? AND c.id > ? ORDER BY c.id DESC LIMIT ?'
  const page = database.prepare(`SELECT ${columns} ${from} WHERE ${range}`)
  const one = database.prepare(`SELECT ${columns} ${from} WHERE c.id = ?`)
  const detail = database.prepare(
    `SELECT ${columns}, c.http_version, c.remote_address, c.incident, c.headers
     ${from} WHERE c.id = ?`,
  )
  const body = database.prepare('SELECT body FROM captures WHERE id = ?')
  const after = database.prepare(receivedAfterSql)
  const pinned = database.prepare('SELECT count(*) AS n FROM capture_marks WHERE pinned = 1')

  return {
    list: ({ before, after: newerThan, limit }) =>
      page.all(before ?? largestId, newerThan ?? 0, limit).map(toCapture),
    byIds(ids) {
      const rows = ids.map((id) => one.get(id)).filter((row) => row !== undefined)
      return rows.map(toCapture).sort((a, b) => b.id - a.id)
    },
    get(id) {
      const row = detail.get(id)
      return row === undefined ? null : toDetail(row)
    },
    body(id) {
      const row = body.get(id)
      return row?.['body'] instanceof Uint8Array ? row['body'] : null
    },
    countAfter: (id) => Number(after.get({ id })?.['n']),
    countPinned: () => Number(pinned.get()?.['n']),
  }
}
