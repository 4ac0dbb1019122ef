import type { LookupLine, LookupRow } from '../../../src-preload/contract/lookup.ts'
import type { Database } from '../../database/database.ts'
import { createSql, int64 } from '../../database/sql.ts'
import { type StoredRow, rowCodecs, rowColumns } from './lookup-row.ts'

/** An address of a job that has no answer yet. */
export type Waiting = {
  readonly index: number
  /** Null while the name in `text` has not been resolved. */
  readonly address: string | null
  readonly text: string
}

/** What the gateway said of one address. */
export type LookupAnswer = Pick<
  LookupRow,
  | 'inCurrency'
  | 'walletKind'
  | 'interfaces'
  | 'lastActivity'
  | 'name'
  | 'isScam'
  | 'isSuspended'
  | 'memoRequired'
> & {
  readonly status: NonNullable<LookupRow['status']>
  /** Nanotons; fits an int64. */
  readonly balance: bigint
}

export type Asked = {
  readonly answers: readonly (LookupAnswer & {
    readonly index: number
    readonly changes: readonly string[]
  })[]
  readonly failures: readonly { readonly index: number; readonly reason: string }[]
  /** Requests that it took. */
  readonly requests: number
  readonly chunk: number | null
}

const removedAtOnce = 2000

export type LookupLines = ReturnType<typeof createLookupLines>

/** The entries of lookups, each in the order it was given in. Every call is one short transaction. */
export function createLookupLines(database: Database) {
  const sql = createSql(database, { ...rowCodecs, balance: int64 })
  const rows = createSql(database, rowCodecs)

  return {
    add: (job: number, lines: readonly LookupLine[]) =>
      sql.transaction(() => {
        for (const { index: idx, line, text, status, reason, address, others } of lines) {
          const state = status === 'valid' ? 'waiting' : status
          const entry = { idx, line, text, state, reason, address, others }
          sql.insert('lookup_lines', { jobId: job, ...entry })
        }
      }),
    /** Entries `from` to below `to` of another job, as if none had been asked about. */
    copy: (job: number, other: number, from: number, to: number) =>
      void sql.run(
        `INSERT INTO lookup_lines (job_id, idx, line, text, state, reason, address, others)
         SELECT $job, idx, line, text,
           CASE WHEN state IN ('answered', 'failed') THEN 'waiting' ELSE state END,
           CASE WHEN state = 'failed' THEN NULL ELSE reason END, address, others
         FROM lookup_lines WHERE job_id = $other AND idx >= $from AND idx < $to`,
        { job, other, from, to },
      ),
    waiting: (job: number, after: number, limit: number) =>
      sql.all<Waiting>(
        `SELECT idx AS "index", address, text FROM lookup_lines
         WHERE job_id = ? AND idx > ? AND state = 'waiting' ORDER BY idx LIMIT ?`,
        ...[job, after, limit],
      ),
    /** Those answered among entries `from` to `to`, for comparison. */
    answered: (job: number, from: number, to: number) =>
      rows.all<StoredRow>(
        `SELECT ${rowColumns} FROM lookup_lines
         WHERE job_id = ? AND idx BETWEEN ? AND ? AND state = 'answered'`,
        ...[job, from, to],
      ),
    /** Where a name leads. */
    setAddress: (job: number, index: number, address: string) =>
      void sql.run(
        'UPDATE lookup_lines SET address = ? WHERE job_id = ? AND idx = ? AND address IS NULL',
        ...[address, job, index],
      ),
    /** Keeps what came of a request; the job counts it. What has its answer already stays as it is. */
    keep: (job: number, { answers, failures, requests, chunk }: Asked) =>
      sql.transaction(() => {
        let kept = 0
        for (const one of answers) {
          kept += sql.run(
            `UPDATE lookup_lines SET state = 'answered', status = $status, balance = $balance,
               in_currency = $inCurrency, wallet_kind = $walletKind, interfaces = $interfaces,
               last_activity = $lastActivity, name = $name,
               flags = $isScam + 2 * $isSuspended + 4 * $memoRequired, changes = $changes
             WHERE job_id = $job AND idx = $index AND state = 'waiting'`,
            { ...one, job },
          )
        }
        let failed = 0
        for (const { index, reason } of failures) {
          const where = { jobId: job, idx: index, state: 'waiting' }
          failed += sql.update('lookup_lines', { state: 'failed', reason }, where)
        }
        sql.run(
          `UPDATE lookup_jobs SET answered = answered + ?, failed = failed + ?,
             requests = requests + ?, chunk = ? WHERE id = ?`,
          ...[kept, failed, requests, chunk, job],
        )
      }),
    /** Failed ones wait again. */
    retry: (job: number) =>
      sql.transaction(() => {
        const waiting = { state: 'waiting', reason: null }
        sql.update('lookup_lines', waiting, { jobId: job, state: 'failed' })
        sql.update('lookup_jobs', { failed: 0 }, { id: job })
      }),
    /** Jobs that are no more yet have lines, or were never whole. */
    orphans: () =>
      // One step from job to job: DISTINCT would read every line there is.
      sql.column<number>(
        `WITH RECURSIVE ids (id) AS (
           SELECT min(job_id) FROM lookup_lines
           UNION ALL
           SELECT (SELECT min(job_id) FROM lookup_lines WHERE job_id > id) FROM ids WHERE id IS NOT NULL
         )
         SELECT id FROM ids
         WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM lookup_jobs WHERE is_whole = 1)
         UNION SELECT id FROM lookup_jobs WHERE is_whole = 0`,
      ),
    /** Removes some lines of a job; false when there are none left. */
    removeSome(job: number): boolean {
      const from = sql.value<number>('SELECT min(idx) FROM lookup_lines WHERE job_id = ?', job)
      if (from === null) sql.remove('lookup_jobs', { id: job, isWhole: false })
      else
        sql.run('DELETE FROM lookup_lines WHERE job_id = ? AND idx < ?', job, from + removedAtOnce)
      return from !== null
    },
  }
}
