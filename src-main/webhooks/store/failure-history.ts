import { type WebhookStatus, webhookStatus } from '../../../src-preload/contract/webhook.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

const minuteMs = 60_000
const hour = 60
const day = 24 * hour

/** The minute of a moment, since the epoch. */
export const minuteOf = (at: number) => Math.floor(at / minuteMs)

/** Where steps begin, and how long they are, in minutes since the epoch. */
export type Steps = { readonly from: number; readonly width: number; readonly count: number }

export type WebhookStep = {
  readonly step: number
  readonly failedAttempts: number
  /** The most accounts at a time. */
  readonly failing: number
  /** The worst. */
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

/** Whole hours from an hour on, whole days from a day on, so that a bucket falls into one step. */
const stepWidths = [1, 2, 5, 10, 30, ...[1, 2, 6, 12, 24, 48, 96, 192].map((n) => n * hour)]

/** @param limits at most so many steps, none of them shorter than `finest` minutes */
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
 * How many deliveries failed, and when: in minutes for the last days, and in hours. `key` is a webhook's
 * row, `id` a subscription's. Writers give the transaction.
 */
export function createFailureHistory(database: Database) {
  const sql = createSql(database, {
    status: {
      decode: (rank) => webhookStatus.options[rank as number] ?? null,
      encode: (status: WebhookStatus) => webhookStatus.options.indexOf(status),
    },
  })
  /** Both buckets that a moment belongs to. */
  const bucketsOf = (of: 'webhook' | 'account' | 'usage', at: number) => {
    const minute = minuteOf(at)
    return [
      { table: `${of}_minutes`, at: minute },
      { table: `${of}_history`, at: minute - (minute % hour) },
    ]
  }
  /** A step or a span that is made of whole hours needs no minutes. */
  const tableOf = (of: 'webhook' | 'account' | 'usage', width: number) =>
    `${of}_${width < hour ? 'minutes' : 'history'}`
  const worst = (column: string, value: string) =>
    `${column} = CASE WHEN ${value} IS NULL THEN ${column} ELSE max(coalesce(${column}, 0), ${value}) END`
  const within = 'at >= $from AND at < $from + $width * $count'
  // Numbers are bound as reals, whose quotient is not a whole step.
  const step = 'CAST((at - $from) / $width AS INTEGER) AS step'

  /** How long the buckets are from a minute on: see `history_progress`. */
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
    /** Adds to the buckets of the moment, which exist from the first call on. */
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
    /** Growth of the usage counters of a network's key. */
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
    /** Steps as short as the history is from there on, and as it is read. */
    steps: (span: { from: number; to: number }, maxSteps: number, everySeconds: number) =>
      stepsOf(span, {
        maxSteps,
        finest: Math.max(widthAt(minuteOf(span.from)), Math.ceil(everySeconds / 60)),
      }),
    /** Steps in which nothing was recorded are left out, here and below. */
    ofWebhook: (key: number, steps: Steps) =>
      sql.all<WebhookStep>(
        `SELECT ${step}, sum(attempts) AS failed_attempts, max(failing) AS failing,
           max(status) AS status, max(lag_ms) AS lag
         FROM ${tableOf('webhook', steps.width)} WHERE webhook_key = $key AND ${within} GROUP BY step`,
        { ...steps, key },
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
    /** When the history begins, in milliseconds; null when there is none. */
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
    /**
     * Failed attempts by the subscription's row, an hour of the history at a time, since there may be
     * millions of rows. Both ends are milliseconds and belong to the span.
     */
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
    /** Failed attempts an hour, oldest first; the last is the hour of `now`. */
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
    /** Of a network that was forgotten. */
    forgetUsage(network: string): void {
      for (const table of ['usage_minutes', 'usage_history']) sql.remove(table, { network })
    },
  }
}
