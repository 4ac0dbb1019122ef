import type { Database } from '../../database/database.ts'
import { createSql, unsigned64Text } from '../../database/sql.ts'

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

/** Which streaks, and by what indexes the longest of them are found: those that are over, those that go on. */
type Which = { readonly where: string; readonly over: string; readonly open: string }

/** Rows a step: whoever else writes has a turn between two. */
const stepRows = 500

export function createStreaks(database: Database) {
  const sql = createSql(database, { failedLt: unsigned64Text })
  const from = 'FROM streaks s LEFT JOIN subscriptions a ON a.id = s.subscription_id'
  const columns = `a.account, s.began_at AS "from", s.ended_at AS "to",
    s.attempts AS failed_attempts, s.failed_lt`
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
  const asking = ({ subscription, ...values }: StreaksAsked) => ({
    ...(subscription === null ? allOfWebhook : allOfAccount),
    values: { ...values, subscription },
  })

  type Subject = { readonly key: number; readonly id: number | null }
  const whichOpen = 'webhook_key = $key AND subscription_id IS $id AND ended_at IS NULL'

  return {
    /**
     * What a reading showed of an account, or of the webhook as a whole, whose `id` is null. Callers give
     * the transaction.
     * @param seen recovered: something got through since the reading before, though it may fail again.
     *   growth: failed attempts since then. attempts: those that a streak begins with
     */
    follow(
      subject: Subject,
      seen: {
        readonly isFailing: boolean
        readonly recovered: boolean
        readonly growth: number
        readonly attempts: number
        readonly failedLt: bigint | null
      },
      at: number,
    ): void {
      const { key, id } = subject
      const { isFailing, recovered, growth, attempts } = seen
      const failedLt = seen.failedLt?.toString() ?? null
      if (recovered || !isFailing) {
        // A clock that was put back must not make a span negative.
        sql.run(`UPDATE streaks SET ended_at = max(began_at, $at) WHERE ${whichOpen}`, {
          ...{ key, id, at },
        })
      }
      if (!isFailing) return
      if (sql.get(`SELECT 1 FROM streaks WHERE ${whichOpen}`, { key, id }) === null) {
        const began = { webhookKey: key, subscriptionId: id, beganAt: at }
        sql.insert('streaks', { ...began, attempts, failedLt })
      } else if (growth > 0) {
        sql.run(
          `UPDATE streaks SET attempts = attempts + $growth, failed_lt = $failedLt WHERE ${whichOpen}`,
          { key, id, growth, failedLt },
        )
      }
    },
    count(asked: StreaksAsked): number {
      const { where, values } = asking(asked)
      return sql.value<number>(`SELECT count(*) FROM streaks s WHERE ${where}`, values) ?? 0
    },
    /** One that goes on is as long as it is until `now`. */
    page(
      asked: StreaksAsked,
      sort: 'newest' | 'longest',
      page: { readonly offset: number; readonly limit: number },
      now: number,
    ) {
      const { values, ...which } = asking(asked)
      return sql.all<StreakRecord>(
        `SELECT ${columns} ${from} WHERE s.id IN (${ids[sort](which)}) ORDER BY ${orders[sort]}`,
        { ...values, ...page, now },
      )
    },
    /** Those that go on, the longest first. */
    current: (key: number, limit: number) =>
      sql.all<StreakRecord>(
        `SELECT ${columns} ${from} WHERE s.webhook_key = ? AND s.ended_at IS NULL
         ORDER BY s.began_at, s.id LIMIT ?`,
        ...[key, limit],
      ),
    /**
     * Nobody has looked since then: what went on is known until `until` only, and begins anew.
     * @returns false when there is nothing left to do
     */
    breakOff: (network: string, until: number, now: number): boolean =>
      sql.transaction(() => {
        const rows = sql.all<Stale>(
          `SELECT s.id, s.webhook_key, s.subscription_id, s.failed_lt
           FROM webhooks w JOIN streaks s ON s.webhook_key = w.key
           WHERE w.network = ? AND s.ended_at IS NULL AND s.began_at < ? LIMIT ${stepRows}`,
          ...[network, now],
        )
        for (const { id, ...streak } of rows) {
          sql.run('UPDATE streaks SET ended_at = max(began_at, ?) WHERE id = ?', until, id)
          sql.insert('streaks', { ...streak, beganAt: now, attempts: 0 })
          if (streak.subscriptionId === null) continue
          sql.update('subscriptions', { failingSince: now }, { id: streak.subscriptionId })
        }
        return rows.length > 0
      }),
    /** The webhook is gone. @returns false when there is nothing left to do */
    end: (key: number, at: number): boolean =>
      sql.run(
        `UPDATE streaks SET ended_at = max(began_at, $at) WHERE id IN
           (SELECT id FROM streaks WHERE webhook_key = $key AND ended_at IS NULL LIMIT ${stepRows})`,
        { key, at },
      ) > 0,
  }
}

type Stale = Pick<StreakRecord, 'failedLt'> &
  Readonly<{ id: number; webhookKey: number; subscriptionId: number | null }>
