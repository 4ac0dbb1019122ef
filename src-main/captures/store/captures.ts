import type { CaptureDetail, CaptureRow } from '../../../src-preload/contract/capture.ts'
import { bodyCompleteness, tokenVerdicts } from '../../../src-preload/domain/capture-values.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { appCodes, captureCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Database } from '../../database/database.ts'
import { type Codec, createSql, flag } from '../../database/sql.ts'
import { checksumColumn, describeChange, durationColumn, headerCodecs } from './capture-record.ts'
import type { Facts } from './index/facts.ts'

export type StoredCapture = Omit<
  CaptureRow,
  keyof Omit<Facts, 'id'> | 'subpath' | 'network' | 'meaning' | 'message' | 'payment' | 'forward'
> & { readonly target: string; readonly tokenId: string | null }

export type StoredCaptureDetail = StoredCapture &
  Pick<CaptureDetail, 'httpVersion' | 'remoteAddress' | 'incident' | 'headers'>

const columns = `c.id, c.received_at, ${durationColumn}, c.status, c.method, c.target, c.completeness,
  c.token, c.token_id, c.body_bytes, coalesce(m.pinned, 0) AS pinned, coalesce(m.note, '') AS note,
  coalesce(o.origin, 'received') AS origin`
const from = `FROM captures c LEFT JOIN capture_marks m ON m.capture_id = c.id
  LEFT JOIN capture_origins o ON o.capture_id = c.id`

/** Counts only received captures, because those that the user created may have any time. */
const receivedAfterSql = `SELECT count(*) AS n FROM captures c INDEXED BY captures_by_time
  WHERE c.id > :id AND c.received_at > coalesce(
    (SELECT CASE WHEN p.id IN (SELECT capture_id FROM capture_origins) THEN 0 ELSE p.received_at END
     FROM captures p WHERE p.id <= :id ORDER BY p.id DESC LIMIT 1), 0) - 60000000
  AND c.id NOT IN (SELECT capture_id FROM capture_origins)`

const oneOf = (known: readonly string[], otherwise: string): Codec<string> => ({
  decode: (stored) => (known.includes(String(stored)) ? stored : otherwise),
  encode: (value) => value,
})

export type Captures = ReturnType<typeof createCaptures>

/**
 * Reads captures; the writer thread writes them. All lists are newest first.
 * @param onChanged called for each reading of a capture that was changed on disk
 */
export function createCaptures(
  database: Database,
  onChanged: (id: number) => void = () => undefined,
) {
  const sql = createSql(database, {
    pinned: flag,
    ...headerCodecs,
    // An invalid value on disk is read as the one that claims least.
    completeness: oneOf(bodyCompleteness, 'partial'),
    token: oneOf(tokenVerdicts, 'unchecked'),
  })
  const one = `SELECT ${columns} ${from} WHERE c.id = ?`

  const get = (id: number) =>
    sql.get<StoredCaptureDetail>(
      `SELECT ${columns}, c.http_version, c.remote_address, c.incident, c.headers
       ${from} WHERE c.id = ?`,
      id,
    )

  const stored = createSql(database)
  function read(id: number) {
    const row = stored.get<Parameters<typeof describeChange>[1]>(
      `SELECT method, target, headers, body, ${checksumColumn} FROM captures WHERE id = ?`,
      id,
    )
    if (row === null) return null
    const change = describeChange(id, row)
    if (change !== null) onChanged(id)
    return { body: row.body, change }
  }

  return {
    get,
    /** @throws AppError CAPTURE_NOT_FOUND */
    existing(id: number): StoredCaptureDetail {
      const capture = get(id)
      if (capture === null) throw captureGone(id)
      return capture
    },
    list: (limit: number, before = Number.MAX_SAFE_INTEGER, after = 0) =>
      sql.all<StoredCapture>(
        `SELECT ${columns} ${from} WHERE c.id < ? AND c.id > ? ORDER BY c.id DESC LIMIT ?`,
        ...[before, after, limit],
      ),
    byIds: (ids: readonly number[]) =>
      ids.flatMap((id) => sql.get<StoredCapture>(one, id) ?? []).sort((a, b) => b.id - a.id),
    /** @throws AppError CAPTURE_NOT_FOUND; DATA_DAMAGED if the body was changed on disk */
    body(id: number): Uint8Array {
      const found = read(id)
      if (found === null) throw captureGone(id)
      if (found.change !== null) throw new AppError(appCodes.dataDamaged, found.change)
      return found.body
    },
    /** The result contains a sentence if the capture was changed on disk. */
    read,
    /**
     * Time in milliseconds before which changes on disk are unknown; null if every change since the
     * arrival is known.
     */
    unverifiedBefore: (id: number, now: number) =>
      sql.value<number>(
        `SELECT iif(checksum IS NULL, coalesce((SELECT computed_at FROM capture_checksums
           WHERE capture_id = id), ?), NULL) FROM captures WHERE id = ?`,
        ...[now, id],
      ),
    countAfter: (id: number) => sql.value<number>(receivedAfterSql, { id }) ?? 0,
    oldestAt: () =>
      sql.value<number>(
        `SELECT received_at FROM captures INDEXED BY captures_by_time
         WHERE id NOT IN (SELECT capture_id FROM capture_origins) ORDER BY received_at LIMIT 1`,
      ),
    countPinned: () => sql.count('capture_marks WHERE pinned = 1'),
    /** Returns the oldest captures first. */
    madeFrom: (name: string, after: number, limit: number) =>
      sql.column<number>(
        `SELECT capture_id FROM capture_origins
         WHERE capture_id > ? AND origin = 'imported' AND made_from = ?
         ORDER BY capture_id LIMIT ?`,
        ...[after, name, limit],
      ),
  }
}

