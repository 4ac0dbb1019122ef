import { joinHeaders, splitHeaders } from '../../captures/store/capture-record.ts'
import { type Database, transaction } from '../../database/database.ts'
import type { ReplayCursor } from './replay-jobs.ts'

type SentAnswer = {
  /** Null where none came. */
  readonly status: number | null
  readonly durationUs: number
  readonly headers: readonly (readonly [string, string])[]
  /** Its beginning. */
  readonly body: Uint8Array
  readonly bodyBytes: number
  readonly problem: string | null
}

/** One request that was sent again. */
export type StoredSending = {
  readonly job: number
  readonly index: number
  readonly capture: number
  /** Microseconds. */
  readonly at: number
  readonly isOk: boolean
  readonly isAgain: boolean
  readonly answer: SentAnswer
}

type ReplayProgress = {
  readonly delivered: number
  readonly failed: number
  readonly cursor: ReplayCursor
  readonly begun: number
}

/** Most sendings that one job makes: an index has 24 bits of a sending's id. */
const maxSendings = 10_000_000

export type ReplaySendings = {
  /** Of one job. */
  readonly most: number
  /** What was answered, and how far the job has come with it: both or nothing. */
  write(job: number, sendings: readonly StoredSending[], progress: ReplayProgress): void
  /** After an index, in order; fewer than `limit` when their answers are large. */
  list(
    job: number,
    options: { readonly onlyFailed: boolean; readonly after: number; readonly limit: number },
  ): { readonly sendings: StoredSending[]; readonly nextAfter: number | null }
  get(job: number, index: number): StoredSending | null
  /** Newest first. */
  ofCapture(capture: number, limit: number): StoredSending[]
  /** Indexes written of a job, from one on. */
  writtenFrom(job: number, index: number): number[]
  /** Jobs that there are sendings of. */
  jobs(): number[]
  /** Some of those beyond what is kept, the oldest. @returns false when there are none */
  prune(): boolean
  /** Some of a job's. @returns false when there are none left */
  removeSome(job: number): boolean
}

const indexes = 2 ** 24
/** Kept altogether, the newest. */
const keptSendings = 200_000
const keptBytes = 256 * 1024 * 1024
const prunedAtOnce = 500
const removedAtOnce = 2000
/** Answers of one page. */
const pageBytes = 2 * 1024 * 1024

