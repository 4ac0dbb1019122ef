import type {
  CaptureOrigin,
  ForwardSummary,
  MeaningState,
  TokenVerdict,
} from '../../../../src-preload/domain/capture-words.ts'
import type {
  Completeness,
  HistogramBucket,
  MeaningFacts,
  MovedAmount,
} from '../../../../src-preload/contract/capture.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { noFacts } from '../../explanation/facts.ts'
import { nextCaptureId } from '../capture-deletion.ts'
import { splitHeaders } from '../capture-record.ts'
import { countAfterSql } from '../captures.ts'
import { type Database, isDamage, openDatabase } from '../../../database/database.ts'
import { forwardSummarySql } from './forwarded.ts'

/** A capture as the index reads it, with what has been learnt of it since. */
export type LoggedCapture = {
  readonly id: number
  readonly origin: CaptureOrigin
  readonly receivedAt: number
  readonly durationUs: number
  readonly status: number | null
  readonly method: string
  readonly target: string
  readonly remoteAddress: string
  readonly completeness: Completeness
  readonly token: TokenVerdict
  readonly tokenId: string | null
  readonly headers: [string, string][]
  readonly bodyBytes: number
  readonly body: Uint8Array
  readonly pinned: boolean
  readonly note: string
  readonly network: NetworkId | null
  readonly meaning: MeaningFacts
  readonly explanation: string | null
}

/**
 * Reads the log through the index's connection, where it is attached as `log`. Captures come in
 * slices: fewer than asked for when their bodies are large, but none only where there are none.
 */
export type LogReader = {
  after(id: number, limit: number): LoggedCapture[]
  /** Newest first, of those between the two ids. */
  before(id: number, after: number, limit: number): LoggedCapture[]
  /** Those of these ids that are there, in their order, one at a time. */
  byIds(ids: readonly number[]): Iterable<LoggedCapture>
  countAfter(id: number): number
  /** 0 when there are none. */
  newestId(): number
  /** Ids of captures still there, both ends included. */
  idsBetween(from: number, to: number): number[]
  deletionsAfter(seq: number, limit: number): { seq: number; from: number; to: number }[]
  /** How sending it on went, to all targets together; null where no rule took it. */
  forwardOf(id: number): ForwardSummary | null
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
  const select = (which: string) =>
    database.prepare(
      `SELECT c.id, c.received_at, c.duration_us, c.status, c.method, c.target, c.remote_address,
         c.completeness, c.token, c.token_id, c.headers, c.body_bytes, c.body,
         o.origin, k.pinned, k.note, m.state, m.units, m.jetton, m.symbol, m.decimals, m.direction,
         m.sender, m.recipient, m.comment, m.opcode, m.exit_code, m.success, m.invoice, m.explanation,
         coalesce(m.network, n.network) AS network
       FROM log.captures c LEFT JOIN log.capture_origins o ON o.capture_id = c.id
         LEFT JOIN log.capture_marks k ON k.capture_id = c.id
         LEFT JOIN log.capture_meanings m ON m.capture_id = c.id
         LEFT JOIN log.capture_networks n ON n.capture_id = c.id
       WHERE ${which}`,
    )
  const after = select('c.id > ? ORDER BY c.id LIMIT ?')
  const before = select('c.id < ? AND c.id > ? ORDER BY c.id DESC LIMIT ?')
  const one = select('c.id = ?')
  const forward = database.prepare(forwardSummarySql)
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
    before: (id, newerThan, limit) => slice(before.iterate(id, newerThan, limit)),
    *byIds(ids) {
      for (const id of ids) {
        const row = one.get(id)
        if (row !== undefined) yield toLogged(row)
      }
    },
    forwardOf: (id) => (forward.get(id)?.['summary'] as ForwardSummary | undefined) ?? null,
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

type Row = Record<string, unknown>

/* The tables are STRICT, and their enumerations are written from the contract's lists only. */
function toLogged(row: Row): LoggedCapture {
  const text = (name: string) => row[name] as string
  const number = (name: string) => row[name] as number
  return {
    id: number('id'),
    origin: (row['origin'] as CaptureOrigin | null) ?? 'received',
    receivedAt: number('received_at'),
    durationUs: number('duration_us'),
    status: row['status'] as number | null,
    method: text('method'),
    target: text('target'),
    remoteAddress: text('remote_address'),
    completeness: row['completeness'] as Completeness,
    token: row['token'] as TokenVerdict,
    tokenId: row['token_id'] as string | null,
    headers: splitHeaders(text('headers')),
    bodyBytes: number('body_bytes'),
    body: row['body'] as Uint8Array,
    pinned: row['pinned'] === 1,
    note: (row['note'] as string | null) ?? '',
    network: row['network'] as NetworkId | null,
    meaning: row['state'] === null ? noFacts : toMeaning(row),
    explanation: row['explanation'] as string | null,
  }
}

function toMeaning(row: Row): MeaningFacts {
  const text = (name: string) => row[name] as string | null
  const units = text('units')
  return {
    state: row['state'] as MeaningState,
    amount:
      units === null
        ? null
        : {
            units,
            asset: {
              jetton: text('jetton'),
              symbol: row['symbol'] as string,
              decimals: row['decimals'] as number,
            },
            direction: row['direction'] as MovedAmount['direction'],
          },
    sender: text('sender'),
    recipient: text('recipient'),
    comment: text('comment'),
    opcode: text('opcode'),
    exitCode: row['exit_code'] as number | null,
    success: row['success'] === null ? null : row['success'] === 1,
    invoice: text('invoice'),
  }
}