export const captureGone = (id: number): AppError =>
  new AppError(
    captureCodes.notFound,
    `There is no capture ${id}. The capture was deleted, or the retention limit removed it.`,
  )

const maxOfEvent = 20
const maxRefused = 100
const largestLt = 2n ** 63n - 1n

export type Sightings = ReturnType<typeof createSightings>

/**
 * Finds received captures of a delivery that the gateway reports.
 * @param index a separate connection to the index file
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
    /** Returns at most twenty captures, the oldest first. */
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
    /** Returns responses other than 200 in a period in microseconds, inclusive; at most a hundred. */
    refusedIn(from: number, to: number) {
      const ids = sql.column<number>(
        `SELECT id FROM captures INDEXED BY captures_by_time
         WHERE received_at BETWEEN ? AND ? AND status IS NOT 200 AND ${received}
         ORDER BY received_at LIMIT ${maxRefused}`,
        ...[from, to],
      )
      return captures.byIds(ids).reverse()
    },
    /** Returns the times in microseconds of the last capture before a moment and of the first after it. */
    around: (moment: number) => ({
      before: momentOf('<= ? ORDER BY received_at DESC', moment),
      after: momentOf('> ? ORDER BY received_at', moment),
    }),
  }
}

export type CountedOf = { readonly tokenIds: readonly string[] } | { readonly account: string }

/** The time in milliseconds since the epoch. */
type CountedCapture = { readonly at: number; readonly isTaken: boolean }

/** The first and the last id of a slice. */
type IdSlice = readonly [number, number]

const sliceRows = { captures: 1000, facts: 10_000 }
/** Ids are assigned at the end of a request, whose time limit determines this value. */
const slackUs = 120_000_000

export type CaptureCounts = ReturnType<typeof createCaptureCounts>

/**
 * Counts deliveries in slices of ids, so that nothing is blocked.
 * @param index a separate connection to the index file
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

  function among(of: CountedOf, [from, to]: IdSlice): CountedCapture[] {
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
    among,
    /** Slices of ids that contain all captures of a period in milliseconds. */
    *slices(of: CountedOf, from: number, to: number): Iterable<IdSlice> {
      const rows = 'tokenIds' in of ? sliceRows.captures : sliceRows.facts
      const first = firstFrom(from * 1000 - slackUs)
      if (first === null) return
      const newest = () => sql.value<number>('SELECT max(id) FROM captures') ?? first
      const last = firstFrom(to * 1000 + slackUs) ?? newest()
      for (let start = first; start <= last; start += rows) {
        yield [start, Math.min(last, start + rows - 1)]
      }
    },
  }
}
