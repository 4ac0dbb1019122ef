import type { LookupLine, LookupRow } from '../../../src-preload/contract/lookup.ts'
import { type Database, transaction } from '../../database/database.ts'
import { type StoredRow, rowColumns, toRow } from './lookup-row.ts'

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

/** The entries of lookups, each in the order it was given in. Every call is one short transaction. */
export type LookupLines = {
  add(job: number, lines: readonly LookupLine[]): void
  /** Entries `from` to below `to` of another job, as if none had been asked about. */
  copy(job: number, other: number, from: number, to: number): void
  waiting(job: number, after: number, limit: number): Waiting[]
  /** Those answered among entries `from` to `to`, for comparison. */
  answered(job: number, from: number, to: number): StoredRow[]
  /** Where a name leads. */
  setAddress(job: number, index: number, address: string): void
  /** Keeps what came of a request; the job counts it. What has its answer already stays as it is. */
  keep(job: number, asked: Asked): void
  /** Failed ones wait again. */
  retry(job: number): void
  /** Jobs that are no more yet have lines, or were never whole. */
  orphans(): number[]
  /** Removes some lines of a job; false when there are none left. */
  removeSome(job: number): boolean
}

const removedAtOnce = 2000

export function createLookupLines(database: Database): LookupLines {
  const insert = database.prepare(
    `INSERT INTO lookup_lines (job_id, idx, line, text, state, reason, address, others)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const copy = database.prepare(
    `INSERT INTO lookup_lines (job_id, idx, line, text, state, reason, address, others)
     SELECT $job, idx, line, text,
       CASE WHEN state IN ('answered', 'failed') THEN 'waiting' ELSE state END,
       CASE WHEN state = 'failed' THEN NULL ELSE reason END, address, others
     FROM lookup_lines WHERE job_id = $other AND idx >= $from AND idx < $to`,
  )
  const waiting = database.prepare(
    `SELECT idx, address, text FROM lookup_lines
     WHERE job_id = ? AND idx > ? AND state = 'waiting' ORDER BY idx LIMIT ?`,
  )
  const answered = database.prepare(
    `SELECT ${rowColumns} FROM lookup_lines
     WHERE job_id = ? AND idx BETWEEN ? AND ? AND state = 'answered'`,
  )
  answered.setReadBigInts(true)
  const answer = database.prepare(
    `UPDATE lookup_lines SET state = 'answered', status = ?, balance = ?, in_currency = ?,
       wallet_kind = ?, interfaces = ?, last_activity = ?, name = ?, flags = ?, changes = ?
     WHERE job_id = ? AND idx = ? AND state = 'waiting'`,
  )
  const setAddress = database.prepare(
    'UPDATE lookup_lines SET address = ? WHERE job_id = ? AND idx = ? AND address IS NULL',
  )
  const fail = database.prepare(
    `UPDATE lookup_lines SET state = 'failed', reason = ?
     WHERE job_id = ? AND idx = ? AND state = 'waiting'`,
  )
  const count = database.prepare(
    `UPDATE lookup_jobs SET answered = answered + ?, failed = failed + ?, requests = requests + ?,
       chunk = ? WHERE id = ?`,
  )
  const retry = database.prepare(
    `UPDATE lookup_lines SET state = 'waiting', reason = NULL WHERE job_id = ? AND state = 'failed'`,
  )
  const noneFailed = database.prepare('UPDATE lookup_jobs SET failed = 0 WHERE id = ?')
  // One step from job to job: DISTINCT would read every line there is.
  const orphans = database.prepare(
    `WITH RECURSIVE ids (id) AS (
       SELECT min(job_id) FROM lookup_lines
       UNION ALL
       SELECT (SELECT min(job_id) FROM lookup_lines WHERE job_id > id) FROM ids WHERE id IS NOT NULL
     )
     SELECT id FROM ids
     WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM lookup_jobs WHERE is_whole = 1)
     UNION SELECT id FROM lookup_jobs WHERE is_whole = 0`,
  )
  const first = database.prepare('SELECT min(idx) AS idx FROM lookup_lines WHERE job_id = ?')
  const remove = database.prepare('DELETE FROM lookup_lines WHERE job_id = ? AND idx < ?')
  const removeUnfinished = database.prepare('DELETE FROM lookup_jobs WHERE id = ? AND is_whole = 0')

  return {
    add(job, lines) {
      transaction(database, () => {
        for (const { index, line, text, status, reason, address, others } of lines) {
          const state = status === 'valid' ? 'waiting' : status
          insert.run(job, index, line, text, state, reason, address, JSON.stringify(others))
        }
      })
    },
    copy: (job, other, from, to) =>
      void copy.run({ $job: job, $other: other, $from: from, $to: to }),
    waiting: (job, after, limit) =>
      waiting.all(job, after, limit).map((row) => ({
        index: row['idx'] as number,
        address: row['address'] as string | null,
        text: row['text'] as string,
      })),
    setAddress: (job, index, address) => void setAddress.run(address, job, index),
    answered: (job, from, to) => answered.all(job, from, to).map(toRow),
    keep(job, { answers, failures, requests, chunk }) {
      transaction(database, () => {
        let kept = 0
        for (const one of answers) {
          const done = answer.run(
            one.status,
            one.balance,
            one.inCurrency,
            one.walletKind,
            JSON.stringify(one.interfaces),
            one.lastActivity,
            one.name,
            (one.isScam ? 1 : 0) | (one.isSuspended ? 2 : 0) | (one.memoRequired ? 4 : 0),
            one.changes.join('\n'),
            job,
            one.index,
          )
          kept += Number(done.changes)
        }
        let failed = 0
        for (const { index, reason } of failures) {
          failed += Number(fail.run(reason, job, index).changes)
        }
        count.run(kept, failed, requests, chunk, job)
      })
    },
    retry(job) {
      transaction(database, () => {
        retry.run(job)
        noneFailed.run(job)
      })
    },
    orphans: () => orphans.all().map((row) => row['id'] as number),
    removeSome(job) {
      const from = first.get(job)?.['idx']
      if (typeof from !== 'number') {
        removeUnfinished.run(job)
        return false
      }
      remove.run(job, from + removedAtOnce)
      return true
    },
  }
}
