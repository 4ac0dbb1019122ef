import type { Lag } from '../../../src-preload/contract/subscription.ts'
import { type Database, transaction } from '../../database/database.ts'
import { createFailureRecord } from './failure-record.ts'

/** Accounts of a webhook that fail, or that the person watches. `key` is the webhook's row. */
type FollowedAccounts = {
  /** In their order, those after `after`. Raw addresses. */
  page(key: number, after: string, limit: number): string[]
  setWatched(key: number, accounts: readonly string[], watched: boolean): void
  /** Of those that are followed still; the worst also in the history. */
  saveLags(key: number, lags: ReadonlyMap<string, Lag>, at: number): void
}

export function createFollowedAccounts(database: Database): FollowedAccounts {
  const record = createFailureRecord(database)
  // Each half by an index of its own: together they would be looked for among all.
  const half = (flag: string) =>
    `SELECT account FROM (SELECT account FROM subscriptions
       WHERE webhook_key = $key AND ${flag} = 1 AND account > $after
       ORDER BY account LIMIT $limit)`
  const page = database.prepare(
    `${half('is_failing')} UNION ${half('is_watched')} ORDER BY account LIMIT $limit`,
  )
  const setWatched = database.prepare(
    'UPDATE subscriptions SET is_watched = ? WHERE webhook_key = ? AND account = ?',
  )
  const setLag = database.prepare(
    `UPDATE subscriptions SET lag_transactions = ?, lag_more = ?, lag_ms = ?, lag_read_at = ?
     WHERE webhook_key = ? AND account = ? AND (is_failing = 1 OR is_watched = 1) RETURNING id`,
  )
  const forgetLag = database.prepare(
    `UPDATE subscriptions SET lag_transactions = NULL, lag_more = NULL, lag_ms = NULL,
       lag_read_at = NULL
     WHERE webhook_key = ? AND account = ? AND is_failing = 0 AND is_watched = 0`,
  )
  const countFailing = database.prepare(
    'SELECT count(*) AS n FROM subscriptions WHERE webhook_key = ? AND is_failing = 1',
  )

  return {
    page: (key, after, limit) =>
      page.all({ $key: key, $after: after, $limit: limit }).map((row) => row['account'] as string),
    setWatched(key, accounts, watched) {
      transaction(database, () => {
        for (const account of accounts) {
          setWatched.run(Number(watched), key, account)
          if (!watched) forgetLag.run(key, account)
        }
      })
    },
    saveLags(key, lags, at) {
      transaction(database, () => {
        let worst: number | null = null
        for (const [account, { transactions, more, milliseconds, readAt }] of lags) {
          const row = setLag.get(transactions, Number(more), milliseconds, readAt, key, account)
          if (row === undefined || milliseconds === null) continue
          worst = Math.max(worst ?? 0, milliseconds)
          if (milliseconds > 0) record.accountLag(key, Number(row['id']), milliseconds, at)
        }
        if (worst === null) return
        const failing = Number(countFailing.get(key)?.['n'])
        record.webhook(key, { failing, lagMs: worst }, at)
      })
    },
  }
}
