import type { Streak } from '../../../src-preload/contract/failure.ts'
import { type WebhookStatus, webhookStatus } from '../../../src-preload/contract/webhook.ts'
import { type Database, createSql, unsigned64Text } from '../../database/sql.ts'

const minuteMs = 60_000
const hour = 60
const day = 24 * hour

export const minuteOf = (at: number) => Math.floor(at / minuteMs)

/** `from` is a minute since the epoch; `width` is a number of minutes. */
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

type Subject = 'webhook' | 'account' | 'usage'

const tableOf = (of: Subject, width: number) => `${of}_${width < hour ? 'minutes' : 'history'}`

const worst = (column: string, value: string) =>
  `${column} = CASE WHEN ${value} IS NULL THEN ${column} ELSE max(coalesce(${column}, 0), ${value}) END`

const insertAccount = `(subscription_id, at, webhook_key, attempts, recovered, lag_ms)
  VALUES ($id, $at, $key, $attempts, 0, $lagMs)
  ON CONFLICT DO UPDATE SET attempts = attempts + $attempts, ${worst('lag_ms', '$lagMs')}`

const insertWebhook = `(webhook_key, at, status, failing, delivered, attempts, lag_ms)
  VALUES ($key, $at, $status, $failing, 0, $attempts, $lagMs)
  ON CONFLICT DO UPDATE SET failing = max(failing, $failing), attempts = attempts + $attempts,
    ${worst('status', '$status')}, ${worst('lag_ms', '$lagMs')}`

const insertUsage = `(network, at, delivered, failed) VALUES ($network, $at, $delivered, $failed)
  ON CONFLICT DO UPDATE SET delivered = delivered + $delivered, failed = failed + $failed`

const codecs = {
  status: {
    decode: (rank: unknown) => webhookStatus.options[rank as number] ?? null,
    encode: (status: WebhookStatus) => webhookStatus.options.indexOf(status),
  },
}

/**
 * Records failed deliveries per minute, kept for the last days, and per hour. `key` is a webhook's row, `id` a
 * subscription's. Callers open the transaction.
 */
export function createFailureRecords(database: Database) {
  const sql = createSql(database, codecs)

  function record(of: Subject, at: number, insert: string, values: object): void {
    const minute = minuteOf(at)
    for (const width of [1, hour]) {
      const fields = { ...values, at: minute - (minute % width) }
      sql.run(`INSERT INTO ${tableOf(of, width)} ${insert}`, fields)
    }
  }

  return {
    recordAccount: (
      key: number,
      id: number,
      { attempts = 0, lagMs = null }: { attempts?: number; lagMs?: number | null },
      at: number,
    ) => record('account', at, insertAccount, { id, key, attempts, lagMs }),
    /** A bucket with zeros shows that the webhook was sampled. */
    recordWebhook: (
      key: number,
      { status = null, failing, attempts = 0, lagMs = null }: WebhookChange,
      at: number,
    ) => record('webhook', at, insertWebhook, { key, status, failing, attempts, lagMs }),
    recordUsage: (network: string, grown: { delivered: number; failed: number }, at: number) =>
      record('usage', at, insertUsage, { network, ...grown }),
    forgetUsage(network: string): void {
      for (const table of ['usage_minutes', 'usage_history']) sql.remove(table, { network })
    },
  }
}

const within = 'at >= $from AND at < $from + $width * $count'
/** Bound numbers are reals, so their quotient is truncated to a whole step. */
const step = 'CAST((at - $from) / $width AS INTEGER) AS step'

export function createFailureHistory(database: Database) {
  const sql = createSql(database, codecs)

  const widthAt = (minute: number) =>
    sql.value<number>('SELECT max(width) FROM history_progress WHERE done_to > ?', minute) ?? 1

  return {
    steps: (span: { from: number; to: number }, maxSteps: number, everySeconds: number) =>
      stepsOf(span, {
        maxSteps,
        finest: Math.max(widthAt(minuteOf(span.from)), Math.ceil(everySeconds / 60)),
      }),
    /** Steps without records are omitted, as in the functions below. */
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
  }
}

/** The account is raw; null for the webhook as a whole. */
type StreakRecord = Omit<Streak, 'webhook' | 'label'>

type StreakFilter = {
  readonly key: number
  readonly subscription: number | null
  readonly from: number
  readonly to: number
}

/** Number of rows per step; other writers run between two steps. */
const stepRows = 500

const select = `SELECT a.account, s.began_at AS "from", s.ended_at AS "to",
    s.attempts AS failed_attempts, s.failed_lt
  FROM streaks s LEFT JOIN subscriptions a ON a.id = s.subscription_id`

function restrict({ subscription }: StreakFilter) {
  const where =
    's.webhook_key = $key AND s.began_at <= $to AND (s.ended_at IS NULL OR s.ended_at >= $from)'
  return subscription === null
    ? { where, over: 'INDEXED BY streaks_by_length', open: 'INDEXED BY streaks_open' }
    : { where: `${where} AND s.subscription_id = $subscription`, over: '', open: '' }
}

