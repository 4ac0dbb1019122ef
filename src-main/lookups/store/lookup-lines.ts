import type {
  LookupLine,
  LookupRow,
  RowFilter,
  RowSort,
} from '../../../src-preload/contract/lookup.ts'
import type { Database } from '../../database/database.ts'
import { createSql, int64, type Codec, flag, int64Text, json } from '../../database/sql.ts'
import { type AccountRange, accountSql, accountValues } from '../../database/list-text.ts'

/** A row as it is kept: whose label it bears is known elsewhere. */
export type StoredRow = Omit<LookupRow, 'label'>

const rowColumns = `idx AS "index", line, text, state, reason, address, status, balance,
  in_currency, wallet_kind, interfaces, last_activity, name, flags & 1 <> 0 AS is_scam,
  flags & 2 <> 0 AS is_suspended, flags & 4 <> 0 AS memo_required, changes, others`

const texts: Codec<readonly string[]> = {
  decode: (stored) => (stored === '' ? [] : String(stored).split('\n')),
  encode: (value) => value.join('\n'),
}

/** Of `rowColumns`: a balance may pass 2^53. */
const rowCodecs = {
  balance: int64Text,
  interfaces: json,
  others: json,
  changes: texts,
  memoRequired: flag,
}

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

/** A job's rows and which of them; `range` is the accounts that the filter's text stands for. */
export type RowsAsked = {
  readonly job: number
  readonly network: string
  readonly filter: RowFilter
  readonly range: AccountRange | null
}

export type RowSums = {
  readonly total: number
  /** Nanotons. */
  readonly balance: bigint
  /** Of fractions that gateways compute with floats, so no more exact than they are. */
  readonly inCurrency: number | null
  readonly byStatus: Readonly<Record<string, number>>
  readonly changed: number
}

const sortColumns: Readonly<Record<RowSort['by'], string>> = {
  index: 'idx',
  balance: 'balance',
  inCurrency: 'CAST(in_currency AS REAL)',
  lastActivity: 'last_activity',
  status: 'status',
  name: 'name COLLATE NOCASE',
  walletKind: 'wallet_kind',
}

export function createLookupRows(database: Database) {
  const sql = createSql(database, { ...rowCodecs, tons: int64, nanos: int64 })

  return {
    sums(asked: RowsAsked): RowSums {
      const { where, values } = conditions(asked)
      // In two parts: the sum of many int64 may be none itself.
      const groups = sql.all<Group>(
        `SELECT status, count(*) AS total, sum(balance / 1000000000) AS tons,
           sum(balance % 1000000000) AS nanos, sum(CAST(in_currency AS REAL)) AS in_currency,
           sum(changes <> '') AS changed
         FROM lookup_lines WHERE ${where} GROUP BY status`,
        values,
      )
      const none = { total: 0, balance: 0n, inCurrency: null, byStatus: {}, changed: 0 }
      return groups.reduce<RowSums>(addGroup, none)
    },
    /** Indexes of the rows, in order. */
    order(asked: RowsAsked, { by, descending }: RowSort, page = { offset: 0, limit: -1 }) {
      const { where, values } = conditions(asked)
      const direction = descending ? 'DESC' : 'ASC'
      const column = sortColumns[by]
      // By index there is nothing to sort.
      const order =
        by === 'index' ? `idx ${direction}` : `(${column}) IS NULL, ${column} ${direction}, idx`
      const indexes = sql.value<string>(
        `SELECT json_group_array(idx) AS indexes FROM (
           SELECT idx FROM lookup_lines WHERE ${where}
           ORDER BY ${order} LIMIT $limit OFFSET $offset)`,
        { ...values, ...page },
      )
      return JSON.parse(indexes ?? '[]') as number[]
    },
    /** In the order of `indexes`. */
    rows(job: number, indexes: readonly number[]): StoredRow[] {
      const rows = sql.all<StoredRow>(
        `SELECT ${rowColumns} FROM lookup_lines
         WHERE job_id = ? AND idx IN (SELECT value FROM json_each(?))`,
        ...[job, JSON.stringify(indexes)],
      )
      const found = new Map(rows.map((row) => [row.index, row]))
      return indexes.flatMap((index) => found.get(index) ?? [])
    },
  }
}

type Group = Pick<RowSums, 'total' | 'inCurrency' | 'changed'> &
  Readonly<{ status: string | null; tons: bigint | null; nanos: bigint | null }>

function addGroup(sums: RowSums, { status, total, tons, nanos, inCurrency, changed }: Group) {
  return {
    total: sums.total + total,
    balance: sums.balance + (tons ?? 0n) * 1_000_000_000n + (nanos ?? 0n),
    inCurrency: inCurrency === null ? sums.inCurrency : (sums.inCurrency ?? 0) + inCurrency,
    byStatus: status === null ? sums.byStatus : { ...sums.byStatus, [status]: total },
    changed: sums.changed + changed,
  }
}

function conditions({ job, network, filter, range }: RowsAsked) {
  const { state, status, onlyChanged, onlyFlagged, text } = filter
  const parts = ['job_id = $job']
  const values: Record<string, string | number | null> = { $job: job }
  const add = (part: string, more: Record<string, string | number | null> = {}) => {
    parts.push(part)
    Object.assign(values, more)
  }
  if (state !== null) add('state = $state', { $state: state })
  if (status !== null) add('status = $status', { $status: status })
  if (onlyChanged) add("changes <> ''")
  if (onlyFlagged) add('flags <> 0')
  const sought = text.trim()
  if (sought !== '') {
    const text = sought.normalize('NFC').toLowerCase()
    // SQLite lowers ASCII only: other letters are found as they are typed.
    add(
      `(instr(lower(text), $text) OR instr(lower(name), $text) OR ${accountSql('address')}
         ${text === sought ? '' : 'OR instr(text, $part) OR instr(name, $part)'})`,
      {
        ...accountValues({ text, range }),
        $network: network,
        ...(text !== sought && { $part: sought }),
      },
    )
  }
  return { where: parts.join(' AND '), values }
}
