import type { WebhookStatus } from '../../../src-preload/contract/webhook.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import { minuteOf, statusRanks } from './failure-record.ts'

/** Where steps begin, and how long they are, in minutes since the epoch: see `minuteOf`. */
export type Steps = { readonly from: number; readonly width: number; readonly count: number }

export type WebhookStep = {
  readonly step: number
  readonly failedAttempts: number
  readonly failing: number
  readonly status: WebhookStatus | null
  readonly lag: number | null
}

type AccountStep = {
  readonly step: number
  readonly failedAttempts: number
  readonly lag: number | null
}

type UsageStep = {
  readonly step: number
  readonly delivered: number
  readonly failed: number
}

const hourMinutes = 60

/** What was recorded, in steps: those in which nothing was are left out. `key` is a webhook's row. */
export function createFailureHistory(database: Database) {
  const sql = createSql(database, {
    status: { decode: (rank) => statusRanks[rank as number] ?? null, encode: Number },
  })
  const within = 'at >= $from AND at < $from + $width * $count'
  // Numbers are bound as reals, whose quotient is no whole step.
  const step = 'CAST((at - $from) / $width AS INTEGER) AS step'

  return {
    ofWebhook: (key: number, steps: Steps) =>
      sql.all<WebhookStep>(
        `SELECT ${step}, sum(attempts) AS failed_attempts, max(failing) AS failing,
           max(status) AS status, max(lag_ms) AS lag
         FROM webhook_history WHERE webhook_key = $key AND ${within} GROUP BY step`,
        { ...steps, key },
      ),
    /** `id` is the subscription's row. */
    ofAccount: (id: number, steps: Steps) =>
      sql.all<AccountStep>(
        `SELECT ${step}, sum(attempts) AS failed_attempts, max(lag_ms) AS lag
         FROM account_history WHERE subscription_id = $id AND ${within} GROUP BY step`,
        { ...steps, id },
      ),
    ofUsage: (network: string, steps: Steps) =>
      sql.all<UsageStep>(
        `SELECT ${step}, sum(delivered) AS delivered, sum(failed) AS failed
         FROM usage_history WHERE network = $network AND ${within} GROUP BY step`,
        { ...steps, network },
      ),
    /** When the oldest bucket begins, in milliseconds; null when there is none. */
    since(key: number): number | null {
      const at = sql.value<number>('SELECT min(at) FROM webhook_history WHERE webhook_key = ?', key)
      return at === null ? null : at * 60_000
    },
    attemptsSince: (key: number, at: number) =>
      sql.value<number>(
        'SELECT sum(attempts) FROM webhook_history WHERE webhook_key = ? AND at >= ?',
        ...[key, minuteOf(at)],
      ) ?? 0,
    /** By the row of the subscription, in minutes since the epoch, the end excluded. */
    attemptsByAccount(key: number, from: number, to: number): Map<number, number> {
      const rows = sql.all<{ id: number; attempts: number }>(
        `SELECT subscription_id AS id, sum(attempts) AS attempts
         FROM account_history INDEXED BY account_history_by_time
         WHERE webhook_key = ? AND at >= ? AND at < ? GROUP BY subscription_id`,
        ...[key, from, to],
      )
      return new Map(rows.map(({ id, attempts }) => [id, attempts]))
    },
    /** Where the first bucket of an account from here on begins, in minutes; null when there is none. */
    nextOfAccounts: (key: number, from: number) =>
      sql.value<number>(
        'SELECT min(at) FROM account_history WHERE webhook_key = ? AND at >= ?',
        ...[key, from],
      ),
    /** Failed attempts an hour, oldest first; the last is the hour of `now`. */
    sparks(ids: readonly number[], hours: number, now: number): Map<number, number[]> {
      const first = Math.floor(minuteOf(now) / hourMinutes) - hours + 1
      const found = new Map(ids.map((id) => [id, Array<number>(hours).fill(0)]))
      const rows = sql.iterate<{ id: number; hour: number; attempts: number }>(
        `SELECT subscription_id AS id, at / ${hourMinutes} AS hour, sum(attempts) AS attempts
         FROM account_history
         WHERE subscription_id IN (SELECT value FROM json_each(?)) AND at >= ?
         GROUP BY subscription_id, hour`,
        ...[JSON.stringify(ids), first * hourMinutes],
      )
      for (const { id, hour, attempts } of rows) {
        const spark = found.get(id)
        // A clock that was put back leaves hours that have not come yet.
        if (spark !== undefined && hour - first < hours) spark[hour - first] = attempts
      }
      return found
    },
  }
}
