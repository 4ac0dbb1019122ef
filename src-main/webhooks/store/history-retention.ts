import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import { minuteOf } from './failure-history.ts'

const hour = 60
const day = 24 * hour
const keptDays = 90
/** Rows per step, so that other writers do not wait long. */
const stepRows = 500

/** Retention in minutes. Tables above `maxRows` rows of about 100 bytes are shortened by `unit`. */
const resolutions = [
  { suffix: 'minutes', kept: 2 * day, unit: hour, maxRows: 2_000_000 },
  { suffix: 'history', kept: keptDays * day, unit: day, maxRows: 4_000_000 },
] as const
type Resolution = (typeof resolutions)[number]

export function createHistoryRetention(database: Database, maxRows = Infinity) {
  const sql = createSql(database)
  const keys = () => sql.column<number>('SELECT key FROM webhooks')
  const minutesBeginAt = (minute: number) =>
    sql.run(
      `INSERT INTO history_progress (width, done_to) VALUES (${hour}, $minute)
       ON CONFLICT DO UPDATE SET done_to = max(done_to, $minute)`,
      { minute },
    )
  /** Per table suffix: first kept minute, and the hour in which its rows were counted. */
  const begins = new Map<string, number>()
  const counted = new Map<string, number>()

  function removeBefore(suffix: string, minute: number): number {
    let removed = 0
    for (const key of keys()) {
      removed += sql.run(
        `DELETE FROM account_${suffix} WHERE (subscription_id, at) IN
           (SELECT subscription_id, at FROM account_${suffix} INDEXED BY account_${suffix}_by_time
            WHERE webhook_key = ? AND at < ? LIMIT ${stepRows})`,
        ...[key, minute],
      )
      if (removed >= stepRows) return removed
      sql.run(`DELETE FROM webhook_${suffix} WHERE webhook_key = ? AND at < ?`, key, minute)
    }
    sql.run(`DELETE FROM usage_${suffix} WHERE at < ?`, minute)
    return removed
  }

  function shortened({ suffix, unit, maxRows: limit }: Resolution): number | null {
    const rows = sql.count(`account_${suffix}`)
    if (rows <= Math.min(limit, maxRows)) return null
    const oldest = keys().map(
      (key) =>
        sql.value<number>(`SELECT min(at) FROM account_${suffix} WHERE webhook_key = ?`, key) ??
        Infinity,
    )
    const first = Math.min(...oldest)
    return first - (first % unit) + unit
  }

  function shorten(resolution: Resolution, now: number): boolean {
    const { suffix, kept, unit } = resolution
    const oldest = now - kept
    const begin = Math.max(begins.get(suffix) ?? 0, oldest - (oldest % unit))
    if (suffix === 'minutes') minutesBeginAt(begin)
    if (removeBefore(suffix, begin) > 0) return true
    // Counting takes tens of milliseconds, so it runs once per hour.
    const thisHour = Math.floor(now / hour)
    if (counted.get(suffix) === thisHour) return false
    const fitting = shortened(resolution)
    if (fitting === null || fitting > now) counted.set(suffix, thisHour)
    else begins.set(suffix, fitting)
    return fitting !== null && fitting <= now
  }

  const removeStreaks = (before: number) =>
    keys().some(
      (key) =>
        sql.run(
          `DELETE FROM streaks WHERE id IN (SELECT id FROM streaks
             WHERE webhook_key = $key AND began_at < $before AND ended_at < $before LIMIT ${stepRows})`,
          { key, before },
        ) > 0,
    )

  /** Moves leave a deleted webhook each. Its history has expired by then. */
  function forgetGone(before: number): boolean {
    const key = sql.value<number>('SELECT key FROM webhooks WHERE gone_at < ? LIMIT 1', before)
    if (key === null) return false
    if (sql.removeSome('subscriptions', 'id', { webhookKey: key })) return true
    // These tables refer to webhooks by id. A check's results are removed at the next start.
    for (const table of ['ledger_checks', 'ledger_schedules']) {
      sql.run(
        `DELETE FROM ${table}
         WHERE (network, webhook) = (SELECT network, id FROM webhooks WHERE key = ?)`,
        key,
      )
    }
    sql.remove('webhooks', { key })
    return true
  }

  return {
    step: (now: number): boolean =>
      sql.transaction(() => {
        const before = now - keptDays * day * 60_000
        return (
          resolutions.some((each) => shorten(each, minuteOf(now))) ||
          removeStreaks(before) ||
          forgetGone(before)
        )
      }),
    /** After the clock was set back, no record may lie after `now`. One short transaction. */
    clamp(now: number): void {
      const minute = minuteOf(now)
      begins.clear()
      sql.transaction(() => {
        sql.run('UPDATE streaks SET ended_at = $now WHERE ended_at > $now', { now })
        sql.run('UPDATE streaks SET began_at = $now WHERE began_at > $now', { now })
        sql.run('UPDATE subscriptions SET failing_since = $now WHERE failing_since > $now', { now })
        for (const { suffix } of resolutions) {
          sql.run(`DELETE FROM webhook_${suffix} WHERE at > ?`, minute)
          sql.run(`DELETE FROM usage_${suffix} WHERE at > ?`, minute)
          for (const key of keys()) {
            sql.run(`DELETE FROM account_${suffix} WHERE webhook_key = ? AND at > ?`, key, minute)
          }
        }
        sql.run('UPDATE history_progress SET done_to = min(done_to, $to - $to % width)', {
          to: minute - resolutions[0].kept,
        })
      })
    },
  }
}
