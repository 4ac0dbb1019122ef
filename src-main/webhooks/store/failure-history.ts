import { type WebhookStatus, webhookStatus } from '../../../src-preload/contract/webhook.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

const minuteMs = 60_000
const hour = 60
const day = 24 * hour

export const minuteOf = (at: number) => Math.floor(at / minuteMs)

/** `from` is a minute since the epoch; `width` is in minutes. */
export type Steps = { readonly from: number; readonly width: number; readonly count: number }

export type WebhookStep = {
  readonly step: number
  readonly failedAttempts: number
  readonly failing: number
  readonly status: WebhookStatus | null
  readonly lag: number | null
}

type AccountStep = Pick<WebhookStep, 'step' | 'failedAttempts' | 'lag'>
type UsageStep = { readonly step: number; readonly delivered: number; readonly failed: number }

type WebhookChange = {
  readonly status?: WebhookStatus | null
  readonly failing: number
  readonly attempts?: number
  readonly lagMs?: number | null
}

/** Widths are whole hours or days where possible, so that each bucket falls into one step. */
const stepWidths = [1, 2, 5, 10, 30, ...[1, 2, 6, 12, 24, 48, 96, 192].map((n) => n * hour)]

export function stepsOf(
  span: { readonly from: number; readonly to: number },
  limits: { readonly maxSteps: number; readonly finest: number },
): Steps {
  const begin = Math.max(0, minuteOf(span.from))
  const end = Math.max(begin, Math.ceil(span.to / minuteMs))
  const stepsAt = (width: number): Steps => {
    const from = begin - (begin % width)
    return { from, width, count: Math.max(1, Math.ceil((end - from) / width)) }
  }
  const fitting = stepWidths
    .filter((width) => width >= limits.finest)
    .map(stepsAt)
    .find(({ count }) => count <= limits.maxSteps)
  if (fitting !== undefined) return fitting
  const from = begin - (begin % day)
  const width = Math.ceil((end - from) / day / limits.maxSteps) * day
  return { from, width, count: Math.ceil((end - from) / width) }
}

/**
 * Failed deliveries per minute for the last days, and per hour. `key` is a webhook's row, `id` a
 * subscription's. Callers open the transaction.
 */
