import { headerCodecs, joinHeaders } from '../../captures/store/capture-record.ts'
import type { Database } from '../../database/database.ts'
import { type Sql, createSql } from '../../database/sql.ts'
import type { AttemptDetail } from '../targets/target-kind.ts'
import type { ReplayRecord } from './replay-jobs.ts'

type StoredAnswer = Omit<AttemptDetail, 'at' | 'isCut'>

export type StoredSending = {
  readonly job: number
  readonly index: number
  readonly capture: number
  readonly at: number
  readonly isOk: boolean
  readonly isAgain: boolean
  readonly answer: StoredAnswer
}

/** A larger id would not fit into the 24 bits of an index. */
const maxSendings = 10_000_000

const indexes = 2 ** 24
const keptSendings = 200_000
const keptBytes = 256 * 1024 * 1024
const prunedAtOnce = 500
const removedAtOnce = 2000
const pageBytes = 2 * 1024 * 1024

export type ReplaySendings = ReturnType<typeof createReplaySendings>

export function createReplaySendings(
  database: Database,
  kept = { sendings: keptSendings, bytes: keptBytes },
) {
  // `write` joins the headers itself, so that they are joined once for their text and their length.
  const sql = createSql(database, { headers: { ...headerCodecs.headers, encode: String } })
  const size = createSize(sql, kept)

  return {
    ...size.pruning,
    most: maxSendings,
    write: (
      job: number,
      sendings: readonly StoredSending[],
      progress: Pick<ReplayRecord, 'delivered' | 'failed' | 'cursor' | 'begun'>,
    ) =>
      sql.transaction(() => {
        const rows = sendings.map((sending) => toRow(job, sending))
        size.add(rows)
        sql.insertAll('replay_sendings', rows, 'INSERT OR REPLACE')
        const { delivered, failed, begun, cursor } = progress
        const { index: nextIndex, round, key } = cursor
        const fields = { delivered, failed, begun, nextIndex, round, key }
        sql.update('replay_jobs', fields, { id: job })
      }),
    /** Returns fewer than `limit` if responses are large. */
    list(
      job: number,
      options: { readonly onlyFailed: boolean; readonly after: number; readonly limit: number },
    ): { readonly sendings: StoredSending[]; readonly nextAfter: number | null } {
      const { onlyFailed, after, limit } = options
      const found: StoredSending[] = []
      let bytes = 0
      const rows = sql.iterate<SendingRow>(
        `${select} id > ? AND id < ? ${onlyFailed ? 'AND is_ok = 0' : ''} ORDER BY id LIMIT ?`,
        ...[job * indexes + after, endOf(job), limit + 1],
      )
      for (const row of rows) {
        const last = found.at(-1)
        if (last !== undefined && (found.length === limit || bytes > pageBytes)) {
          return { sendings: found, nextAfter: last.index }
        }
        found.push(toSending(row))
        bytes += row.body.byteLength
      }
      return { sendings: found, nextAfter: null }
    },
    get(job: number, index: number): StoredSending | null {
      const row = sql.get<SendingRow>(`${select} id = ?`, job * indexes + index)
      return row && toSending(row)
    },
    ofCapture: (capture: number, limit: number) =>
      sql
        .all<SendingRow>(
          `${select} capture_id = ? ORDER BY at DESC, id DESC LIMIT ?`,
          ...[capture, limit],
        )
        .map(toSending),
    writtenFrom: (job: number, index: number) =>
      sql
        .column<number>(
          'SELECT id FROM replay_sendings WHERE id >= ? AND id < ? ORDER BY id',
          ...[job * indexes + index, endOf(job)],
        )
        .map((id) => id % indexes),
    jobs(): number[] {
      const found: number[] = []
      for (;;) {
        const id = sql.value<number>(
          'SELECT min(id) FROM replay_sendings WHERE id >= ?',
          endOf(found.at(-1) ?? -1),
        )
        if (id === null) return found
        found.push(Math.floor(id / indexes))
      }
    },
  }
}

/** Sums over all rows, which are read when pruning begins; the oldest rows are removed until the sums fit. */
function createSize(sql: Sql, kept: { readonly sendings: number; readonly bytes: number }) {
  const length = 'length(body) + length(headers)'
  let total: { sendings: number; bytes: number } | null = null

  function change(sign: 1 | -1, lengths: readonly number[]): void {
    if (total === null) return
    total.sendings += sign * lengths.length
    for (const bytes of lengths) total.bytes += sign * bytes
  }

  return {
    add: (rows: readonly ReturnType<typeof toRow>[]) =>
      change(
        1,
        rows.map(({ body, headers }) => body.byteLength + headers.length),
      ),
    pruning: {
      /** @returns false if nothing is beyond the limits */
      prune(): boolean {
        total ??= sql.get(
          `SELECT count(*) AS sendings, coalesce(sum(${length}), 0) AS bytes FROM replay_sendings`,
        ) as { sendings: number; bytes: number }
        if (total.sendings <= kept.sendings && total.bytes <= kept.bytes) return false
        const lengths = sql.column<number>(
          `DELETE FROM replay_sendings WHERE id IN
             (SELECT id FROM replay_sendings ORDER BY id LIMIT ?) RETURNING ${length}`,
          prunedAtOnce,
        )
        change(-1, lengths)
        return true
      },
      removeSome(job: number): boolean {
        const lengths = sql.column<number>(
          `DELETE FROM replay_sendings WHERE id IN
             (SELECT id FROM replay_sendings WHERE id > ? AND id < ? ORDER BY id LIMIT ?)
           RETURNING ${length}`,
          ...[job * indexes - 1, endOf(job), removedAtOnce],
        )
        change(-1, lengths)
        return lengths.length > 0
      },
    },
  }
}

const select = `SELECT id, capture_id AS capture, at, is_ok, is_again, status, duration_us, headers,
  body, body_bytes, problem FROM replay_sendings WHERE`

const endOf = (job: number) => (job + 1) * indexes

type SendingRow = Omit<StoredSending, 'job' | 'index' | 'answer'> &
  StoredAnswer & { readonly id: number }

const toSending = ({ id, capture, at, isOk, isAgain, ...answer }: SendingRow): StoredSending => ({
  job: Math.floor(id / indexes),
  index: id % indexes,
  capture,
  at,
  isOk,
  isAgain,
  answer,
})

function toRow(job: number, { index, capture, at, isOk, isAgain, answer }: StoredSending) {
  const { status, durationUs, body, bodyBytes, problem } = answer
  return {
    id: job * indexes + index,
    captureId: capture,
    at,
    isOk,
    isAgain,
    status,
    durationUs,
    headers: joinHeaders(answer.headers.flat()),
    body,
    bodyBytes,
    problem,
  }
}
