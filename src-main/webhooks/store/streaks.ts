import { type Database, transaction } from '../../database/database.ts'
import { fromColumn } from './lt.ts'

export type StreakRecord = {
  /** Raw address; null for the webhook as a whole. */
  readonly account: string | null
  readonly from: number
  readonly to: number | null
  readonly failedAttempts: number
  readonly failedLt: string | null
}

type StreaksAsked = {
  /** The webhook's row. */
  readonly key: number
  /** The subscription's row; null for all, and the webhook's own. */
  readonly subscription: number | null
  /** They touch this span. */
  readonly from: number
  readonly to: number
}

type Streaks = {
  count(asked: StreaksAsked): number
  /** One that goes on is as long as it is until `now`. */
  page(
    asked: StreaksAsked,
    sort: 'newest' | 'longest',
    page: { readonly offset: number; readonly limit: number },
    now: number,
  ): StreakRecord[]
  /** Those that go on, the longest first. */
  current(key: number, limit: number): StreakRecord[]
  /**
   * Nobody has looked since then: what went on is known until `until` only, and begins anew.
   * @returns false when there is nothing left to do
   */
  breakOff(network: string, until: number, now: number): boolean
  /** The webhook is gone. @returns false when there is nothing left to do */
  end(key: number, at: number): boolean
}

/** Which streaks, and by what indexes the longest of them are found: those that are over, those that go on. */
type Which = { readonly where: string; readonly over: string; readonly open: string }

/** Rows a step: whoever else writes has a turn between two. */
const stepRows = 500

export function createStreaks(database: Database): Streaks {
  const from = 'FROM streaks s LEFT JOIN subscriptions a ON a.id = s.subscription_id'
  const columns = 'a.account, s.began_at, s.ended_at, s.attempts, s.failed_lt'
  const touching = `s.began_at <= $to AND (s.ended_at IS NULL OR s.ended_at >= $from)`
  const allOfWebhook: Which = {
    where: `s.webhook_key = $key AND ${touching}`,
    over: 'INDEXED BY streaks_by_length',
    open: 'INDEXED BY streaks_open',
  }
  const allOfAccount: Which = {
    where: `s.webhook_key = $key AND s.subscription_id = $subscription AND ${touching}`,
    over: '',
    open: '',
  }
  const length = 'coalesce(s.ended_at, $now) - s.began_at'
  // Ids first, so that an index answers; of those that are over one is in the order of their length.
  const ids = {
    newest: ({ where }: Which) =>
      `SELECT s.id FROM streaks s WHERE ${where} ORDER BY s.began_at DESC, s.id DESC
       LIMIT $limit OFFSET $offset`,
    longest: ({ where, over, open }: Which) =>
      `SELECT id FROM (
         SELECT id, length FROM (SELECT s.id, s.ended_at - s.began_at AS length FROM streaks s ${over}
           WHERE ${where} AND s.ended_at IS NOT NULL
           ORDER BY s.ended_at - s.began_at DESC LIMIT $limit + $offset)
         UNION ALL
         SELECT s.id, ${length} FROM streaks s ${open} WHERE ${where} AND s.ended_at IS NULL)
       ORDER BY length DESC, id DESC LIMIT $limit OFFSET $offset`,
  }
  const orders = { newest: 's.began_at DESC, s.id DESC', longest: `${length} DESC, s.id DESC` }
  const current = database.prepare(
    `SELECT ${columns} ${from} WHERE s.webhook_key = ? AND s.ended_at IS NULL
     ORDER BY s.began_at, s.id LIMIT ?`,
  )
  current.setReadBigInts(true)
  const stale = database.prepare(
    `SELECT s.id, s.webhook_key, s.subscription_id, s.failed_lt
     FROM webhooks w JOIN streaks s ON s.webhook_key = w.key
     WHERE w.network = ? AND s.ended_at IS NULL AND s.began_at < ? LIMIT ${stepRows}`,
  )
  stale.setReadBigInts(true)
  const end = database.prepare('UPDATE streaks SET ended_at = max(began_at, ?) WHERE id = ?')
  const begin = database.prepare(
    `INSERT INTO streaks (webhook_key, subscription_id, began_at, attempts, failed_lt)
     VALUES (?, ?, ?, 0, ?)`,
  )
  const endOf = database.prepare(
    `UPDATE streaks SET ended_at = max(began_at, $at) WHERE id IN
       (SELECT id FROM streaks WHERE webhook_key = $key AND ended_at IS NULL LIMIT ${stepRows})`,
  )
  const since = database.prepare('UPDATE subscriptions SET failing_since = ? WHERE id = ?')

  const asking = ({ key, subscription, ...span }: StreaksAsked) => ({
    ...(subscription === null ? allOfWebhook : allOfAccount),
    values: {
      $key: key,
      $from: span.from,
      $to: span.to,
      ...(subscription !== null && { $subscription: subscription }),
    },
  })

  return {
    count(asked) {
      const { where, values } = asking(asked)
      const statement = database.prepare(`SELECT count(*) AS n FROM streaks s WHERE ${where}`)
      return Number(statement.get(values)?.['n'])
    },
    page(asked, sort, { offset, limit }, now) {
      const { values, ...which } = asking(asked)
      const statement = database.prepare(
        `SELECT ${columns} ${from} WHERE s.id IN (${ids[sort](which)}) ORDER BY ${orders[sort]}`,
      )
      statement.setReadBigInts(true)
      const page = { $limit: limit, $offset: offset, ...(sort === 'longest' && { $now: now }) }
      return statement.all({ ...values, ...page }).map(toStreak)
    },
    current: (key, limit) => current.all(key, limit).map(toStreak),
    breakOff: (network, until, now) =>
      transaction(database, () => {
        const rows = stale.all(network, now)
        for (const row of rows) {
          const subscription = row['subscription_id'] as bigint | null
          end.run(until, row['id'] as bigint)
          begin.run(
            row['webhook_key'] as bigint,
            subscription,
            now,
            row['failed_lt'] as bigint | null,
          )
          if (subscription !== null) since.run(now, subscription)
        }
        return rows.length > 0
      }),
    end: (key, at) => Number(endOf.run({ $key: key, $at: at }).changes) > 0,
  }
}

function toStreak(row: Record<string, unknown>): StreakRecord {
  const failedLt = row['failed_lt'] as bigint | null
  const to = row['ended_at'] as bigint | null
  return {
    account: row['account'] as string | null,
    from: Number(row['began_at']),
    to: to === null ? null : Number(to),
    failedAttempts: Number(row['attempts']),
    failedLt: failedLt === null ? null : fromColumn(failedLt).toString(),
  }
}
