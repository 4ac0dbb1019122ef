import type { CaptureTimeline } from '../../../src-preload/contract/explanation.ts'
import type { ForwardDelivery } from '../../../src-preload/contract/forward.ts'
import type { Parsed } from '../../../src-preload/contract/routes.ts'
import type { ForwardSummary } from '../../../src-preload/domain/capture-values.ts'
import type { Database } from '../../database/database.ts'
import { createSql, json } from '../../database/sql.ts'
import type { StoredAttempt } from './forward-queue.ts'

type DeliveryState = 'waiting' | 'failed' | 'delivered' | 'dropped'

export type StoredDelivery = Omit<
  ForwardDelivery,
  'deliveryId' | 'target' | 'state' | 'why' | 'nextTryAt'
> & {
  readonly id: number
  readonly receivedAt: number
  readonly target: number
  readonly url: string
  /** A delivery in the state `failed` waits for its next attempt. */
  readonly state: DeliveryState
  readonly lane: string
  readonly isEnabled: boolean
  readonly nextAt: number
}

const states: readonly DeliveryState[] = ['waiting', 'failed', 'delivered', 'dropped']
const numbersOf = { waiting: [0, 1], delivered: [2], dropped: [3] } as const

export type ForwardRows = ReturnType<typeof createForwardRows>

export function createForwardRows(database: Database) {
  const sql = createSql(database, {
    headers: json,
    state: { decode: (number) => states[number as number] ?? 'dropped', encode: Number },
  })
  // The logical time is not selected, because it may exceed 2^53.
  const select = `SELECT d.id, d.capture_id AS capture, d.received_at, d.rule, d.target, d.mode,
    d.state, d.lane, d.attempts, d.next_at, d.queued_at, d.finished_at, r.name AS rule_name,
    r.enabled AS is_enabled, t.url
    FROM forward_deliveries d JOIN forward_rules r ON r.id = d.rule
    JOIN forward_targets t ON t.id = d.target`

  return {
    ofCapture: (capture: number) =>
      sql.all<StoredDelivery>(`${select} WHERE d.capture_id = ? ORDER BY d.rule, t.place`, capture),
    find: (capture: number, target: number) =>
      sql.get<StoredDelivery>(
        `${select} WHERE d.capture_id = ? AND d.target = ?`,
        ...[capture, target],
      ),
    list({ rule, state, before, limit }: Parsed<'forward.list'>): StoredDelivery[] {
      const under = before ?? Number.MAX_SAFE_INTEGER
      if (rule === null && state === null) {
        return sql.all(`${select} WHERE d.id < ? ORDER BY d.id DESC LIMIT ?`, under, limit)
      }
      // Each rule and state is one range of the index.
      const rules = rule === null ? sql.column<number>('SELECT id FROM forward_rules') : [rule]
      const wanted = state === null ? [0, 1, 2, 3] : numbersOf[state]
      const page = `${select} WHERE d.rule = ? AND d.state = ? AND d.id < ?
        ORDER BY d.id DESC LIMIT ?`
      return rules
        .flatMap((id) =>
          wanted.flatMap((number) => sql.all<StoredDelivery>(page, id, number, under, limit)),
        )
        .sort((a, b) => b.id - a.id)
        .slice(0, limit)
    },
    attempts: (delivery: number) =>
      sql.all<StoredAttempt>(
        `SELECT at, status, duration_us, problem, body_bytes, is_cut, headers, body,
           coalesce(is_delivered, status BETWEEN 200 AND 299, 0) AS is_delivered
         FROM forward_attempts WHERE delivery = ? ORDER BY id DESC`,
        delivery,
      ),
    lastProblem: (delivery: number) =>
      sql.value<string>(
        `SELECT coalesce(problem, 'Responded ' || status || '.') FROM forward_attempts
         WHERE delivery = ? ORDER BY id DESC LIMIT 1`,
        delivery,
      ),
    isFirst: ({ id, target, lane }: StoredDelivery): boolean =>
      sql.value(
        `SELECT id FROM forward_deliveries WHERE target = ? AND lane = ? AND state < 2
         ORDER BY sort_lt, capture_id LIMIT 1`,
        ...[target, lane],
      ) === id,
  }
}

function createForwardSummaries(database: Database) {
  const sql = createSql(database)
  const worst: readonly ForwardSummary[] = ['delivered', 'waiting', 'failed', 'dropped']
  return (captures: readonly number[]): Map<number, ForwardSummary> => {
    const rows = sql.all<{ capture: number; worst: number }>(
      `SELECT capture_id AS capture,
         max(CASE state WHEN 2 THEN 0 WHEN 0 THEN 1 WHEN 1 THEN 2 ELSE 3 END) AS worst
       FROM forward_deliveries WHERE capture_id IN (SELECT value FROM json_each(?))
       GROUP BY capture_id`,
      JSON.stringify(captures),
    )
    return new Map(rows.map((row) => [row.capture, worst[row.worst] ?? 'waiting']))
  }
}

/** Reads the results of forwarded captures for lists and timelines. */
export function createForwardViews(database: Database) {
  const rows = createForwardRows(database)
  return {
    summaries: createForwardSummaries(database),
    moments: (capture: number) => momentsOf(rows, capture),
  }
}

const momentsOf = (rows: ForwardRows, capture: number): CaptureTimeline =>
  rows.ofCapture(capture).flatMap(({ id, url, mode, queuedAt }) => {
    const tries = rows.attempts(id).map(({ at, status, problem, isDelivered }) => {
      const without = problem ?? (isDelivered ? `Delivered to ${url}.` : 'No response.')
      const text = status === null ? without : `${url} responded ${status}.`
      return { at, what: 'forward-attempt' as const, text, ok: isDelivered }
    })
    const queued = { at: queuedAt, what: 'forward-queued' as const, ok: true }
    return mode === 'through' ? tries : [{ ...queued, text: `Queued for ${url}.` }, ...tries]
  })
