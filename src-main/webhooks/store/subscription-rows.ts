import type {
  Subscription,
  SubscriptionFilter,
  SubscriptionSort,
} from '../../../src-preload/contract/subscription.ts'
import type { Database } from '../../database/database.ts'
import { type AccountRange, accountSql, accountValues } from '../../database/list-text.ts'
import { fromColumn } from './lt.ts'

/** What a text stands for: one address, or a part of one or of a label, or the beginning of one. */
export type AddressText =
  | { readonly address: string }
  | {
      /** In lower case. */
      readonly part: string
      /** What a beginning, or a shortened address, stands for. */
      readonly range: AccountRange | null
    }

/** Which rows; `text` is null where nothing is sought. `key` is the webhook's row. */
export type RowsAsked = {
  readonly key: number
  readonly network: string
  readonly text: AddressText | null
  readonly only: SubscriptionFilter['only']
}

export type StoredSubscription = Omit<Subscription, 'label' | 'spark'> & { readonly id: number }

type SubscriptionCounts = {
  readonly all: number
  readonly failing: number
  readonly watched: number
  readonly behind: number
  readonly neverDelivered: number
}

type SubscriptionRows = {
  page(
    asked: RowsAsked,
    sort: SubscriptionSort,
    page: { readonly offset: number; readonly limit: number },
  ): {
    readonly total: number
    readonly rows: StoredSubscription[]
    /** Of all, whatever is sought. */
    readonly counts: SubscriptionCounts
  }
  /** Raw addresses in their order, those after `after`. */
  accounts(asked: RowsAsked, after: string, limit: number): string[]
  /** Those of these accounts that are there, in no order. */
  byAccounts(key: number, accounts: readonly string[]): StoredSubscription[]
  /** Those of these rows that are there, in no order. */
  byIds(ids: readonly number[]): StoredSubscription[]
}

type Only = NonNullable<RowsAsked['only']>

/** Each as the index over it is told, word for word. */
const only: Readonly<Record<Only, string>> = {
  failing: 'is_failing = 1',
  watched: 'is_watched = 1',
  behind: '(lag_transactions > 0 OR lag_ms > 0)',
  'never-delivered': 'last_delivered_lt = 0',
}

/** Left to itself, SQLite looks for those behind among all. */
const onlyIndexes: Readonly<Record<Only, string>> = {
  failing: 'subscriptions_failing',
  watched: 'subscriptions_watched',
  behind: 'subscriptions_behind',
  'never-delivered': 'subscriptions_by_delivered',
}

const countNames = {
  failing: 'failing',
  watched: 'watched',
  behind: 'behind',
  'never-delivered': 'neverDelivered',
} as const

const sortColumns: Readonly<Record<SubscriptionSort['by'], string>> = {
  account: 's.account',
  label: 'l.folded',
  lastDeliveredLt: 's.last_delivered_lt',
  failedAt: 's.failed_at',
  failedLt: 's.failed_lt',
  failedAttempts: 's.failed_attempts',
  lag: 's.lag_ms',
}

/** Where it ties; each as the index over the column has it, and never null. Then the id decides. */
const ties: Partial<Readonly<Record<SubscriptionSort['by'], string>>> = {
  // Where nothing fails, what lives stands before what never had a delivery.
  failedAttempts: 's.last_delivered_lt <> 0',
}

const columns = `id, account, last_delivered_lt, failed_at, failed_lt, failed_attempts, is_failing,
  failing_since, is_watched, lag_transactions, lag_more, lag_ms, lag_read_at, read_at`

