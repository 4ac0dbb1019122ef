import type { Database } from '../../database/database.ts'
import { type Sql, createSql, json } from '../../database/sql.ts'
import type { AttemptDetail } from '../targets/target-kind.ts'

/** A delivery that waits for its target. Times are microseconds. */
export type Waiting = Pick<NewDelivery, 'capture' | 'lane' | 'receivedAt'> & {
  readonly id: number
  readonly attempts: number
}

export type NewDelivery = {
  readonly capture: number
  readonly target: number
  readonly rule: number
  /**
   * A `lane` is the queue of an account: its deliveries are sent in order, one at a time.
   * Deliveries without an account share the empty `lane`.
   */
  readonly lane: string
  readonly lt: bigint | null
  readonly receivedAt: number
}

export type StoredAttempt = AttemptDetail & { readonly isDelivered: boolean }

type Outcome = {
  readonly state: 'failed' | 'delivered' | 'dropped'
  /** The time in microseconds; used only for a failed delivery. */
  readonly nextAt: number
  readonly lane?: string
}

type TargetState = {
  readonly at: number
  readonly isAttempt: boolean
  readonly isDown: boolean
  readonly lastStatus: number | null
  readonly lastProblem: string | null
}

type Counts = { waiting?: number; delivered?: number; dropped?: number }

/** Times are microseconds. */
type Due = {
  /** The system’s clock, by which the next attempts are planned. */
  readonly wallNow: number
  /** The clock of the column `queued_at`. */
  readonly now: number
  readonly isProbe: boolean
  /** Captures that arrived before this time are queued; later deliveries of an account wait. */
  readonly arrivedBy: number
  /** Deliveries queued before this moment do not wait for `arrivedBy`. */
  readonly heldSince: number
  readonly limit: number
}

export type ForwardQueue = ReturnType<typeof createForwardQueue>

const stateNumber = { failed: 1, delivered: 2, dropped: 3 } as const
const keptAttempts = 20
/** No attempt is planned further ahead; a later time was planned before the clock was set back. */
export const maxWaitMs = 300_000
/** Events of an account that arrive out of order within this time are sorted. */
const reorderMs = 100

export function createForwardQueue(database: Database) {
  const sql = createSql(database, { headers: json })

  return {
    transaction: sql.transaction,
    /**
     * Queues deliveries and stores the rules' progress in one transaction.
     * @param reached the last capture read, by rule
     * @param now microseconds
     */
    add: (
      deliveries: readonly NewDelivery[],
      reached: ReadonlyMap<number, number>,
      now: number,
    ): void =>
      sql.transaction(() => {
        for (const { capture, target, rule, lane, lt, receivedAt } of deliveries) {
          const added = sql.run(
            `INSERT OR IGNORE INTO forward_deliveries (capture_id, target, rule, mode, state, lane, lt,
               sort_lt, received_at, queued_at)
             VALUES (?, ?, ?, 'after', 0, ?, ?, ?, ?, ?)`,
            ...[capture, target, rule, lane, lt, lt ?? 0n, receivedAt, now],
          )
          if (added > 0) count(sql, target, { waiting: 1 })
        }
        for (const [id, to] of reached) sql.update('forward_rules', { reached: to }, { id })
      }),
    /**
     * Returns the first delivery of each `lane` that may be sent now, oldest first; deliveries that
     * failed three times come last.
     */
    due: (target: number, due: Due): Waiting[] =>
      sql.all(
        `SELECT id, capture_id AS capture, lane, received_at, attempts
         FROM forward_deliveries INDEXED BY forward_deliveries_first
         WHERE target = $target AND is_first = 1
           AND (next_at <= $wallNow OR next_at > $wallNow + ${maxWaitMs * 1000}
             OR $isProbe)
           AND (attempts > 0 OR lane = '' OR queued_at < $heldSince OR (received_at <= $arrivedBy
             AND (queued_at <= $now - ${reorderMs * 1000} OR queued_at > $now)))
         ORDER BY attempts >= 3, received_at, capture_id LIMIT $limit`,
        { target, ...due, arrivedBy: due.arrivedBy - reorderMs * 1000 },
      ),
    /** Returns when the next delivery that is not being sent is due, in microseconds; null if there is none. */
    nextAt: (target: number, sending: Iterable<number>): number | null =>
      sql.value(
        `SELECT min(next_at) FROM forward_deliveries INDEXED BY forward_deliveries_first
         WHERE target = ? AND is_first = 1 AND id NOT IN (SELECT value FROM json_each(?))`,
        ...[target, JSON.stringify([...sending])],
      ),
    hurry(target: number): void {
      sql.run(
        `UPDATE forward_deliveries SET next_at = 0
         WHERE target = ? AND is_first = 1 AND next_at > 0`,
        target,
      )
    },
    ...createOutcomes(sql),
    ...createDrops(sql),
  }
}

