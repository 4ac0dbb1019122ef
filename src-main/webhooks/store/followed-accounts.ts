import type { Lag } from '../../../src-preload/contract/subscription.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import { createFailureRecord } from './failure-record.ts'

/** Accounts of a webhook that fail, or that the person watches. `key` is the webhook's row. */
export function createFollowedAccounts(database: Database) {
  const record = createFailureRecord(database)
  const sql = createSql(database)
  // Each half by an index of its own: together they would be looked for among all.
  const half = (flag: string) =>
    `SELECT account FROM (SELECT account FROM subscriptions
       WHERE webhook_key = $key AND ${flag} = 1 AND account > $after
       ORDER BY account LIMIT $limit)`

  return {
    /** In their order, those after `after`. Raw addresses. */
    page: (key: number, after: string, limit: number) =>
      sql.column<string>(
        `${half('is_failing')} UNION ${half('is_watched')} ORDER BY account LIMIT $limit`,
        { key, after, limit },
      ),
    setWatched: (key: number, accounts: readonly string[], isWatched: boolean) =>
      sql.transaction(() => {
        const noLag = { lagTransactions: null, lagMore: null, lagMs: null, lagReadAt: null }
        for (const account of accounts) {
          const which = { webhookKey: key, account }
          sql.update('subscriptions', { isWatched }, which)
          if (isWatched) continue
          sql.update('subscriptions', noLag, { ...which, isFailing: false, isWatched })
        }
      }),
    /** Of those that are followed still; the worst also in the history. */
    saveLags: (key: number, lags: ReadonlyMap<string, Lag>, at: number) =>
      sql.transaction(() => {
        let worst: number | null = null
        for (const [account, lag] of lags) {
          const id = sql.value<number>(
            `UPDATE subscriptions SET lag_transactions = $transactions, lag_more = $more,
               lag_ms = $milliseconds, lag_read_at = $readAt
             WHERE webhook_key = $key AND account = $account AND (is_failing = 1 OR is_watched = 1)
             RETURNING id`,
            { ...lag, key, account },
          )
          if (id === null || lag.milliseconds === null) continue
          worst = Math.max(worst ?? 0, lag.milliseconds)
          if (lag.milliseconds > 0) record.accountLag(key, id, lag.milliseconds, at)
        }
        if (worst === null) return
        const failing = sql.value<number>(
          'SELECT count(*) FROM subscriptions WHERE webhook_key = ? AND is_failing = 1',
          key,
        )
        record.webhook(key, { failing: failing ?? 0, lagMs: worst }, at)
      }),
  }
}
