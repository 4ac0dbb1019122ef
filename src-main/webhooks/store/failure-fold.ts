import { type Database, transaction } from '../../database/database.ts'
import { minuteOf } from './failure-record.ts'

const hour = 60
const day = 24 * hour

/** Until when what is kept in which resolution, in minutes. */
type Keeping = {
  readonly minutes: number
  readonly hours: number
  readonly days: number
}

const usual: Keeping = { minutes: 2 * day, hours: 30 * day, days: 90 * day }
/** While there is more than that many failures can be told of in all detail. */
const tight: Keeping = { minutes: 2 * hour, hours: 2 * day, days: 30 * day }
/** Rows of accounts' history, some 50 bytes each. */
const maxRows = 4_000_000
/** Rows a step: whoever else writes has a turn between two. */
const stepRows = 500

type FailureFold = {
  /** One short transaction's work. @returns false when there is nothing left to do */
  step(now: number): boolean
  /** The clock has been put back: nothing has happened after now. Short, as `step` is. */
  clamp(now: number): void
}

export function createFailureFold(database: Database, maxAccountRows = maxRows): FailureFold {
  const keys = database.prepare('SELECT key FROM webhooks')
  const oldest = database.prepare(
    `SELECT min(at) AS at FROM (SELECT min(at) AS at FROM usage_history
       UNION ALL SELECT min(h.at) FROM webhooks w JOIN webhook_history h ON h.webhook_key = w.key
       UNION ALL SELECT min(h.at) FROM webhooks w JOIN account_history h ON h.webhook_key = w.key)`,
  )
  const progress = database.prepare('SELECT done_to FROM history_progress WHERE width = ?')
  const setProgress = database.prepare(
    'INSERT OR REPLACE INTO history_progress (width, done_to) VALUES (?, ?)',
  )
  const accounts = database.prepare(
    `SELECT subscription_id AS id, at, attempts, recovered, lag_ms
     FROM account_history INDEXED BY account_history_by_time
     WHERE webhook_key = ? AND at > ? AND at < ? LIMIT ${stepRows}`,
  )
  const addAccount = database.prepare(
    `INSERT INTO account_history (subscription_id, at, webhook_key, attempts, recovered, lag_ms)
     VALUES ($id, $at, $key, $attempts, $recovered, $lagMs)
     ON CONFLICT DO UPDATE SET attempts = attempts + $attempts, recovered = recovered + $recovered,
       lag_ms = CASE WHEN $lagMs IS NULL THEN lag_ms ELSE max(coalesce(lag_ms, 0), $lagMs) END`,
  )
  const removeAccount = database.prepare(
    'DELETE FROM account_history WHERE subscription_id = ? AND at = ?',
  )
  const whole = '$at <= at AND at < $to'
  const foldWebhook = database.prepare(
    `INSERT OR REPLACE INTO webhook_history
       (webhook_key, at, status, failing, delivered, attempts, lag_ms)
     SELECT webhook_key, $at, max(status), max(failing), sum(delivered), sum(attempts), max(lag_ms)
     FROM webhook_history WHERE webhook_key = $key AND ${whole} GROUP BY webhook_key`,
  )
  const trimWebhook = database.prepare(
    'DELETE FROM webhook_history WHERE webhook_key = ? AND at > ? AND at < ?',
  )
  const networks = database.prepare('SELECT DISTINCT network FROM usage_history')
  const foldUsage = database.prepare(
    `INSERT OR REPLACE INTO usage_history (network, at, delivered, failed)
     SELECT network, $at, sum(delivered), sum(failed)
     FROM usage_history WHERE network = $network AND ${whole} GROUP BY network`,
  )
  const trimUsage = database.prepare(
    'DELETE FROM usage_history WHERE network = ? AND at > ? AND at < ?',
  )
  const countAccounts = database.prepare('SELECT count(*) AS n FROM account_history')
  const dropAccounts = database.prepare(
    `DELETE FROM account_history WHERE (subscription_id, at) IN
       (SELECT subscription_id, at FROM account_history INDEXED BY account_history_by_time
        WHERE webhook_key = ? AND at < ? LIMIT ${stepRows})`,
  )
  const dropWebhook = database.prepare(
    'DELETE FROM webhook_history WHERE webhook_key = ? AND at < ?',
  )
  const dropUsage = database.prepare('DELETE FROM usage_history WHERE at < ?')
  const dropStreaks = database.prepare(
    `DELETE FROM streaks WHERE id IN (SELECT id FROM streaks
       WHERE webhook_key = ? AND began_at < ? AND ended_at < ? LIMIT ${stepRows})`,
  )

  const gone = database.prepare('SELECT key FROM webhooks WHERE gone_at < ? LIMIT 1')
  const dropSubscriptions = database.prepare(
    `DELETE FROM subscriptions WHERE id IN
       (SELECT id FROM subscriptions WHERE webhook_key = ? LIMIT ${stepRows})`,
  )
  // What hangs on a webhook by its name; what a check has found goes at the next start.
  const dropGone = ['ledger_checks', 'ledger_schedules'].map((table) =>
    database.prepare(
      `DELETE FROM ${table}
       WHERE (network, webhook) = (SELECT network, id FROM webhooks WHERE key = ?)`,
    ),
  )
  dropGone.push(database.prepare('DELETE FROM webhooks WHERE key = ?'))

  const allKeys = () => keys.all().map((row) => row['key'] as number)
  let keeping = usual

  /** Begins with this when it has never been done. */
  function doneTo(width: number): number | null {
    const row = progress.get(width)
    if (row !== undefined) return row['done_to'] as number
    const at = oldest.get()?.['at'] as number | null
    return at === null ? null : at - (at % width)
  }

  /** @returns false when the bucket is made */
  function foldAccounts(at: number, width: number): boolean {
    for (const key of allKeys()) {
      const rows = accounts.all(key, at, at + width)
      for (const row of rows) {
        const id = row['id'] as number
        addAccount.run({
          $id: id,
          $at: at,
          $key: key,
          $attempts: row['attempts'] as number,
          $recovered: row['recovered'] as number,
          $lagMs: row['lag_ms'] as number | null,
        })
        removeAccount.run(id, row['at'] as number)
      }
      if (rows.length > 0) return true
    }
    return false
  }

  function fold(width: number, olderThan: number): boolean {
    const at = doneTo(width)
    if (at === null || at + width > olderThan) return false
    if (foldAccounts(at, width)) return true
    for (const key of allKeys()) {
      foldWebhook.run({ $key: key, $at: at, $to: at + width })
      trimWebhook.run(key, at, at + width)
    }
    for (const { network } of networks.all()) {
      foldUsage.run({ $network: network ?? null, $at: at, $to: at + width })
      trimUsage.run(network ?? null, at, at + width)
    }
    setProgress.run(width, at + width)
    // Counting takes a while, and once for each hour is often enough.
    keeping = Number(countAccounts.get()?.['n']) > maxAccountRows ? tight : usual
    return true
  }

  function drop(olderThan: number): boolean {
    const moment = olderThan * 60_000
    let dropped = 0
    for (const key of allKeys()) {
      dropped += Number(dropAccounts.run(key, olderThan).changes)
      dropped += Number(dropStreaks.run(key, moment, moment).changes)
      if (dropped >= stepRows) return true
      dropWebhook.run(key, olderThan)
    }
    dropUsage.run(olderThan)
    return dropped > 0
  }

  /** A webhook that went so long ago has no history any more, and a move leaves one each time. */
  function forgetGone(before: number): boolean {
    const key = gone.get(before * 60_000)?.['key'] as number | undefined
    if (key === undefined) return false
    if (Number(dropSubscriptions.run(key).changes) > 0) return true
    for (const statement of dropGone) statement.run(key)
    return true
  }

  return {
    step: (now) =>
      transaction(database, () => {
        const minute = minuteOf(now)
        return (
          fold(hour, minute - keeping.minutes) ||
          fold(day, minute - keeping.hours) ||
          drop(minute - keeping.days) ||
          forgetGone(minute - usual.days)
        )
      }),
    clamp(now) {
      const minute = minuteOf(now)
      transaction(database, () => {
        for (const statement of [
          'UPDATE streaks SET ended_at = $now WHERE ended_at > $now',
          'UPDATE streaks SET began_at = $now WHERE began_at > $now',
          'UPDATE subscriptions SET failing_since = $now WHERE failing_since > $now',
        ]) {
          database.prepare(statement).run({ $now: now })
        }
        for (const table of ['webhook_history', 'usage_history']) {
          database.prepare(`DELETE FROM ${table} WHERE at > ?`).run(minute)
        }
        const future = database.prepare(
          'DELETE FROM account_history WHERE webhook_key = ? AND at > ?',
        )
        for (const key of allKeys()) future.run(key, minute)
        database
          .prepare('UPDATE history_progress SET done_to = min(done_to, $to - $to % width)')
          .run({ $to: minute - keeping.minutes })
      })
    },
  }
}
