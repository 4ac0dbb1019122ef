import type { RowFilter, RowSort } from '../../../src-preload/contract/lookup.ts'
import type { Database } from '../../database/database.ts'
import { type AccountRange, accountSql, accountValues } from '../../database/list-text.ts'
import { createSql, int64 } from '../../database/sql.ts'
import { type StoredRow, rowCodecs, rowColumns } from './lookup-row.ts'

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

export type LookupRows = ReturnType<typeof createLookupRows>

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