type Restriction = ReturnType<typeof restrict>

const length = 'coalesce(s.ended_at, $now) - s.began_at'

/**
 * The ids are selected before the other columns, so that an index finds them. Another index sorts
 * the ended streaks by length.
 */
const ids = {
  newest: ({ where }: Restriction) =>
    `SELECT s.id FROM streaks s WHERE ${where} ORDER BY s.began_at DESC, s.id DESC
     LIMIT $limit OFFSET $offset`,
  longest: ({ where, over, open }: Restriction) =>
    `SELECT id FROM (
       SELECT id, length FROM (SELECT s.id, s.ended_at - s.began_at AS length FROM streaks s ${over}
         WHERE ${where} AND s.ended_at IS NOT NULL
         ORDER BY s.ended_at - s.began_at DESC LIMIT $limit + $offset)
       UNION ALL
       SELECT s.id, ${length} FROM streaks s ${open} WHERE ${where} AND s.ended_at IS NULL)
     ORDER BY length DESC, id DESC LIMIT $limit OFFSET $offset`,
}

const orders = { newest: 's.began_at DESC, s.id DESC', longest: `${length} DESC, s.id DESC` }

type StreakSubject = { readonly key: number; readonly id: number | null }
const whichOpen = 'webhook_key = $key AND subscription_id IS $id AND ended_at IS NULL'

/** A clock that was set back must not make a span negative. */
const endOpen = `UPDATE streaks SET ended_at = max(began_at, $at) WHERE ${whichOpen}`

export function createStreaks(database: Database) {
  const sql = createSql(database, { failedLt: unsigned64Text })

  return {
    /**
     * Records a reading of an account, or of the whole webhook if `id` is null. The caller opens
     * the transaction.
     * @param seen `recovered`: a delivery arrived since the last reading, even if it fails again.
     * `growth`: failed attempts since then. `attempts`: those with which a new streak begins
     */
    follow(
      subject: StreakSubject,
      seen: {
        readonly isFailing: boolean
        readonly recovered: boolean
        readonly growth: number
        readonly attempts: number
        readonly failedLt: bigint | null
      },
      at: number,
    ): void {
      const { key, id } = subject
      const { isFailing, recovered, growth, attempts } = seen
      const failedLt = seen.failedLt?.toString() ?? null
      if (recovered || !isFailing) sql.run(endOpen, { key, id, at })
      if (!isFailing) return
      if (!sql.exists(`streaks WHERE ${whichOpen}`, { key, id })) {
        const began = { webhookKey: key, subscriptionId: id, beganAt: at }
        sql.insert('streaks', { ...began, attempts, failedLt })
      } else if (growth > 0) {
        sql.run(
          `UPDATE streaks SET attempts = attempts + $growth, failed_lt = $failedLt WHERE ${whichOpen}`,
          { key, id, growth, failedLt },
        )
      }
    },
    count: (requested: StreakFilter) =>
      sql.count(`streaks s WHERE ${restrict(requested).where}`, requested),
    page: (
      requested: StreakFilter,
      sort: 'newest' | 'longest',
      page: { readonly offset: number; readonly limit: number },
      now: number,
    ) =>
      sql.all<StreakRecord>(
        `${select} WHERE s.id IN (${ids[sort](restrict(requested))})
         ORDER BY ${orders[sort]}`,
        { ...requested, ...page, now },
      ),
    current: (key: number, limit: number) =>
      sql.all<StreakRecord>(
        `${select} WHERE s.webhook_key = ? AND s.ended_at IS NULL
         ORDER BY s.began_at, s.id LIMIT ?`,
        ...[key, limit],
      ),
    /** After a gap in sampling, streaks end at `until` and start again. @returns false when done */
    breakOff: (network: string, until: number, now: number): boolean =>
      sql.transaction(() => {
        const rows = sql.all<Stale>(
          `SELECT s.id, s.webhook_key, s.subscription_id, s.failed_lt
           FROM webhooks w JOIN streaks s ON s.webhook_key = w.key
           WHERE w.network = ? AND s.ended_at IS NULL AND s.began_at < ? LIMIT ${stepRows}`,
          ...[network, now],
        )
        for (const { id, ...streak } of rows) {
          sql.run('UPDATE streaks SET ended_at = max(began_at, ?) WHERE id = ?', until, id)
          sql.insert('streaks', { ...streak, beganAt: now, attempts: 0 })
          if (streak.subscriptionId === null) continue
          sql.update('subscriptions', { failingSince: now }, { id: streak.subscriptionId })
        }
        return rows.length > 0
      }),
    end: (key: number, at: number): boolean =>
      sql.run(
        `UPDATE streaks SET ended_at = max(began_at, $at) WHERE id IN
           (SELECT id FROM streaks WHERE webhook_key = $key AND ended_at IS NULL LIMIT ${stepRows})`,
        { key, at },
      ) > 0,
  }
}

type Stale = Pick<StreakRecord, 'failedLt'> &
  Readonly<{ id: number; webhookKey: number; subscriptionId: number | null }>