export function createFailureHistory(database: Database) {
  const sql = createSql(database, {
    status: {
      decode: (rank) => webhookStatus.options[rank as number] ?? null,
      encode: (status: WebhookStatus) => webhookStatus.options.indexOf(status),
    },
  })
  const bucketsOf = (of: 'webhook' | 'account' | 'usage', at: number) => {
    const minute = minuteOf(at)
    return [
      { table: `${of}_minutes`, at: minute },
      { table: `${of}_history`, at: minute - (minute % hour) },
    ]
  }
  const tableOf = (of: 'webhook' | 'account' | 'usage', width: number) =>
    `${of}_${width < hour ? 'minutes' : 'history'}`
  const worst = (column: string, value: string) =>
    `${column} = CASE WHEN ${value} IS NULL THEN ${column} ELSE max(coalesce(${column}, 0), ${value}) END`
  const within = 'at >= $from AND at < $from + $width * $count'
  // Bound numbers are reals, so their quotient is truncated to a whole step.
  const step = 'CAST((at - $from) / $width AS INTEGER) AS step'

  const widthAt = (minute: number) =>
    sql.value<number>('SELECT max(width) FROM history_progress WHERE done_to > ?', minute) ?? 1

  return {
    recordAccount(
      key: number,
      id: number,
      { attempts = 0, lagMs = null }: { attempts?: number; lagMs?: number | null },
      at: number,
    ): void {
      for (const { table, ...bucket } of bucketsOf('account', at)) {
        sql.run(
          `INSERT INTO ${table} (subscription_id, at, webhook_key, attempts, recovered, lag_ms)
           VALUES ($id, $at, $key, $attempts, 0, $lagMs)
           ON CONFLICT DO UPDATE SET attempts = attempts + $attempts, ${worst('lag_ms', '$lagMs')}`,
          { id, key, attempts, lagMs, ...bucket },
        )
      }
    },
    /** Adds to the buckets of the time; a bucket with zeros shows that the webhook was sampled. */
    recordWebhook(
      key: number,
      { status = null, failing, attempts = 0, lagMs = null }: WebhookChange,
      at: number,
    ): void {
      for (const { table, ...bucket } of bucketsOf('webhook', at)) {
        sql.run(
          `INSERT INTO ${table} (webhook_key, at, status, failing, delivered, attempts, lag_ms)
           VALUES ($key, $at, $status, $failing, 0, $attempts, $lagMs)
           ON CONFLICT DO UPDATE SET failing = max(failing, $failing),
             attempts = attempts + $attempts, ${worst('status', '$status')}, ${worst('lag_ms', '$lagMs')}`,
          { key, status, failing, attempts, lagMs, ...bucket },
        )
      }
    },
    recordUsage(network: string, grown: { delivered: number; failed: number }, at: number): void {
      for (const { table, ...bucket } of bucketsOf('usage', at)) {
        sql.run(
          `INSERT INTO ${table} (network, at, delivered, failed)
           VALUES ($network, $at, $delivered, $failed)
           ON CONFLICT DO UPDATE SET delivered = delivered + $delivered, failed = failed + $failed`,
          { network, ...grown, ...bucket },
        )
      }
    },
    steps: (span: { from: number; to: number }, maxSteps: number, everySeconds: number) =>
      stepsOf(span, {
        maxSteps,
        finest: Math.max(widthAt(minuteOf(span.from)), Math.ceil(everySeconds / 60)),
      }),
    /** Steps without records are omitted, also in the functions below. */
    ofWebhooks: (keys: readonly number[], steps: Steps) =>
      sql.all<WebhookStep>(
        `SELECT step, sum(failed_attempts) AS failed_attempts, sum(failing) AS failing,
           max(status) AS status, max(lag) AS lag
         FROM (SELECT ${step}, sum(attempts) AS failed_attempts, max(failing) AS failing,
             max(status) AS status, max(lag_ms) AS lag
           FROM ${tableOf('webhook', steps.width)}
           WHERE webhook_key IN (SELECT value FROM json_each($keys)) AND ${within}
           GROUP BY webhook_key, step)
         GROUP BY step`,
        { ...steps, keys: JSON.stringify(keys) },
      ),
    ofAccount: (id: number, steps: Steps) =>
      sql.all<AccountStep>(
        `SELECT ${step}, sum(attempts) AS failed_attempts, max(lag_ms) AS lag
         FROM ${tableOf('account', steps.width)} WHERE subscription_id = $id AND ${within} GROUP BY step`,
        { ...steps, id },
      ),
    ofUsage: (network: string, steps: Steps) =>
      sql.all<UsageStep>(
        `SELECT ${step}, sum(delivered) AS delivered, sum(failed) AS failed
         FROM ${tableOf('usage', steps.width)} WHERE network = $network AND ${within} GROUP BY step`,
        { ...steps, network },
      ),
    /** Start of the history in milliseconds; null when there is none. */
    since(key: number): number | null {
      const at = sql.value<number>(
        `SELECT coalesce((SELECT min(at) FROM webhook_history WHERE webhook_key = $key AND at <
             coalesce((SELECT done_to FROM history_progress WHERE width = ${hour}), 0)),
           (SELECT min(at) FROM webhook_minutes WHERE webhook_key = $key))`,
        { key },
      )
      return at === null ? null : at * minuteMs
    },
    attemptsSince(key: number, at: number): number {
      const from = minuteOf(at)
      return (
        sql.value<number>(
          `SELECT sum(attempts) FROM ${tableOf('webhook', widthAt(from))}
           WHERE webhook_key = ? AND at >= ?`,
          ...[key, from],
        ) ?? 0
      )
    },
    /** By subscription row, an hour at a time, because there may be millions. The span is inclusive. */
    *attemptsByAccount(key: number, from: number, to: number): Generator<Map<number, number>> {
      const end = minuteOf(to) + 1
      const first = minuteOf(from)
      const table = tableOf('account', widthAt(first))
      const next = (after: number) =>
        sql.value<number>(
          `SELECT min(at) FROM ${table} WHERE webhook_key = ? AND at >= ? AND at < ?`,
          ...[key, after, end],
        )
      for (let at = next(first); at !== null; at = next(at + hour)) {
        const rows = sql.all<{ id: number; attempts: number }>(
          `SELECT subscription_id AS id, sum(attempts) AS attempts
           FROM ${table} INDEXED BY ${table}_by_time
           WHERE webhook_key = ? AND at >= ? AND at < ? GROUP BY subscription_id`,
          ...[key, at, Math.min(end, at + hour)],
        )
        yield new Map(rows.map(({ id, attempts }) => [id, attempts]))
      }
    },
    sparks(ids: readonly number[], hours: number, now: number): Map<number, number[]> {
      const last = Math.floor(minuteOf(now) / hour)
      const first = last - hours + 1
      const found = new Map(ids.map((id) => [id, Array<number>(hours).fill(0)]))
      const rows = sql.iterate<{ id: number; at: number; attempts: number }>(
        `SELECT subscription_id AS id, at, attempts FROM account_history
         WHERE subscription_id IN (SELECT value FROM json_each(?)) AND at BETWEEN ? AND ?`,
        ...[JSON.stringify(ids), first * hour, last * hour],
      )
      for (const { id, at, attempts } of rows) {
        const spark = found.get(id)
        if (spark !== undefined) spark[at / hour - first] = attempts
      }
      return found
    },
    forgetUsage(network: string): void {
      for (const table of ['usage_minutes', 'usage_history']) sql.remove(table, { network })
    },
  }
}
