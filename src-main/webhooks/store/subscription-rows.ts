import type {
  Subscription,
  SubscriptionFilter,
  SubscriptionSort,
} from '../../../src-preload/contract/subscription.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { type AccountRange, accountSql, accountValues } from '../../database/list-text.ts'
import { type Database, createSql, json, unsigned64Text } from '../../database/sql.ts'
import { lagColumn } from './subscriptions.ts'
import { readAddress } from '../../ton/address.ts'
import { readAddressRange } from '../../ton/address-range.ts'

type AddressText =
  | { readonly address: string }
  | { readonly part: string; readonly range: AccountRange | null }

type RowsAsked = {
  readonly key: number
  readonly network: string
  readonly text: AddressText | null
  readonly only: SubscriptionFilter['only']
}

export type StoredSubscription = Omit<Subscription, 'label' | 'spark'> & { readonly id: number }

type SubscriptionCounts = Output<'subscription.list'>['counts']

/**
 * Each condition has exactly the text of its partial index, and the index is forced, because SQLite
 * would search lagging rows among all rows otherwise.
 */
const only = {
  failing: { where: 'is_failing = 1', index: 'subscriptions_failing', count: 'failing' },
  watched: { where: 'is_watched = 1', index: 'subscriptions_watched', count: 'watched' },
  behind: {
    where: '(lag_transactions > 0 OR lag_ms > 0)',
    index: 'subscriptions_behind',
    count: 'behind',
  },
  'never-delivered': {
    where: 'last_delivered_lt = 0',
    index: 'subscriptions_by_delivered',
    count: 'neverDelivered',
  },
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

/** Sorts equal values by an indexed expression that is never null, then by id. */
const ties: Partial<Readonly<Record<SubscriptionSort['by'], string>>> = {
  // Among accounts without failures, those with deliveries come before those without.
  failedAttempts: 's.last_delivered_lt <> 0',
}

const columns = `id, account, last_delivered_lt, failed_at, failed_lt, failed_attempts, is_failing,
  failing_since, is_watched, ${lagColumn}, read_at`

export function createSubscriptionRows(database: Database) {
  const sql = createSql(database, {
    lastDeliveredLt: unsigned64Text,
    failedLt: unsigned64Text,
    lag: json,
  })
  const counts = Object.values(only).map(
    ({ where, index, count }) =>
      `(SELECT count(*) FROM subscriptions INDEXED BY ${index}
        WHERE webhook_key = $key AND ${where}) AS "${count}"`,
  )

  const byIds = (ids: string) =>
    sql.all<StoredSubscription>(
      `SELECT ${columns} FROM subscriptions WHERE id IN (SELECT value FROM json_each(?))`,
      ids,
    )

  const countsOf = (key: number) =>
    sql.get<SubscriptionCounts>(
      `SELECT (SELECT count(*) FROM subscriptions WHERE webhook_key = $key) AS "all",
         ${counts.join(', ')}`,
      { key },
    ) as SubscriptionCounts

  function find(requested: RowsAsked): Found {
    const { where, values } = conditions(requested)
    const isOnly = requested.only !== null && requested.text === null
    const index = isOnly ? `INDEXED BY ${only[requested.only].index}` : ''
    return sql.get<Found>(
      `SELECT count(*) AS total, json_group_array(s.id) AS ids
       FROM subscriptions s ${index} WHERE ${where}`,
      values,
    ) as Found
  }

  return {
    page(
      requested: RowsAsked,
      { by, descending }: SubscriptionSort,
      { offset, limit }: { readonly offset: number; readonly limit: number },
    ) {
      const known = countsOf(requested.key)
      const sought = requested.text === null ? null : find(requested)
      const total =
        sought?.total ?? known[requested.only === null ? 'all' : only[requested.only].count]
      const direction = descending ? 'DESC' : 'ASC'
      const labels =
        by === 'label' ? 'LEFT JOIN labels l ON l.network = $network AND l.address = s.account' : ''
      const tie = ties[by] === undefined ? '' : `${ties[by]} ${direction}, `
      // Reading an index in sorted order would read nearly all rows if few of them match.
      const isFew = 10 * total * total < (offset + limit) * known.all
      const few = isFew ? (sought ?? find(requested)).ids : null
      const { where, values } =
        few === null ? conditions(requested) : { where: amongIds, values: { ids: few } }
      // Ids are selected first from an index; only the page's rows are read.
      const ids = sql.value<string>(
        `SELECT json_group_array(id) AS ids FROM (
           SELECT s.id FROM subscriptions s ${labels} WHERE ${where}
           ORDER BY ${sortColumns[by]} ${direction} NULLS LAST, ${tie}s.id ${direction}
           LIMIT $limit OFFSET $offset)`,
        { ...values, network: requested.network, limit, offset },
      ) as string
      const byId = new Map(byIds(ids).map((row) => [row.id, row]))
      const inOrder = (JSON.parse(ids) as number[]).flatMap((id) => byId.get(id) ?? [])
      return { total, rows: inOrder, counts: known }
    },
    accounts(requested: RowsAsked, after: string, limit: number) {
      const { where, values } = conditions(requested)
      return sql.column<string>(
        `SELECT s.account FROM subscriptions s WHERE ${where} AND s.account > $after
         ORDER BY s.account LIMIT $limit`,
        { ...values, after, limit },
      )
    },
    idOf: (key: number, account: string) =>
      sql.value<number>(
        'SELECT id FROM subscriptions WHERE webhook_key = ? AND account = ?',
        key,
        account,
      ),
  }
}

const amongIds = 's.id IN (SELECT value FROM json_each($ids))'

type Found = { readonly total: number; readonly ids: string }

type Conditions = { readonly where: string; readonly values: Readonly<Record<string, unknown>> }

function conditions({ text, only: restriction, ...values }: RowsAsked): Conditions {
  const where = ['s.webhook_key = $key', ...(restriction === null ? [] : [only[restriction].where])]
  if (text === null) return { where: where.join(' AND '), values }
  where.push('address' in text ? 's.account = $address' : accountSql('s.account'))
  const sought = 'address' in text ? text : accountValues({ text: text.part, range: text.range })
  return { where: where.join(' AND '), values: { ...values, ...sought } }
}

export function readAddressText(text: string): AddressText | null {
  const sought = text.trim()
  if (sought === '') return null
  const whole = readAddress(sought)
  if (whole !== null) return { address: whole.raw }
  return { part: sought.normalize('NFC').toLowerCase(), range: readAddressRange(sought) }
}
