import { type WebhookStatus, webhookStatus } from '../../../src-preload/contract/webhook.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import { growthOf } from './failing.ts'
import { unsigned64 } from './lt.ts'

/** Milliseconds of the shortest bucket of the history. */
const minuteMs = 60_000

/** Where the bucket of a moment begins, in minutes since the epoch. */
export const minuteOf = (at: number) => Math.floor(at / minuteMs)

/** As `webhook_history.status` holds them; the worst is the highest. */
export const statusRanks: readonly WebhookStatus[] = webhookStatus.options

/** What one reading showed of one account. */
type AccountSeen = {
  readonly id: number
  readonly wasFailing: boolean
  readonly isFailing: boolean
  readonly growth: number
  readonly recovered: boolean
  readonly failedLt: bigint | null
  /** To begin a streak with: all that are known of. */
  readonly attempts: number
}

/** What a list showed of a webhook as a whole. */
export type WebhookSeen = {
  readonly status: WebhookStatus | null
  readonly failedAttempts: number | null
}

/** Turns readings into history. Callers give the transaction; `key` is a webhook's row. */
export function createFailureRecord(database: Database) {
  const sql = createSql(database, { failedLt: unsigned64 })

  function addToAccount(
    key: number,
    id: number,
    seen: { attempts?: number; recovered?: boolean; lagMs?: number | null },
    at: number,
  ): void {
    sql.run(
      `INSERT INTO account_history (subscription_id, at, webhook_key, attempts, recovered, lag_ms)
       VALUES ($id, $at, $key, $attempts, $recovered, $lagMs)
       ON CONFLICT DO UPDATE SET attempts = attempts + $attempts, recovered = recovered + $recovered,
         lag_ms = CASE WHEN $lagMs IS NULL THEN lag_ms ELSE max(coalesce(lag_ms, 0), $lagMs) END`,
      { ...{ attempts: 0, recovered: false, lagMs: null, ...seen }, key, id, at: minuteOf(at) },
    )
  }

  /** Adds to the bucket of the moment, which exists from the first call on. */
  function addToWebhook(
    key: number,
    seen: {
      readonly status?: WebhookStatus | null
      readonly failing: number
      readonly delivered?: number
      readonly attempts?: number
      readonly lagMs?: number | null
    },
    at: number,
  ): void {
    const { status = null, ...counts } = seen
    sql.run(
      `INSERT INTO webhook_history (webhook_key, at, status, failing, delivered, attempts, lag_ms)
       VALUES ($key, $at, $status, $failing, $delivered, $attempts, $lagMs)
       ON CONFLICT DO UPDATE SET
         status = CASE WHEN $status IS NULL THEN status ELSE max(coalesce(status, 0), $status) END,
         failing = max(failing, $failing), delivered = delivered + $delivered,
         attempts = attempts + $attempts,
         lag_ms = CASE WHEN $lagMs IS NULL THEN lag_ms ELSE max(coalesce(lag_ms, 0), $lagMs) END`,
      {
        ...{ delivered: 0, attempts: 0, lagMs: null, ...counts },
        ...{ key, at: minuteOf(at), status: status === null ? null : statusRanks.indexOf(status) },
      },
    )
  }

  type Streak = { readonly key: number; readonly id: number | null }

  const whichStreak = 'webhook_key = $key AND subscription_id IS $id AND ended_at IS NULL'
  const open = ({ key, id }: Streak, at: number, attempts: number, failedLt: bigint | null) =>
    sql.insert('streaks', {
      ...{ webhookKey: key, subscriptionId: id, beganAt: at, attempts, failedLt },
    })
  // A clock that was put back must not make a span negative.
  const close = (streak: Streak, at: number) =>
    sql.run(`UPDATE streaks SET ended_at = max(began_at, $at) WHERE ${whichStreak}`, {
      ...{ ...streak, at },
    })
  const grow = (streak: Streak, growth: number, failedLt: bigint | null) =>
    sql.run(
      `UPDATE streaks SET attempts = attempts + $growth, failed_lt = $failedLt WHERE ${whichStreak}`,
      { ...streak, growth, failedLt },
    )

  /** The webhook as a whole: nothing has got through since the last reading, or something has. */
  function followStreak(
    key: number,
    { isFailing, recovered, growth }: { isFailing: boolean; recovered: boolean; growth: number },
    at: number,
  ): void {
    const streak = { key, id: null }
    if (recovered || !isFailing) close(streak, at)
    if (!isFailing) return
    const isOpen = sql.get(`SELECT 1 FROM streaks WHERE ${whichStreak}`, streak) !== null
    if (!isOpen) open(streak, at, growth, null)
    else if (growth > 0) grow(streak, growth, null)
  }

  return {
    account(key: number, seen: AccountSeen, at: number): void {
      const { id, wasFailing, isFailing, growth, recovered, failedLt } = seen
      const streak = { key, id }
      if (growth > 0 || recovered) addToAccount(key, id, { attempts: growth, recovered }, at)
      if (wasFailing && recovered) close(streak, at)
      if (isFailing && (recovered || !wasFailing)) open(streak, at, seen.attempts, failedLt)
      else if (isFailing && growth > 0) grow(streak, growth, failedLt)
    },
    accountLag: (key: number, id: number, lagMs: number, at: number) =>
      addToAccount(key, id, { lagMs }, at),
    webhook: addToWebhook,
    /**
     * A webhook as just listed, in a transaction of its own.
     * @param before what the last list showed; null where there was none
     * @returns true when something of it has changed
     */
    listed(
      webhook: WebhookSeen & {
        readonly key: number
        readonly accounts: number | null
        readonly failing: number
      },
      before: WebhookSeen | null,
      at: number,
    ): boolean {
      const { key, status, failedAttempts, accounts, failing } = webhook
      return sql.transaction(() => {
        const failed = failedAttempts ?? 0
        const growth = growthOf(before?.failedAttempts ?? null, failed)
        // What fails of accounts, their own counters tell.
        addToWebhook(key, { status, failing, attempts: accounts === 0 ? growth : 0 }, at)
        const isFailing = (status !== null && status !== 'online') || failed > 0
        const recovered = failed < (before?.failedAttempts ?? 0)
        followStreak(key, { isFailing, recovered, growth }, at)
        return before !== null && (growth > 0 || recovered || before.status !== status)
      })
    },
    /** Growth of the usage counters of a network's key. */
    usage: (network: string, grown: { delivered: number; failed: number }, at: number) =>
      void sql.run(
        `INSERT INTO usage_history (network, at, delivered, failed)
         VALUES ($network, $at, $delivered, $failed)
         ON CONFLICT DO UPDATE SET delivered = delivered + $delivered, failed = failed + $failed`,
        { ...grown, network, at: minuteOf(at) },
      ),
  }
}
