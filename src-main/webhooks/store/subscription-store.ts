import type { WebhookLogEntry } from '../../gateway/webhooks.ts'
import { createChangeItems, createChanges } from './changes.ts'
import {
  createFailureHistory,
  createFailureRecords,
  createStreaks,
  minuteOf,
} from './failure-history.ts'
import {
  createMissedEventChecks,
  createMissedEventFindings,
  createMissedEventSchedules,
} from './missed-event-checks.ts'
import { createMoves } from './moves.ts'
import { createSubscriptionRows } from './subscription-rows.ts'
import { createSubscriptions, growthOf } from './subscriptions.ts'
import { type WebhookRecord, createWebhooks } from './webhooks.ts'
import { type Database, type Sql, createSql, int64 } from '../../database/sql.ts'

const hour = 60
const day = 24 * hour
const keptDays = 90
/** Number of rows per step, so that other writers do not wait long. */
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
  /** For each table suffix, the first kept minute and the hour in which its rows were counted. */
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

  return {
    step: (now: number): boolean =>
      sql.transaction(() => {
        const before = now - keptDays * day * 60_000
        return (
          resolutions.some((each) => shorten(each, minuteOf(now))) ||
          removeStreaks(before) ||
          forgetGone(sql, before)
        )
      }),
    /** After the clock was set back, no record may be later than `now`. One short transaction. */
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

/** Removes the deleted webhooks that moves leave behind, whose history has expired by then. */
function forgetGone(sql: Sql, before: number): boolean {
  const key = sql.value<number>('SELECT key FROM webhooks WHERE gone_at < ? LIMIT 1', before)
  if (key === null) return false
  if (sql.removeSome('subscriptions', 'id', { webhookKey: key })) return true
  // These tables refer to webhooks by id. The next start removes the results of a check.
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

type UsageReading = {
  readonly startedAt: number | null
  readonly delivered: bigint
  readonly failed: bigint
}

/** Times are milliseconds since the epoch. */
type FailureLog = WebhookLogEntry & { readonly at: number }

const logsKept = 1000

function createSamplerRecords(database: Database) {
  const history = createFailureRecords(database)
  const streaks = createStreaks(database)
  const sql = createSql(database, { delivered: int64, failed: int64 })

  return {
    networks: () =>
      sql.column<string>(
        'SELECT DISTINCT network FROM webhooks WHERE gone_at IS NULL ORDER BY network',
      ),
    roundAt: (network: string) =>
      sql.value<number>('SELECT at FROM sampler_rounds WHERE network = ?', network),
    setRoundAt: (network: string, at: number) =>
      void sql.insert('sampler_rounds', { network, at }, 'INSERT OR REPLACE'),
    addUsage(network: string, { startedAt, ...reading }: UsageReading, at: number): void {
      const delivered = toCounter(reading.delivered)
      const failed = toCounter(reading.failed)
      sql.transaction(() => {
        const before = sql.get<UsageReading>(
          'SELECT started_at, delivered, failed FROM usage_counters WHERE network = ?',
          network,
        )
        if (before !== null) {
          const isSame = before.startedAt === startedAt
          const grown = {
            delivered: growthOf(isSame ? before.delivered : 0n, delivered),
            failed: growthOf(isSame ? before.failed : 0n, failed),
          }
          history.recordUsage(network, grown, at)
        }
        const counters = { network, startedAt, delivered, failed, readAt: at }
        sql.insert('usage_counters', counters, 'INSERT OR REPLACE')
      })
    },
    /** @returns true when the webhook changed */
    addListed: (webhook: WebhookRecord, before: WebhookRecord | null, at: number): boolean =>
      sql.transaction(() => {
        const { key, status, accounts, failing } = webhook
        const failed = webhook.failedAttempts ?? 0
        const growth = growthOf(before?.failedAttempts ?? null, failed)
        // If the webhook has account subscriptions, the failed attempts are counted from the accounts' own
        // counters.
        history.recordWebhook(key, { status, failing, attempts: accounts === 0 ? growth : 0 }, at)
        const isFailing = (status !== null && status !== 'online') || failed > 0
        const recovered = failed < (before?.failedAttempts ?? 0)
        const seen = { isFailing, recovered, growth, attempts: growth, failedLt: null }
        streaks.follow({ key, id: null }, seen, at)
        return before !== null && (growth > 0 || recovered || before.status !== status)
      }),
    addLogs: (key: number, added: readonly FailureLog[]) =>
      sql.transaction(() => {
        for (const log of added) sql.insertNew('failure_logs', { webhookKey: key, ...log })
        sql.run(
          `DELETE FROM failure_logs WHERE webhook_key = $key AND at < (SELECT at FROM failure_logs
             WHERE webhook_key = $key ORDER BY at DESC LIMIT 1 OFFSET ${logsKept})`,
          { key },
        )
      }),
    logs: (key: number, from: number, to: number, limit: number) =>
      sql.all<FailureLog>(
        `SELECT at, event_type, message FROM failure_logs
         WHERE webhook_key = ? AND at BETWEEN ? AND ? ORDER BY at DESC LIMIT ?`,
        ...[key, from, to, limit],
      ),
    forget(network: string): void {
      for (const table of ['sampler_rounds', 'usage_counters']) sql.remove(table, { network })
      history.forgetUsage(network)
    },
  }
}

const largestCounter = 2n ** 63n - 1n

/** Clamps a counter to the range that SQLite stores. */
function toCounter(value: bigint): bigint {
  if (value < 0n) return 0n
  return value > largestCounter ? largestCounter : value
}

export type SubscriptionStore = ReturnType<typeof createSubscriptionStore>

export function createSubscriptionStore(database: Database) {
  return {
    changeItems: createChangeItems(database),
    changes: createChanges(database),
    failureHistory: createFailureHistory(database),
    historyRetention: createHistoryRetention(database),
    ledgerChecks: createMissedEventChecks(database),
    ledgerFindings: createMissedEventFindings(database),
    ledgerSchedules: createMissedEventSchedules(database),
    moves: createMoves(database),
    samplerRecords: createSamplerRecords(database),
    streaks: createStreaks(database),
    subscriptionRows: createSubscriptionRows(database),
    subscriptions: createSubscriptions(database),
    webhooks: createWebhooks(database),
  }
}