function count(
  sql: Sql,
  target: number,
  { waiting = 0, delivered = 0, dropped = 0 }: Counts,
): void {
  sql.run(
    `UPDATE forward_targets SET waiting = waiting + ?, delivered = delivered + ?,
       dropped = dropped + ? WHERE id = ?`,
    ...[waiting, delivered, dropped, target],
  )
}

/** Stores attempts and their results for the target. */
function createOutcomes(sql: Sql) {
  function setTarget(target: number, state: TargetState, by: Counts = {}): void {
    const { at, isAttempt, isDown, lastStatus, lastProblem } = state
    sql.run(
      `UPDATE forward_targets SET waiting = waiting + ?, delivered = delivered + ?,
         dropped = dropped + ?, last_status = ?, last_problem = ?,
         last_tried_at = coalesce(?, last_tried_at),
         down_since = CASE WHEN ? THEN coalesce(down_since, ?) END
       WHERE id = ?`,
      ...[by.waiting ?? 0, by.delivered ?? 0, by.dropped ?? 0, lastStatus, lastProblem],
      ...[isAttempt ? at : null, isDown, at, target],
    )
  }

  const addAttempt = (delivery: number, state: Outcome['state'], attempt: AttemptDetail) =>
    sql.insert('forward_attempts', { delivery, ...attempt, isDelivered: state === 'delivered' })

  return {
    setTarget,
    /** Must run within a transaction. `now` is in microseconds. */
    finish(
      { id, target }: { readonly id: number; readonly target: number },
      { state, nextAt, lane }: Outcome,
      attempt: AttemptDetail,
      targetState: TargetState,
      now: number,
    ): void {
      const before = sql.value<number>('SELECT state FROM forward_deliveries WHERE id = ?', id)
      // A delivery that was dropped meanwhile stays dropped, unless it has arrived after all.
      const attempts = sql.value<number>(
        `UPDATE forward_deliveries SET attempts = attempts + 1, state = $state, next_at = $nextAt,
           finished_at = $finishedAt, lane = coalesce($lane, lane)
         WHERE id = $id AND (state < 2 OR (state = 3 AND $state = 2)) RETURNING attempts`,
        {
          id,
          state: stateNumber[state],
          nextAt,
          lane: lane ?? null,
          finishedAt: state === 'failed' ? null : now,
        },
      )
      const wasDropped = before === stateNumber.dropped
      const isOver = attempts !== null && state !== 'failed'
      setTarget(
        target,
        targetState,
        isOver ? { [wasDropped ? 'dropped' : 'waiting']: -1, [state]: 1 } : {},
      )
      if (before === null) return
      addAttempt(id, state, attempt)
      if (attempts === null || attempts <= keptAttempts) return
      sql.run(
        `DELETE FROM forward_attempts WHERE delivery = $id AND id <= (SELECT id
           FROM forward_attempts WHERE delivery = $id ORDER BY id DESC LIMIT 1 OFFSET $kept)`,
        { id, kept: keptAttempts },
      )
    },
    /** Must run within a transaction. */
    addPassed(
      { capture, target, rule, lane, lt, receivedAt }: NewDelivery,
      state: 'delivered' | 'dropped',
      attempt: AttemptDetail,
      targetState: TargetState,
      now: number,
    ): void {
      const id = sql.value<number>(
        `INSERT INTO forward_deliveries (capture_id, target, rule, mode, state, lane, lt, sort_lt,
           received_at, attempts, queued_at, finished_at)
         VALUES (?, ?, ?, 'through', ?, ?, ?, ?, ?, 1, ?, ?)
         ON CONFLICT (capture_id, target) DO UPDATE SET attempts = attempts + 1,
           state = max(state, excluded.state), finished_at = excluded.finished_at
         RETURNING id`,
        ...[capture, target, rule, stateNumber[state], lane, lt, lt ?? 0n, receivedAt, now, now],
      )
      addAttempt(id ?? 0, state, attempt)
      setTarget(target, targetState, { [state]: 1 })
    },
  }
}