export function createSubscriptionRows(database: Database): SubscriptionRows {
  const rows = database.prepare(
    `SELECT ${columns} FROM subscriptions WHERE id IN (SELECT value FROM json_each(?))`,
  )
  rows.setReadBigInts(true)
  const byAccounts = database.prepare(
    `SELECT ${columns} FROM subscriptions
     WHERE webhook_key = ? AND account IN (SELECT value FROM json_each(?))`,
  )
  byAccounts.setReadBigInts(true)
  const counts = database.prepare(
    `SELECT
       (SELECT count(*) FROM subscriptions WHERE webhook_key = $key) AS total,
       ${Object.entries(only)
         .map(
           ([name, where]) =>
             `(SELECT count(*) FROM subscriptions INDEXED BY ${onlyIndexes[name as Only]}
               WHERE webhook_key = $key AND ${where}) AS "${name}"`,
         )
         .join(', ')}`,
  )

  function countsOf(key: number): SubscriptionCounts {
    const row = counts.get({ $key: key }) ?? {}
    return {
      all: Number(row['total']),
      failing: Number(row['failing']),
      watched: Number(row['watched']),
      behind: Number(row['behind']),
      neverDelivered: Number(row['never-delivered']),
    }
  }

  /** All that are meant; `ids` is a JSON array. */
  function find(asked: RowsAsked): { readonly total: number; readonly ids: string } {
    const { where, values } = conditions(asked)
    const isOnly = asked.only !== null && asked.text === null
    const index = isOnly ? `INDEXED BY ${onlyIndexes[asked.only]}` : ''
    const statement = database.prepare(
      `SELECT count(*) AS total, json_group_array(s.id) AS ids
       FROM subscriptions s ${index} WHERE ${where}`,
    )
    const row = statement.get(values)
    return { total: Number(row?.['total']), ids: row?.['ids'] as string }
  }

  return {
    page(asked, { by, descending }, { offset, limit }) {
      const known = countsOf(asked.key)
      const sought = asked.text === null ? null : find(asked)
      const total = sought?.total ?? known[asked.only === null ? 'all' : countNames[asked.only]]
      const direction = descending ? 'DESC' : 'ASC'
      const labels =
        by === 'label' ? 'LEFT JOIN labels l ON l.network = $network AND l.address = s.account' : ''
      const tie = ties[by] === undefined ? '' : `${ties[by]} ${direction}, `
      // An index in the wanted order is walked until the page is full: past nearly all rows where few
      // are meant. Those are found first, and put in order.
      const isFew = 10 * total * total < (offset + limit) * known.all
      const few = isFew ? (sought ?? find(asked)).ids : null
      const { where, values } = few === null ? conditions(asked) : fewOf(few)
      // Ids first: an index answers, and only the rows of the page are read.
      const statement = database.prepare(
        `SELECT json_group_array(id) AS ids FROM (
           SELECT s.id FROM subscriptions s ${labels} WHERE ${where}
           ORDER BY ${sortColumns[by]} ${direction} NULLS LAST, ${tie}s.id ${direction}
           LIMIT $limit OFFSET $offset)`,
      )
      const named = labels === '' ? values : { ...values, $network: asked.network }
      const found = statement.get({ ...named, $limit: limit, $offset: offset })
      const ids = found?.['ids'] as string
      const byId = new Map(rows.all(ids).map((row) => [Number(row['id']), toStored(row)]))
      const inOrder = (JSON.parse(ids) as number[]).flatMap((id) => byId.get(id) ?? [])
      return { total, rows: inOrder, counts: known }
    },
    accounts(asked, after, limit) {
      const { where, values } = conditions(asked)
      const statement = database.prepare(
        `SELECT s.account FROM subscriptions s WHERE ${where} AND s.account > $after
         ORDER BY s.account LIMIT $limit`,
      )
      const found = statement.all({ ...values, $after: after, $limit: limit })
      return found.map((row) => row['account'] as string)
    },
    byIds: (ids) => rows.all(JSON.stringify(ids)).map(toStored),
    byAccounts: (key, accounts) => byAccounts.all(key, JSON.stringify(accounts)).map(toStored),
  }
}

type Conditions = {
  readonly where: string
  readonly values: Record<string, string | number | null>
}

function fewOf(ids: string): Conditions {
  return { where: 's.id IN (SELECT value FROM json_each($ids))', values: { $ids: ids } }
}

function conditions({ key, network, text, only: restriction }: RowsAsked): Conditions {
  const parts = ['s.webhook_key = $key']
  const values: Record<string, string | number> = { $key: key }
  if (restriction !== null) parts.push(only[restriction])
  if (text !== null && 'address' in text) {
    parts.push('s.account = $address')
    values['$address'] = text.address
  } else if (text !== null) {
    const { part, range } = text
    parts.push(accountSql('s.account'))
    Object.assign(values, { $network: network, ...accountValues({ text: part, range }) })
  }
  return { where: parts.join(' AND '), values }
}

function toStored(row: Record<string, unknown>): StoredSubscription {
  const number = (name: string) => (row[name] === null ? null : Number(row[name]))
  const failedLt = row['failed_lt'] as bigint | null
  const lagReadAt = number('lag_read_at')
  return {
    id: Number(row['id']),
    account: row['account'] as string,
    lastDeliveredLt: fromColumn(row['last_delivered_lt'] as bigint).toString(),
    failedAt: number('failed_at'),
    failedLt: failedLt === null ? null : fromColumn(failedLt).toString(),
    failedAttempts: Number(row['failed_attempts']),
    isFailing: row['is_failing'] === 1n,
    failingSince: number('failing_since'),
    lag:
      lagReadAt === null
        ? null
        : {
            transactions: number('lag_transactions'),
            more: row['lag_more'] === 1n,
            milliseconds: number('lag_ms'),
            readAt: lagReadAt,
          },
    isWatched: row['is_watched'] === 1n,
    readAt: Number(row['read_at']),
  }
}
