import type { WebhookStatus } from '../../../src-preload/contract/webhook.ts'
import type { Database } from '../../database/database.ts'
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

/** What was recorded, in steps: those in which nothing was are left out. `key` is a webhook's row. */
type FailureHistory = {
  ofWebhook(key: number, steps: Steps): WebhookStep[]
  /** `id` is the subscription's row. */
  ofAccount(id: number, steps: Steps): AccountStep[]
  ofUsage(network: string, steps: Steps): UsageStep[]
  /** When the oldest bucket begins, in milliseconds; null when there is none. */
  since(key: number): number | null
  attemptsSince(key: number, at: number): number
  /** By the row of the subscription, in minutes since the epoch, the end excluded. */
  attemptsByAccount(key: number, from: number, to: number): Map<number, number>
  /** Where the first bucket of an account from here on begins, in minutes; null when there is none. */
  nextOfAccounts(key: number, from: number): number | null
  /** Failed attempts an hour, oldest first; the last is the hour of `now`. */
  sparks(ids: readonly number[], hours: number, now: number): Map<number, number[]>
}

const hourMinutes = 60

export function createFailureHistory(database: Database): FailureHistory {
  const within = 'at >= $from AND at < $to'
  // Numbers are bound as reals, whose quotient is no whole step.
  const step = 'CAST((at - $from) / $width AS INTEGER) AS step'
  const ofWebhook = database.prepare(
    `SELECT ${step}, sum(attempts) AS attempts, max(failing) AS failing, max(status) AS status,
       max(lag_ms) AS lag
     FROM webhook_history WHERE webhook_key = $key AND ${within} GROUP BY step`,
  )
  const ofAccount = database.prepare(
    `SELECT ${step}, sum(attempts) AS attempts, max(lag_ms) AS lag
     FROM account_history WHERE subscription_id = $id AND ${within} GROUP BY step`,
  )
  const ofUsage = database.prepare(
    `SELECT ${step}, sum(delivered) AS delivered, sum(failed) AS failed
     FROM usage_history WHERE network = $network AND ${within} GROUP BY step`,
  )
  const since = database.prepare('SELECT min(at) AS at FROM webhook_history WHERE webhook_key = ?')
  const attemptsSince = database.prepare(
    'SELECT sum(attempts) AS n FROM webhook_history WHERE webhook_key = ? AND at >= ?',
  )
  const byAccount = database.prepare(
    `SELECT subscription_id AS id, sum(attempts) AS attempts
     FROM account_history INDEXED BY account_history_by_time
     WHERE webhook_key = ? AND at >= ? AND at < ? GROUP BY subscription_id`,
  )
  const next = database.prepare(
    'SELECT min(at) AS at FROM account_history WHERE webhook_key = ? AND at >= ?',
  )
  const sparks = database.prepare(
    `SELECT subscription_id AS id, at / ${hourMinutes} AS hour, sum(attempts) AS attempts
     FROM account_history WHERE subscription_id IN (SELECT value FROM json_each($ids))
       AND at >= $from
     GROUP BY subscription_id, hour`,
  )

  const bounds = ({ from, width, count }: Steps) => ({
    $from: from,
    $to: from + width * count,
    $width: width,
  })

  return {
    ofWebhook: (key, steps) =>
      ofWebhook.all({ ...bounds(steps), $key: key }).map((row) => ({
        step: row['step'] as number,
        failedAttempts: row['attempts'] as number,
        failing: row['failing'] as number,
        status: statusRanks[(row['status'] as number | null) ?? -1] ?? null,
        lag: row['lag'] as number | null,
      })),
    ofAccount: (id, steps) =>
      ofAccount.all({ ...bounds(steps), $id: id }).map((row) => ({
        step: row['step'] as number,
        failedAttempts: row['attempts'] as number,
        lag: row['lag'] as number | null,
      })),
    ofUsage: (network, steps) =>
      ofUsage.all({ ...bounds(steps), $network: network }).map((row) => ({
        step: row['step'] as number,
        delivered: row['delivered'] as number,
        failed: row['failed'] as number,
      })),
    since(key) {
      const at = since.get(key)?.['at'] as number | null
      return at === null ? null : at * 60_000
    },
    attemptsSince: (key, at) => Number(attemptsSince.get(key, minuteOf(at))?.['n'] ?? 0),
    attemptsByAccount: (key, from, to) =>
      new Map(
        byAccount
          .all(key, from, to)
          .map((row) => [row['id'] as number, row['attempts'] as number] as const),
      ),
    nextOfAccounts: (key, from) =>
      (next.get(key, from)?.['at'] as number | null | undefined) ?? null,
    sparks(ids, hours, now) {
      const first = Math.floor(minuteOf(now) / hourMinutes) - hours + 1
      const found = new Map(ids.map((id) => [id, Array<number>(hours).fill(0)]))
      const values = { $ids: JSON.stringify(ids), $from: first * hourMinutes }
      for (const row of sparks.iterate(values)) {
        const hour = (row['hour'] as number) - first
        const spark = found.get(row['id'] as number)
        // A clock that was put back leaves hours that have not come yet.
        if (spark !== undefined && hour < hours) spark[hour] = row['attempts'] as number
      }
      return found
    },
  }
}
