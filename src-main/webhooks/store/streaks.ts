import type { Database } from '../../database/database.ts'
import { createSql, unsigned64Text } from '../../database/sql.ts'

type StreakRecord = {
  /** Raw address; null for the webhook as a whole. */
  readonly account: string | null
  readonly from: number
  readonly to: number | null
  readonly failedAttempts: number
  readonly failedLt: string | null
}

type StreaksAsked = {
  readonly key: number
  readonly subscription: number | null
  readonly from: number
  readonly to: number
}

/** Rows per step; other writers run between two steps. */
const stepRows = 500

export function createStreaks(database: Database) {
  const sql = createSql(database, { failedLt: unsigned64Text })
  const from = 'FROM streaks s LEFT JOIN subscriptions a ON a.id = s.subscription_id'
  const columns = `a.account, s.began_at AS "from", s.ended_at AS "to",
    s.attempts AS failed_attempts, s.failed_lt`
  const touching = `s.began_at <= $to AND (s.ended_at IS NULL OR s.ended_at >= $from)`
  const queryOptions = (requested: StreaksAsked) => {
    const where = `s.webhook_key = $key AND ${touching}`
    return requested.subscription === null
      ? { where, over: 'INDEXED BY streaks_by_length', open: 'INDEXED BY streaks_open' }
      : { where: `${where} AND s.subscription_id = $subscription`, over: '', open: '' }
  }
  type Which = ReturnType<typeof queryOptions>
  const length = 'coalesce(s.ended_at, $now) - s.began_at'
  // Ids are selected first, so that an index finds them; one index orders ended streaks by length.
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
  type Subject = { readonly key: number; readonly id: number | null }
  const whichOpen = 'webhook_key = $key AND subscription_id IS $id AND ended_at IS NULL'

  return {
    /**
     * Follows a reading of an account, or of the whole webhook if `id` is null. Callers open the
     * transaction.
     * @param seen `recovered`: something was delivered since the last reading, even if it fails again.
     * `growth`: failed attempts since then. `attempts`: those with which a new streak begins
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
        // A clock that was set back must not make a span negative.
        sql.run(`UPDATE streaks SET ended_at = max(began_at, $at) WHERE ${whichOpen}`, {
          key,
          id,
          at,
        })
      }
      if (!isFailing) return
      if (!sql.exists(`streaks WHERE ${whichOpen}`, { key, id })) {
        const began = { webhookKey: key, subscriptionId: id, beganAt: at }
        sql.insert('streaks', { ...began, attempts, failedLt })
      } else if (growth > 0) {
        sql.run(
          `UPDATE streaks SET attempts = attempts + $growth, failed_lt = $failedLt WHERE ${whichOpen}`,
          { key, id, growth, failedLt },
        )
      }
    },
    count: (requested: StreaksAsked) =>
      sql.count(`streaks s WHERE ${queryOptions(requested).where}`, requested),
    page: (
      requested: StreaksAsked,
      sort: 'newest' | 'longest',
      page: { readonly offset: number; readonly limit: number },
      now: number,
    ) =>
      sql.all<StreakRecord>(
        `SELECT ${columns} ${from} WHERE s.id IN (${ids[sort](queryOptions(requested))})
         ORDER BY ${orders[sort]}`,
        { ...requested, ...page, now },
      ),
    current: (key: number, limit: number) =>
      sql.all<StreakRecord>(
        `SELECT ${columns} ${from} WHERE s.webhook_key = ? AND s.ended_at IS NULL
         ORDER BY s.began_at, s.id LIMIT ?`,
        ...[key, limit],
      ),
    /** After a gap in sampling, streaks end at `until` and start again. @returns false when done */
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