/** Handles deliveries that leave the queue without an attempt, and those that the user queues again. */
function createDrops(sql: Sql) {
  function dropOne(id: number, now: number): boolean {
    const target = sql.value<number>(
      `UPDATE forward_deliveries SET state = 3, finished_at = ? WHERE id = ? AND state < 2
       RETURNING target`,
      ...[now, id],
    )
    if (target !== null) count(sql, target, { waiting: -1, dropped: 1 })
    return target !== null
  }

  function remove(id: number, now: number): void {
    dropOne(id, now)
    sql.remove('forward_attempts', { delivery: id })
    sql.remove('forward_deliveries', { id })
  }

  const dropAll = (ids: readonly number[], now: number) =>
    sql.transaction(() => ids.filter((id) => dropOne(id, now)).length)

  return {
    /** Must run within a transaction. */
    remove,
    drop: (id: number, now: number) => dropAll([id], now),
    /** @returns the number of dropped deliveries; fewer than `limit` at the end */
    dropAbandoned(target: number, limit: number, now: number): number {
      const ids = sql.column<number>(
        `SELECT id FROM forward_deliveries WHERE target = ? AND state < 2
           AND EXISTS (SELECT 1 FROM forward_targets t WHERE t.id = target AND t.is_used = 0) LIMIT ?`,
        ...[target, limit],
      )
      return ids.length === 0 ? 0 : dropAll(ids, now)
    },
    /** @returns the number of dropped deliveries; 0 if no delivery is older */
    dropOlder(rule: number, target: number, queuedBefore: number, now: number): number {
      // Deletes in order of id, which follows the queueing time, because scanning all waiting
      // deliveries would take too long.
      const ids = [0, 1].flatMap((state) =>
        sql.column<number>(
          `SELECT id FROM (SELECT id, target, queued_at FROM forward_deliveries
             WHERE rule = ? AND state = ? ORDER BY id LIMIT 500) WHERE target = ? AND queued_at < ?`,
          ...[rule, state, target, queuedBefore],
        ),
      )
      return ids.length === 0 ? 0 : dropAll(ids, now)
    },
    requeue: (id: number, now: number): void =>
      sql.transaction(() => {
        const before = sql.get<{ state: number; target: number }>(
          'SELECT state, target FROM forward_deliveries WHERE id = ? AND state > 1',
          id,
        )
        if (before === null) return
        sql.update(
          'forward_deliveries',
          { state: 0, mode: 'after', nextAt: 0, queuedAt: now, finishedAt: null },
          { id },
        )
        const wasDelivered = before.state === stateNumber.delivered
        count(sql, before.target, { waiting: 1, [wasDelivered ? 'delivered' : 'dropped']: -1 })
      }),
    /** @returns false if no deliveries are left */
    followDeletions: (limit: number, now: number): boolean =>
      sql.transaction(() => {
        const step = sql.get<{ seq: number; fromId: number; toId: number }>(
          'SELECT seq, from_id, to_id FROM forward_deletions ORDER BY seq LIMIT 1',
        )
        if (step === null) return false
        const ids = sql.column<number>(
          `SELECT id FROM forward_deliveries WHERE capture_id BETWEEN ? AND ?
             AND NOT EXISTS (SELECT 1 FROM captures WHERE captures.id = capture_id) LIMIT ?`,
          ...[step.fromId, step.toId, limit],
        )
        for (const id of ids) remove(id, now)
        if (ids.length < limit) sql.remove('forward_deletions', { seq: step.seq })
        return true
      }),
  }
}
