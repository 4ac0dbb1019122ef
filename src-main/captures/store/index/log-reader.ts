import type { ForwardSummary } from '../../../../src-preload/domain/capture-values.ts'
import type { ExplanationFacts } from '../../../../src-preload/contract/capture.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { noFacts } from '../../explanation/facts.ts'
import { nextCaptureId } from '../capture-deletion.ts'
import { type FactRow, factColumns, toFacts } from '../capture-explanations.ts'
import { durationColumn, headerCodecs } from '../capture-record.ts'
import type { StoredCaptureDetail } from '../captures.ts'
import { type Database, isDamage, openDatabase } from '../../../database/database.ts'
import { createSql, flag } from '../../../database/sql.ts'
import { forwardSummarySql } from './index-plan.ts'

export type LoggedCapture = Omit<StoredCaptureDetail, 'httpVersion' | 'incident'> & {
  readonly body: Uint8Array
  readonly network: NetworkId | null
  readonly meaning: ExplanationFacts
  readonly explanation: string | null
}

/** The limit keeps a slice of hundreds of bodies, each of up to 64 MiB, out of memory. */
const sliceBytes = 8 * 1024 * 1024

export function newestIdEver(logPath: string): number {
  using database = openDatabase(logPath, { readOnly: true })
  return nextCaptureId(database) - 1
}

export type LogReader = ReturnType<typeof createLogReader>

/**
 * Reads the log through the index's connection, to which it is attached as `log`. Large bodies make
 * a slice shorter, but an empty slice means the end.
 */
export function createLogReader(database: Database, logPath: string) {
  const sql = createSql(database, { ...headerCodecs, pinned: flag, success: flag })
  sql.run('ATTACH DATABASE ? AS log', logPath)
  const select = `
    SELECT c.id, c.received_at, ${durationColumn}, c.status, c.method, c.target, c.remote_address,
      c.completeness, c.token, c.token_id, c.headers, c.body_bytes, c.body,
      coalesce(o.origin, 'received') AS origin, coalesce(k.pinned, 0) AS pinned,
      coalesce(k.note, '') AS note, ${factColumns}, m.explanation,
      coalesce(m.network, n.network) AS network
    FROM log.captures c LEFT JOIN log.capture_origins o ON o.capture_id = c.id
      LEFT JOIN log.capture_marks k ON k.capture_id = c.id
      LEFT JOIN log.capture_meanings m ON m.capture_id = c.id
      LEFT JOIN log.capture_networks n ON n.capture_id = c.id`

  function slice(rows: Iterable<Row>): LoggedCapture[] {
    const captures: LoggedCapture[] = []
    let bytes = 0
    for (const row of rows) {
      captures.push(toLogged(row))
      bytes += row.body.byteLength
      if (bytes > sliceBytes) break
    }
    return captures
  }

  return {
    after: (id: number, limit: number) =>
      slice(sql.iterate<Row>(`${select} WHERE c.id > ? ORDER BY c.id LIMIT ?`, id, limit)),
    before: (id: number, after: number, limit: number) =>
      slice(
        sql.iterate<Row>(
          `${select} WHERE c.id < ? AND c.id > ? ORDER BY c.id DESC LIMIT ?`,
          ...[id, after, limit],
        ),
      ),
    *byIds(ids: readonly number[]): Generator<LoggedCapture, void> {
      for (const id of ids) {
        const row = sql.get<Row>(`${select} WHERE c.id = ?`, id)
        if (row !== null) yield toLogged(row)
      }
    },
    forwardOf: (id: number) => sql.value<ForwardSummary>(forwardSummarySql, id),
    countAfter: (id: number) => sql.value<number>(countAfterSql, { id }) ?? 0,
    /** The value is 0 if there are no captures. */
    newestId: () => sql.value<number>('SELECT max(id) FROM log.captures') ?? 0,
    /** Both ends are inclusive. */
    idsBetween: (from: number, to: number) =>
      sql.column<number>('SELECT id FROM log.captures WHERE id BETWEEN ? AND ?', from, to),
    deletionsAfter: (seq: number, limit: number) =>
      sql.all<{ seq: number; from: number; to: number }>(
        `SELECT seq, from_id AS "from", to_id AS "to" FROM log.capture_deletions
         WHERE seq > ? ORDER BY seq LIMIT ?`,
        ...[seq, limit],
      ),
    /** The histogram counts only received captures. */
    histogram(from: number, to: number, buckets: number) {
      const startOf = (index: number) => Math.round(from + (index * (to - from)) / buckets)
      return Array.from({ length: buckets }, (_, index) => {
        const startsAt = startOf(index)
        const count = (text: string) =>
          sql.get<Counted>(text, startsAt, startOf(index + 1)) ?? { total: 0, refused: 0 }
        const [all, put] = [count(countAllSql), count(countPutSql)]
        return { startsAt, total: all.total - put.total, refused: all.refused - put.refused }
      })
    },
    /** Returns at most 100 problems; empty for an intact file. */
    integrity(): string[] {
      try {
        // Without this, SQLite would verify cached pages instead of those in the file.
        database.exec('PRAGMA shrink_memory')
        const findings = sql.column<string>('PRAGMA log.integrity_check(100)')
        return findings.filter((finding) => finding !== 'ok')
      } catch (error) {
        if (isDamage(error)) return [error instanceof Error ? error.message : String(error)]
        throw error
      }
    },
    copyTo: (path: string) => void sql.run('VACUUM log INTO ?', path),
  }
}

/**
 * Counts captures newer than `:id`. Only the index by time is small enough for this. Ids follow the
 * ends of requests: a slow request began up to its time limit (here a minute) before its neighbors.
 */
const countAfterSql = `SELECT count(*) AS n FROM log.captures INDEXED BY captures_by_time
  WHERE id > :id AND received_at > coalesce(
    (SELECT received_at FROM log.captures WHERE id <= :id ORDER BY id DESC LIMIT 1), 0) - 60000000`

type Counted = { readonly total: number; readonly refused: number }

const countedSql = `count(*) AS total,
  count(CASE WHEN status BETWEEN 200 AND 299 THEN NULL ELSE 1 END) AS refused`
// One index range per bucket is five times as fast as grouping by an expression.
const countAllSql = `SELECT ${countedSql} FROM log.captures INDEXED BY captures_by_time
  WHERE received_at >= ? AND received_at < ?`
const countPutSql = `SELECT ${countedSql}
  FROM log.capture_origins o JOIN log.captures c ON c.id = o.capture_id
  WHERE o.received_at >= ? AND o.received_at < ?`

type Row = Omit<LoggedCapture, 'meaning'> &
  Omit<FactRow, 'state'> & { readonly state: FactRow['state'] | null }

function toLogged(row: Row): LoggedCapture {
  const { state } = row
  return { ...row, meaning: state === null ? noFacts : toFacts({ ...row, state }) }
}
