import type { HistogramBucket } from '../../../src-preload/contract/index.ts'
import { nextCaptureId } from '../capture-deletion.ts'
import { splitHeaders } from '../capture-record.ts'
import { countAfterSql } from '../captures.ts'
import type { Database } from '../database.ts'
import { isDamage, openDatabase } from '../database.ts'

/** A capture as the index reads it. */
export type LoggedCapture = {
  readonly id: number
  /** False for what a person put here. */
  readonly isReceived: boolean
  readonly receivedAt: number
  readonly method: string
  readonly target: string
  readonly headers: [string, string][]
  readonly body: Uint8Array
}

/**
 * Reads the log through the index's connection, where it is attached as `log`. Captures come in
 * slices: fewer than asked for when their bodies are large, but none only where there are none.
 */
export type LogReader = {
  after(id: number, limit: number): LoggedCapture[]
  /** Newest first, of those between the two ids. */
  before(id: number, after: number, pinnedOnly: boolean, limit: number): LoggedCapture[]
  countAfter(id: number): number
  /** 0 when there are none. */
  newestId(): number
  /** Ids of captures still there, both ends included. */
  idsBetween(from: number, to: number): number[]
  deletionsAfter(seq: number, limit: number): { seq: number; from: number; to: number }[]
  /** Of what was received. */
  histogram(from: number, to: number, buckets: number): HistogramBucket[]
  /** SQLite's findings, at most 100; empty when all is well. */
  integrity(): string[]
  copyTo(path: string): void
}

/** Bodies of up to 64 MiB each: a slice of hundreds must not be in memory at once. */
const sliceBytes = 8 * 1024 * 1024

/** The highest id the log has given out, whether its capture is still there or not. */
export function newestIdEver(logPath: string): number {
  const database = openDatabase(logPath, { readOnly: true })
  try {
    return nextCaptureId(database) - 1
  } finally {
    database.close()
  }
}

export function createLogReader(database: Database, logPath: string): LogReader {
  database.prepare('ATTACH DATABASE ? AS log').run(logPath)
  const columns = `id, received_at, method, target, headers, body,
    NOT EXISTS (SELECT 1 FROM log.capture_origins WHERE capture_id = id) AS is_received`
  const after = database.prepare(
    `SELECT ${columns} FROM log.captures WHERE id > ? ORDER BY id LIMIT ?`,
  )
  const beforeSql = (filter: string) =>
    `SELECT ${columns} FROM log.captures WHERE id < ? AND id > ? ${filter} ORDER BY id DESC LIMIT ?`
  const before = database.prepare(beforeSql(''))
  const pinnedBefore = database.prepare(
    beforeSql('AND id IN (SELECT capture_id FROM log.capture_marks WHERE pinned = 1)'),
  )
  const count = database.prepare(countAfterSql('log.captures'))
  const newest = database.prepare('SELECT max(id) AS id FROM log.captures')
  const ids = database.prepare('SELECT id FROM log.captures WHERE id BETWEEN ? AND ?')
  const deletions = database.prepare(
    'SELECT seq, from_id, to_id FROM log.capture_deletions WHERE seq > ? ORDER BY seq LIMIT ?',
  )
  // A range of the index at a time: five times as fast as grouping all of it by an expression.
  const bucket = database.prepare(
    `SELECT count(*) AS total,
       count(CASE WHEN status BETWEEN 200 AND 299 THEN NULL ELSE 1 END) AS refused
     FROM log.captures INDEXED BY captures_by_time WHERE received_at >= ? AND received_at < ?`,
  )

  const others = database.prepare(
    `SELECT count(*) AS total,
       count(CASE WHEN c.status BETWEEN 200 AND 299 THEN NULL ELSE 1 END) AS refused
     FROM log.capture_origins o JOIN log.captures c ON c.id = o.capture_id
     WHERE o.received_at >= ? AND o.received_at < ?`,
  )

  function toLogged(row: Record<string, unknown>): LoggedCapture {
    return {
      id: row['id'] as number,
      isReceived: row['is_received'] === 1,
      receivedAt: row['received_at'] as number,
      method: row['method'] as string,
      target: row['target'] as string,
      headers: splitHeaders(row['headers'] as string),
      body: row['body'] as Uint8Array,
    }
  }

  function slice(rows: Iterable<Record<string, unknown>>): LoggedCapture[] {
    const captures: LoggedCapture[] = []
    let bytes = 0
    for (const row of rows) {
      const capture = toLogged(row)
      captures.push(capture)
      bytes += capture.body.byteLength
      if (bytes > sliceBytes) break
    }
    return captures
  }

  return {
    after: (id, limit) => slice(after.iterate(id, limit)),
    before: (id, newerThan, pinnedOnly, limit) =>
      slice((pinnedOnly ? pinnedBefore : before).iterate(id, newerThan, limit)),
    countAfter: (id) => Number(count.get({ id })?.['n']),
    newestId: () => Number(newest.get()?.['id'] ?? 0),
    idsBetween: (from, to) => ids.all(from, to).map((row) => row['id'] as number),
    deletionsAfter: (seq, limit) =>
      deletions.all(seq, limit).map((row) => ({
        seq: row['seq'] as number,
        from: row['from_id'] as number,
        to: row['to_id'] as number,
      })),
    histogram(from, to, buckets) {
      const startOf = (index: number) => Math.round(from + (index * (to - from)) / buckets)
      return Array.from({ length: buckets }, (_, index) => {
        const startsAt = startOf(index)
        const all = bucket.get(startsAt, startOf(index + 1))
        const put = others.get(startsAt, startOf(index + 1))
        return {
          startsAt,
          total: Number(all?.['total']) - Number(put?.['total']),
          refused: Number(all?.['refused']) - Number(put?.['refused']),
        }
      })
    },
    integrity() {
      try {
        // Pages this connection remembers would be checked as it remembers them.
        database.exec('PRAGMA shrink_memory')
        return database
          .prepare('PRAGMA log.integrity_check(100)')
          .all()
          .map((row) => String(Object.values(row)[0]))
          .filter((finding) => finding !== 'ok')
      } catch (error) {
        // Some damage keeps the check itself from running.
        if (isDamage(error)) return [error instanceof Error ? error.message : String(error)]
        throw error
      }
    },
    copyTo(path) {
      database.prepare('VACUUM log INTO ?').run(path)
    },
  }
}
