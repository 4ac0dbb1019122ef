import { type WebhookStatus, webhookStatus } from '../../../src-preload/contract/webhook.ts'
import { type Database, transaction } from '../../database/database.ts'
import { growthOf } from './failing.ts'
import { toColumn } from './lt.ts'

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
type FailureRecord = {
  account(key: number, seen: AccountSeen, at: number): void
  accountLag(key: number, id: number, lagMs: number, at: number): void
  /** Adds to the bucket of the moment, which exists from the first call on. */
  webhook(
    key: number,
    seen: {
      readonly status?: WebhookStatus | null
      readonly failing: number
      readonly delivered?: number
      readonly attempts?: number
      readonly lagMs?: number | null
    },
    at: number,
  ): void
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
  ): boolean
  /** Growth of the usage counters of a network's key. */
  usage(network: string, grown: { delivered: number; failed: number }, at: number): void
}

export function createFailureRecord(database: Database): FailureRecord {
  const account = database.prepare(
    `INSERT INTO account_history (subscription_id, at, webhook_key, attempts, recovered, lag_ms)
     VALUES ($id, $at, $key, $attempts, $recovered, $lagMs)
     ON CONFLICT DO UPDATE SET attempts = attempts + $attempts, recovered = recovered + $recovered,
       lag_ms = CASE WHEN $lagMs IS NULL THEN lag_ms ELSE max(coalesce(lag_ms, 0), $lagMs) END`,
  )
  const webhook = database.prepare(
    `INSERT INTO webhook_history (webhook_key, at, status, failing, delivered, attempts, lag_ms)
     VALUES ($key, $at, $status, $failing, $delivered, $attempts, $lagMs)
     ON CONFLICT DO UPDATE SET
       status = CASE WHEN $status IS NULL THEN status ELSE max(coalesce(status, 0), $status) END,
       failing = max(failing, $failing), delivered = delivered + $delivered,
       attempts = attempts + $attempts,
       lag_ms = CASE WHEN $lagMs IS NULL THEN lag_ms ELSE max(coalesce(lag_ms, 0), $lagMs) END`,
  )
  const usage = database.prepare(
    `INSERT INTO usage_history (network, at, delivered, failed) VALUES ($network, $at, $delivered, $failed)
     ON CONFLICT DO UPDATE SET delivered = delivered + $delivered, failed = failed + $failed`,
  )
  const open = database.prepare(
    `INSERT INTO streaks (webhook_key, subscription_id, began_at, attempts, failed_lt)
     VALUES (?, ?, ?, ?, ?)`,
  )
  // A clock that was put back must not make a span negative.
  const close = database.prepare(
    `UPDATE streaks SET ended_at = max(began_at, ?)
     WHERE webhook_key = ? AND subscription_id IS ? AND ended_at IS NULL`,
  )
  const grow = database.prepare(
    `UPDATE streaks SET attempts = attempts + ?, failed_lt = ?
     WHERE webhook_key = ? AND subscription_id IS ? AND ended_at IS NULL`,
  )
  const isOpen = database.prepare(
    `SELECT 1 FROM streaks WHERE webhook_key = ? AND subscription_id IS ? AND ended_at IS NULL`,
  )

  const addToWebhook: FailureRecord['webhook'] = (
    key,
    { status = null, failing, delivered = 0, attempts = 0, lagMs = null },
    at,
  ) => {
    webhook.run({
      $key: key,
      $at: minuteOf(at),
      $status: status === null ? null : statusRanks.indexOf(status),
      $failing: failing,
      $delivered: delivered,
      $attempts: attempts,
      $lagMs: lagMs,
    })
  }

  /** The webhook as a whole: nothing has got through since the last reading, or something has. */
  function followStreak(
    key: number,
    { isFailing, recovered, growth }: { isFailing: boolean; recovered: boolean; growth: number },
    at: number,
  ): void {
    if (recovered || !isFailing) close.run(at, key, null)
    if (!isFailing) return
    if (isOpen.get(key, null) === undefined) open.run(key, null, at, growth, null)
    else if (growth > 0) grow.run(growth, null, key, null)
  }

  return {
    account(key, { id, wasFailing, isFailing, growth, recovered, ...seen }, at) {
      const failedLt = toColumn(seen.failedLt)
      if (growth > 0 || recovered) {
        account.run({
          $id: id,
          $at: minuteOf(at),
          $key: key,
          $attempts: growth,
          $recovered: Number(recovered),
          $lagMs: null,
        })
      }
      if (wasFailing && recovered) close.run(at, key, id)
      if (isFailing && (recovered || !wasFailing)) open.run(key, id, at, seen.attempts, failedLt)
      else if (isFailing && growth > 0) grow.run(growth, failedLt, key, id)
    },
    accountLag(key, id, lagMs, at) {
      account.run({
        $id: id,
        $at: minuteOf(at),
        $key: key,
        $attempts: 0,
        $recovered: 0,
        $lagMs: lagMs,
      })
    },
    webhook: addToWebhook,
    listed: ({ key, status, failedAttempts, accounts, failing }, before, at) =>
      transaction(database, () => {
        const failed = failedAttempts ?? 0
        const growth = growthOf(before?.failedAttempts ?? null, failed)
        // What fails of accounts, their own counters tell.
        addToWebhook(key, { status, failing, attempts: accounts === 0 ? growth : 0 }, at)
        const isFailing = (status !== null && status !== 'online') || failed > 0
        const recovered = failed < (before?.failedAttempts ?? 0)
        followStreak(key, { isFailing, recovered, growth }, at)
        return before !== null && (growth > 0 || recovered || before.status !== status)
      }),
    usage(network, { delivered, failed }, at) {
      usage.run({ $network: network, $at: minuteOf(at), $delivered: delivered, $failed: failed })
    },
  }
}
