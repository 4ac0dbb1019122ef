import type {
  LookupLine,
  LookupRow,
  RowFilter,
  RowSort,
} from '../../../src-preload/contract/lookup.ts'
import type { Database } from '../../database/database.ts'
import {
  type Sql,
  createSql,
  distinctIds,
  int64,
  type Codec,
  flag,
  int64Text,
  json,
} from '../../database/sql.ts'
import { accountSql, accountValues } from '../../database/list-text.ts'
import { readAddressRange } from '../../ton/address-range.ts'
import type { LookedUpAccount } from '../looked-up-account.ts'
import type { JobRecord } from './lookup-jobs.ts'

export type StoredRow = Omit<LookupRow, 'label'>

const rowColumns = `idx AS "index", line, text, state, reason, address, status, balance,
  in_currency, wallet_kind, interfaces, last_activity, name, flags & 1 <> 0 AS is_scam,
  flags & 2 <> 0 AS is_suspended, flags & 4 <> 0 AS memo_required, changes, others,
  (SELECT json_group_array(json_object('place', place, 'wallet', w.address, 'balance', w.balance,
     'problem', problem)) FROM lookup_wallets w
   WHERE w.job_id = lookup_lines.job_id AND w.idx = lookup_lines.idx) AS jettons`

const texts: Codec<readonly string[]> = {
  decode: (stored) => (stored === '' ? [] : String(stored).split('\n')),
  encode: (value) => value.join('\n'),
}

/** Codecs of `rowColumns`; a balance may exceed 2^53. */
const rowCodecs = {
  balance: int64Text,
  interfaces: json,
  others: json,
  jettons: json,
  changes: texts,
  memoRequired: flag,
}

export type Waiting = {
  readonly index: number
  /** Null until the name in `text` is resolved. */
  address: string | null
  readonly text: string
}

type WaitingWallet = Waiting & { readonly place: number }

export type WalletResult = {
  readonly index: number
  readonly place: number
  readonly wallet: string | null
  readonly balance: string | null
  readonly problem: string | null
  /** A phrase that describes the line's changes; null if nothing changed. */
  readonly change: string | null
}

export type LineResults = {
  readonly answers: readonly (LookedUpAccount & Pick<StoredRow, 'index' | 'changes'>)[]
  readonly failures: readonly { readonly index: number; readonly reason: string }[]
  readonly wallets: readonly WalletResult[]
  readonly requests: number
  readonly chunk: number | null
}

const removedAtOnce = 2000

export type RowSums = ReturnType<LookupLines['sums']>

const sortColumns = {
  index: 'idx',
  balance: 'balance',
  inCurrency: 'CAST(in_currency AS REAL)',
  lastActivity: 'last_activity',
  status: 'status',
  name: 'name COLLATE NOCASE',
  walletKind: 'wallet_kind',
} as const

const selectOrphans = `${distinctIds('lookup_lines', 'job_id')}
  WHERE id NOT IN (SELECT id FROM lookup_jobs WHERE is_whole = 1)
  UNION SELECT id FROM lookup_jobs WHERE is_whole = 0`

export type LookupLines = ReturnType<typeof createLookupLines>