/** @param kept what is kept altogether; other bounds in tests only */
export function createReplaySendings(
  database: Database,
  kept = { sendings: keptSendings, bytes: keptBytes },
): ReplaySendings {
  const put = database.prepare(
    `INSERT OR REPLACE INTO replay_sendings (id, capture_id, at, status, is_ok, is_again,
       duration_us, problem, body_bytes, headers, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const progressed = database.prepare(
    `UPDATE replay_jobs SET delivered = ?, failed = ?, next_index = ?, round = ?, key = ?, copy = ?,
       begun = ? WHERE id = ?`,
  )
  const range = 'WHERE id > ? AND id < ?'
  const all = database.prepare(`SELECT * FROM replay_sendings ${range} ORDER BY id LIMIT ?`)
  const failed = database.prepare(
    `SELECT * FROM replay_sendings ${range} AND is_ok = 0 ORDER BY id LIMIT ?`,
  )
  const one = database.prepare('SELECT * FROM replay_sendings WHERE id = ?')
  const ofCapture = database.prepare(
    'SELECT * FROM replay_sendings WHERE capture_id = ? ORDER BY at DESC, id DESC LIMIT ?',
  )
  const written = database.prepare(
    'SELECT id FROM replay_sendings WHERE id >= ? AND id < ? ORDER BY id',
  )
  const next = database.prepare('SELECT min(id) AS id FROM replay_sendings WHERE id >= ?')
  // What a length is, is read without reading the bytes.
  const sums = database.prepare(
    `SELECT count(*) AS sendings, coalesce(sum(length(body) + length(headers)), 0) AS bytes
     FROM replay_sendings`,
  )
  const drop = database.prepare(
    `DELETE FROM replay_sendings WHERE id IN (SELECT id FROM replay_sendings ORDER BY id LIMIT ?)
     RETURNING length(body) + length(headers) AS bytes`,
  )
  const removeSome = database.prepare(
    `DELETE FROM replay_sendings WHERE id IN
       (SELECT id FROM replay_sendings ${range} ORDER BY id LIMIT ?)
     RETURNING length(body) + length(headers) AS bytes`,
  )
  /** Counted once, when it is first needed, then kept. */
  let total: { sendings: number; bytes: number } | null = null

  function counted(): { sendings: number; bytes: number } {
    if (total === null) {
      const row = sums.get()
      total = { sendings: Number(row?.['sendings']), bytes: Number(row?.['bytes']) }
    }
    return total
  }

  function gone(rows: readonly Record<string, unknown>[]): void {
    if (total === null) return
    total.sendings -= rows.length
    for (const row of rows) total.bytes -= Number(row['bytes'])
  }

  const firstOf = (job: number) => job * indexes - 1
  const endOf = (job: number) => (job + 1) * indexes

  return {
    most: maxSendings,
    write(job, sendings, { delivered, failed: failures, cursor, begun }) {
      transaction(database, () => {
        for (const { index, capture, at, isOk, isAgain, answer } of sendings) {
          const headers = joinHeaders(answer.headers.flat())
          put.run(
            job * indexes + index,
            capture,
            at,
            answer.status,
            Number(isOk),
            Number(isAgain),
            answer.durationUs,
            answer.problem,
            answer.bodyBytes,
            headers,
            answer.body,
          )
          if (total !== null) {
            total.sendings += 1
            total.bytes += answer.body.byteLength + headers.length
          }
        }
        const { index, round, key, copy } = cursor
        progressed.run(delivered, failures, index, round, key, copy, begun, job)
      })
    },
    list(job, { onlyFailed, after, limit }) {
      const found: StoredSending[] = []
      let bytes = 0
      const statement = onlyFailed ? failed : all
      for (const row of statement.iterate(job * indexes + after, endOf(job), limit + 1)) {
        const last = found.at(-1)
        if (last !== undefined && (found.length === limit || bytes > pageBytes)) {
          return { sendings: found, nextAfter: last.index }
        }
        const sending = toSending(row)
        found.push(sending)
        bytes += sending.answer.body.byteLength
      }
      return { sendings: found, nextAfter: null }
    },
    get(job, index) {
      const row = one.get(job * indexes + index)
      return row === undefined ? null : toSending(row)
    },
    ofCapture: (capture, limit) => ofCapture.all(capture, limit).map(toSending),
    writtenFrom: (job, index) =>
      written.all(job * indexes + index, endOf(job)).map((row) => Number(row['id']) % indexes),
    jobs() {
      const found: number[] = []
      for (;;) {
        const id = next.get(endOf(found.at(-1) ?? -1))?.['id']
        if (typeof id !== 'number') return found
        found.push(Math.floor(id / indexes))
      }
    },
    prune() {
      const { sendings, bytes } = counted()
      if (sendings <= kept.sendings && bytes <= kept.bytes) return false
      gone(drop.all(prunedAtOnce))
      return true
    },
    removeSome(job) {
      const rows = removeSome.all(firstOf(job), endOf(job), removedAtOnce)
      gone(rows)
      return rows.length > 0
    },
  }
}

function toSending(row: Record<string, unknown>): StoredSending {
  const id = row['id'] as number
  return {
    job: Math.floor(id / indexes),
    index: id % indexes,
    capture: row['capture_id'] as number,
    at: row['at'] as number,
    isOk: row['is_ok'] === 1,
    isAgain: row['is_again'] === 1,
    answer: {
      status: row['status'] as number | null,
      durationUs: row['duration_us'] as number,
      headers: splitHeaders(row['headers'] as string),
      body: row['body'] as Uint8Array,
      bodyBytes: row['body_bytes'] as number,
      problem: row['problem'] as string | null,
    },
  }
}
