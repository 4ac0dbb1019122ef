import type { ForwardMode } from '../../../src-preload/contract/forward.ts'
import type { ForwardSummary } from '../../../src-preload/domain/capture-words.ts'
import type { Database } from '../../database/database.ts'
import type { StoredAttempt } from './forward-queue.ts'

type DeliveryState = 'waiting' | 'failed' | 'delivered' | 'dropped'

/** A delivery as it is told of. Moments are microseconds. */
export type StoredDelivery = {
  readonly id: number
  readonly capture: number
  readonly receivedAt: number
  readonly rule: number
  readonly ruleName: string
  readonly target: number
  readonly url: string
  readonly mode: ForwardMode
  /** `failed` waits, too: it was tried in vain. */
  readonly state: DeliveryState
  readonly lane: string
  readonly attempts: number
  readonly nextAt: number
  readonly queuedAt: number
  readonly finishedAt: number | null
}

type ListAsked = {
  readonly rule: number | null
  readonly state: 'waiting' | 'delivered' | 'dropped' | null
  readonly before: number | null
  readonly limit: number
}

/** Reads deliveries: by key, or a page of them. */
export type ForwardRows = {
  /** In the order of rules and their targets. */
  ofCapture(capture: number): StoredDelivery[]
  find(capture: number, target: number): StoredDelivery | null
  /** Newest first. */
  list(asked: ListAsked): StoredDelivery[]
  /** Newest first. */
  attempts(delivery: number): StoredAttempt[]
  /** Why the last try of a delivery went wrong; null where it did not, or there was none. */
  lastProblem(delivery: number): string | null
  /** True for the one whose turn it is in its lane. */
  isFirst(delivery: StoredDelivery): boolean
}

const states: readonly DeliveryState[] = ['waiting', 'failed', 'delivered', 'dropped']
const numbersOf = { waiting: [0, 1], delivered: [2], dropped: [3] } as const

export function createForwardRows(database: Database): ForwardRows {
  // Not all of them: logical times outgrow JS numbers, and nobody asks for them here.
  const columns = `d.id, d.capture_id, d.received_at, d.rule, d.target, d.mode, d.state, d.lane,
    d.attempts, d.next_at, d.queued_at, d.finished_at, r.name AS rule_name, t.url`
  const from = `FROM forward_deliveries d JOIN forward_rules r ON r.id = d.rule
    JOIN forward_targets t ON t.id = d.target`
  const ofCapture = database.prepare(
    `SELECT ${columns} ${from} WHERE d.capture_id = ? ORDER BY d.rule, t.place`,
  )
  const one = database.prepare(`SELECT ${columns} ${from} WHERE d.capture_id = ? AND d.target = ?`)
  const ofRule = database.prepare(
    `SELECT ${columns} ${from} WHERE d.rule = ? AND d.state = ? AND d.id < ? ORDER BY d.id DESC LIMIT ?`,
  )
  const all = database.prepare(
    `SELECT ${columns} ${from} WHERE d.id < ? ORDER BY d.id DESC LIMIT ?`,
  )
  const rules = database.prepare('SELECT id FROM forward_rules')
  const attempts = database.prepare(
    'SELECT * FROM forward_attempts WHERE delivery = ? ORDER BY id DESC',
  )
  const problem = database.prepare(
    'SELECT problem, status FROM forward_attempts WHERE delivery = ? ORDER BY id DESC LIMIT 1',
  )
  const first = database.prepare(
    `SELECT id FROM forward_deliveries WHERE target = ? AND lane = ? AND state < 2
     ORDER BY sort_lt, capture_id LIMIT 1`,
  )

  return {
    ofCapture: (capture) => ofCapture.all(capture).map(toDelivery),
    find(capture, target) {
      const row = one.get(capture, target)
      return row === undefined ? null : toDelivery(row)
    },
    list({ rule, state, before, limit }) {
      const under = before ?? Number.MAX_SAFE_INTEGER
      if (rule === null && state === null) return all.all(under, limit).map(toDelivery)
      // Each rule and state has its own run of the index: a page of each, the newest of all.
      const ids = rule === null ? rules.all().map((row) => row['id'] as number) : [rule]
      const wanted = state === null ? [0, 1, 2, 3] : numbersOf[state]
      return ids
        .flatMap((id) => wanted.flatMap((number) => ofRule.all(id, number, under, limit)))
        .map(toDelivery)
        .sort((a, b) => b.id - a.id)
        .slice(0, limit)
    },
    attempts: (delivery) => attempts.all(delivery).map(toAttempt),
    lastProblem(delivery) {
      const row = problem.get(delivery)
      if (row === undefined) return null
      const status = row['status'] as number | null
      return (
        (row['problem'] as string | null) ?? (status === null ? null : `It answered ${status}.`)
      )
    },
    isFirst: ({ id, target, lane }) => first.get(target, lane)?.['id'] === id,
  }
}

/** How sending captures on went, over all rules and targets: the worst of each. */
export type ForwardSummaries = (captures: readonly number[]) => Map<number, ForwardSummary>

const worst: readonly ForwardSummary[] = ['delivered', 'waiting', 'failed', 'dropped']

export function createForwardSummaries(database: Database): ForwardSummaries {
  const summaries = database.prepare(
    `SELECT capture_id, max(CASE state WHEN 2 THEN 0 WHEN 0 THEN 1 WHEN 1 THEN 2 ELSE 3 END) AS worst
     FROM forward_deliveries WHERE capture_id IN (SELECT value FROM json_each(?)) GROUP BY capture_id`,
  )
  return (captures) => {
    const rows = summaries.all(JSON.stringify(captures))
    return new Map(
      rows.map((row) => [row['capture_id'] as number, worst[Number(row['worst'])] ?? 'waiting']),
    )
  }
}

function toDelivery(row: Record<string, unknown>): StoredDelivery {
  return {
    id: row['id'] as number,
    capture: row['capture_id'] as number,
    receivedAt: row['received_at'] as number,
    rule: row['rule'] as number,
    ruleName: row['rule_name'] as string,
    target: row['target'] as number,
    url: row['url'] as string,
    mode: row['mode'] as ForwardMode,
    state: states[Number(row['state'])] ?? 'dropped',
    lane: row['lane'] as string,
    attempts: row['attempts'] as number,
    nextAt: row['next_at'] as number,
    queuedAt: row['queued_at'] as number,
    finishedAt: row['finished_at'] as number | null,
  }
}

function toAttempt(row: Record<string, unknown>): StoredAttempt {
  return {
    at: row['at'] as number,
    status: row['status'] as number | null,
    durationUs: row['duration_us'] as number,
    problem: row['problem'] as string | null,
    bodyBytes: row['body_bytes'] as number,
    isCut: row['is_cut'] === 1,
    headers: JSON.parse(row['headers'] as string) as [string, string][],
    body: row['body'] as Uint8Array,
  }
}