/** Stores the entries of lookups in the order of the list. Each call is one short transaction. */
export function createLookupLines(database: Database) {
  const sql = createSql(database, {
    ...rowCodecs,
    tons: int64,
    nanos: int64,
    high: int64,
    middle: int64,
    low: int64,
  })
  /** A second reader without codecs, because jetton balances exceed 64 bits and are text. */
  const plain = createSql(database, {})

  return {
    add: (job: number, lines: readonly LookupLine[]) =>
      sql.transaction(() => {
        const rows = lines.map(({ index: idx, line, text, status, reason, address, others }) => {
          const state = status === 'valid' ? 'waiting' : status
          return { jobId: job, idx, line, text, state, reason, address, others }
        })
        sql.insertAll('lookup_lines', rows)
      }),
    /** Copies entries from `from` to below `to` from another job, without their results. */
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
         WHERE job_id = ? AND idx > ? AND state = 'waiting' AND status IS NULL ORDER BY idx LIMIT ?`,
        ...[job, after, limit],
      ),
    /** Returns the wallets of resolved lines, in the order of the list and then of the jettons. */
    waitingWallets: (job: number, after: { index: number; place: number }, limit: number) =>
      sql.all<WaitingWallet>(
        `SELECT idx AS "index", j.place, address, text
         FROM lookup_lines l CROSS JOIN lookup_jettons j ON j.job_id = l.job_id
         WHERE l.job_id = $job AND idx >= $index AND (idx > $index OR j.place > $place)
           AND state = 'waiting' AND address IS NOT NULL AND NOT EXISTS (
             SELECT 1 FROM lookup_wallets w
             WHERE w.job_id = $job AND w.idx = l.idx AND w.place = j.place)
         ORDER BY idx, j.place LIMIT $limit`,
        { job, limit, ...after },
      ),
    /** Returns the balances of another job with the same jettons, by index and place. */
    walletBalances(job: number | null, from: number, to: number) {
      const rows = plain.all<{ idx: number; place: number; balance: string }>(
        `SELECT idx, place, balance FROM lookup_wallets
         WHERE job_id = ? AND idx BETWEEN ? AND ? AND balance IS NOT NULL`,
        ...[job, from, to],
      )
      return new Map(rows.map(({ idx, place, balance }) => [`${idx} ${place}`, BigInt(balance)]))
    },
    answered(job: number | null, from: number, to: number): Map<number, StoredRow> {
      const rows = sql.all<StoredRow>(
        `SELECT ${rowColumns} FROM lookup_lines
         WHERE job_id = ? AND idx BETWEEN ? AND ? AND state = 'answered'`,
        ...[job, from, to],
      )
      return new Map(rows.map((row) => [row.index, row]))
    },
    setAddress: (job: number, index: number, address: string) =>
      void sql.run(
        'UPDATE lookup_lines SET address = ? WHERE job_id = ? AND idx = ? AND address IS NULL',
        ...[address, job, index],
      ),
    /** @returns the number of lines that became complete */
    keep: (job: number, jettons: number, results: LineResults): number =>
      sql.transaction(() => keepResults(sql, plain, job, jettons, results)),
    /** Makes failed entries pending again. */
    retry: (job: number) =>
      sql.transaction(() => {
        const waiting = { state: 'waiting', reason: null }
        sql.update('lookup_lines', waiting, { jobId: job, state: 'failed' })
        sql.update('lookup_jobs', { failed: 0 }, { id: job })
      }),
    /** Ids of removed or incomplete jobs that still have lines. */
    orphans: () => sql.column<number>(selectOrphans),
    /** @returns false when no lines are left */
    removeSome(job: number): boolean {
      const from = sql.value<number>('SELECT min(idx) FROM lookup_lines WHERE job_id = ?', job)
      if (from === null) {
        sql.remove('lookup_jettons', { jobId: job })
        sql.remove('lookup_jobs', { id: job, isWhole: false })
      } else {
        for (const table of ['lookup_wallets', 'lookup_lines']) {
          sql.run(`DELETE FROM ${table} WHERE job_id = ? AND idx < ?`, job, from + removedAtOnce)
        }
      }
      return from !== null
    },
    ...createRowQueries(sql),
  }
}

/**
 * Stores the results of a request and counts them in the job. Entries that have a result stay
 * unchanged. A line is complete when its account and all its wallets have results.
 */
function keepResults(
  sql: Sql,
  plain: Sql,
  job: number,
  jettons: number,
  { answers, failures, wallets, requests, chunk }: LineResults,
): number {
  for (const one of answers) {
    sql.run(
      `UPDATE lookup_lines SET status = $status, balance = $balance,
         in_currency = $inCurrency, wallet_kind = $walletKind, interfaces = $interfaces,
         last_activity = $lastActivity, name = $name,
         flags = $isScam + 2 * $isSuspended + 4 * $memoRequired, changes = $changes
       WHERE job_id = $job AND idx = $index AND state = 'waiting' AND status IS NULL`,
      { ...one, job },
    )
  }
  const rows = wallets.map(({ index: idx, place, wallet: address, balance, problem }) => {
    return { jobId: job, idx, place, address, balance, problem }
  })
  if (rows.length > 0) plain.insertAll('lookup_wallets', rows)
  for (const { index, change } of wallets) {
    if (change === null) continue
    sql.run(
      `UPDATE lookup_lines SET changes = ltrim(changes || char(10) || ?, char(10))
       WHERE job_id = ? AND idx = ?`,
      ...[change, job, index],
    )
  }
  let kept = 0
  for (const index of new Set([...answers, ...wallets].map((each) => each.index))) {
    kept += sql.run(
      `UPDATE lookup_lines SET state = 'answered'
       WHERE job_id = $job AND idx = $index AND state = 'waiting' AND status IS NOT NULL
         AND (SELECT count(*) FROM lookup_wallets WHERE job_id = $job AND idx = $index) = $wanted`,
      { job, index, wanted: jettons },
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
  return kept
}

/** Queries for the displayed list: its sums, order and rows. */
function createRowQueries(sql: Sql) {
  /** Sums balances in parts of 13 digits, because a balance may have 37 digits. */
  function walletSums(
    job: JobRecord,
    where: string,
    values: ReturnType<typeof conditions>['values'],
  ) {
    const rows = sql.all<{ place: number } & Record<'high' | 'middle' | 'low', bigint | null>>(
      `SELECT place, sum(CAST(substr(units, 1, 13) AS INTEGER)) AS high,
         sum(CAST(substr(units, 14, 13) AS INTEGER)) AS middle,
         sum(CAST(substr(units, 27) AS INTEGER)) AS low
       FROM (SELECT place, printf('%.*c', 39 - length(balance), '0') || balance AS units
         FROM lookup_wallets WHERE job_id = $job AND balance IS NOT NULL
           AND idx IN (SELECT idx FROM lookup_lines WHERE ${where}))
       GROUP BY place`,
      values,
    )
    const found = new Map(
      rows.map(({ place, high, middle, low }) => [
        place,
        (high ?? 0n) * 10n ** 26n + (middle ?? 0n) * 10n ** 13n + (low ?? 0n),
      ]),
    )
    return job.jettons.map((_, place) => (found.get(place) ?? 0n).toString())
  }

  return {
    sums(job: JobRecord, filter: RowFilter) {
      const { where, values } = conditions(job, filter)
      // Balances are summed in two parts, because the sum of many int64 values may overflow.
      const groups = sql.all<Group>(
        `SELECT status, count(*) AS total, sum(balance / 1000000000) AS tons,
           sum(balance % 1000000000) AS nanos, sum(CAST(in_currency AS REAL)) AS in_currency,
           sum(changes <> '') AS changed
         FROM lookup_lines WHERE ${where} GROUP BY status`,
        values,
      )
      const amounts = groups.flatMap(({ inCurrency }) => inCurrency ?? [])
      const balances = groups.map(
        ({ tons, nanos }) => (tons ?? 0n) * 1_000_000_000n + (nanos ?? 0n),
      )
      return {
        total: sum(groups.map(({ total }) => total)),
        jettons: job.state === 'running' ? [] : walletSums(job, where, values),
        /** Sum of the balances in nanotons. */
        balance: balances.reduce((all, each) => all + each, 0n),
        /** A sum of the gateway's floats, which has their precision. */
        inCurrency: amounts.length === 0 ? null : sum(amounts),
        byStatus: Object.fromEntries(
          groups.flatMap(({ status, total }) => (status === null ? [] : [[status, total]])),
        ) as Record<string, number>,
        changed: sum(groups.map(({ changed }) => changed)),
      }
    },
    order(
      job: JobRecord,
      filter: RowFilter,
      { by, descending }: RowSort,
      page = { offset: 0, limit: -1 },
    ): number[] {
      const { where, values } = conditions(job, filter)
      const direction = descending ? 'DESC' : 'ASC'
      const place = /^jetton(\d+)$/.exec(by)?.[1]
      // Balances are decimal text without leading zeros, so a longer text is a larger number.
      const column =
        place === undefined
          ? sortColumns[by as keyof typeof sortColumns]
          : `(SELECT printf('%03d', length(w.balance)) || w.balance FROM lookup_wallets w
              WHERE w.job_id = lookup_lines.job_id AND w.idx = lookup_lines.idx AND w.place = ${Number(place)})`
      // Rows are stored by index, so this order needs no sorting.
      const order = by === 'index' ? `idx ${direction}` : `sorted IS NULL, sorted ${direction}, idx`
      const indexes = sql.value<string>(
        `SELECT json_group_array(idx) AS indexes FROM (
           SELECT idx, ${column} AS sorted FROM lookup_lines WHERE ${where}
           ORDER BY ${order} LIMIT $limit OFFSET $offset)`,
        { ...values, ...page },
      )
      return JSON.parse(indexes ?? '[]') as number[]
    },
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

type Group = {
  readonly status: string | null
  readonly total: number
  readonly tons: bigint | null
  readonly nanos: bigint | null
  readonly inCurrency: number | null
  readonly changed: number
}

const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0)

function conditions({ id, network }: JobRecord, filter: RowFilter) {
  const { state, status, onlyChanged, onlyFlagged, text } = filter
  const parts = ['job_id = $job']
  const values: Record<string, string | number | null> = { $job: id }
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
    // SQLite lowercases only ASCII, so other letters must match in case.
    add(
      `(instr(lower(text), $text) OR instr(lower(name), $text) OR ${accountSql('address')}
         ${text === sought ? '' : 'OR instr(text, $part) OR instr(name, $part)'})`,
      {
        ...accountValues({ text, range: readAddressRange(sought) }),
        $network: network,
        ...(text !== sought && { $part: sought }),
      },
    )
  }
  return { where: parts.join(' AND '), values }
}
