import type { RowFilter, RowSort } from '../../../src-preload/contract/lookup.ts'
import type { Database } from '../../database/database.ts'
import { type AccountRange, accountSql, accountValues } from '../../database/list-text.ts'
import { type StoredRow, rowColumns, toRow } from './lookup-row.ts'

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

export type LookupRows = {
  sums(asked: RowsAsked): RowSums
  /** Indexes of the rows, in order. */
  order(asked: RowsAsked, sort: RowSort, page?: { offset: number; limit: number }): number[]
  /** In the order of `indexes`. */
  rows(job: number, indexes: readonly number[]): StoredRow[]
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

export function createLookupRows(database: Database): LookupRows {
  const select = database.prepare(
    `SELECT ${rowColumns} FROM lookup_lines
     WHERE job_id = ? AND idx IN (SELECT value FROM json_each(?))`,
  )
  select.setReadBigInts(true)

  return {
    sums(asked) {
      const { where, values } = conditions(asked)
      // In two parts: the sum of many int64 may be none itself.
      const statement = database.prepare(
        `SELECT status, count(*) AS total, sum(balance / 1000000000) AS tons,
           sum(balance % 1000000000) AS nanos, sum(CAST(in_currency AS REAL)) AS in_currency,
           sum(changes <> '') AS changed
         FROM lookup_lines WHERE ${where} GROUP BY status`,
      )
      statement.setReadBigInts(true)
      return statement.all(values).reduce<RowSums>(addGroup, {
        total: 0,
        balance: 0n,
        inCurrency: null,
        byStatus: {},
        changed: 0,
      })
    },
    order(asked, { by, descending }, page) {
      const { where, values } = conditions(asked)
      const direction = descending ? 'DESC' : 'ASC'
      const column = sortColumns[by]
      // By index there is nothing to sort.
      const order =
        by === 'index' ? `idx ${direction}` : `(${column}) IS NULL, ${column} ${direction}, idx`
      const statement = database.prepare(
        `SELECT json_group_array(idx) AS indexes FROM (
           SELECT idx FROM lookup_lines WHERE ${where}
           ORDER BY ${order} LIMIT $limit OFFSET $offset)`,
      )
      const row = statement.get({
        ...values,
        $limit: page?.limit ?? -1,
        $offset: page?.offset ?? 0,
      })
      return JSON.parse(row?.['indexes'] as string) as number[]
    },
    rows(job, indexes) {
      const found = new Map(
        select.all(job, JSON.stringify(indexes)).map((row) => [Number(row['idx']), toRow(row)]),
      )
      return indexes.flatMap((index) => found.get(index) ?? [])
    },
  }
}

function addGroup(sums: RowSums, row: Record<string, unknown>): RowSums {
  const whole = (row['tons'] as bigint | null) ?? 0n
  const rest = (row['nanos'] as bigint | null) ?? 0n
  const inCurrency = row['in_currency'] as number | null
  const total = Number(row['total'])
  const status = row['status'] as string | null
  return {
    total: sums.total + total,
    balance: sums.balance + whole * 1_000_000_000n + rest,
    inCurrency: inCurrency === null ? sums.inCurrency : (sums.inCurrency ?? 0) + inCurrency,
    byStatus: status === null ? sums.byStatus : { ...sums.byStatus, [status]: total },
    changed: sums.changed + Number(row['changed']),
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
