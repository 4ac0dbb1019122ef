import { createSql, flag, int64 } from '../../database/sql.ts'
import type { Delivery, DropFilter, QueuedDelivery } from '../deliver/delivery-queue.ts'
import type { Database } from './database.ts'

type TargetState = {
  readonly target: string
  readonly failingSince: number | null
  readonly isOffline: boolean
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>

/** The caller must open the transaction. Times are milliseconds. */
export function createDeliveryStore(database: Database) {
  const sql = createSql(database, { lt: int64, isOffline: flag })
  const { all, column, get, remove, run } = sql

  function promote(target: string, queue: string, at: number): void {
    run(
      `UPDATE deliveries SET due_at = $at WHERE due_at IS NULL AND id =
         (SELECT min(id) FROM deliveries WHERE target = $target AND lane = $lane)`,
      { target, lane: queue, at },
    )
  }

  return {
    /** Ids increase, and define the order of a `lane`. */
    add: (id: number, delivery: Delivery, at: number) =>
      run(
        `INSERT INTO deliveries
           (id, target, lane, event_type, account_id, topic, lt, body, created_at, due_at)
         VALUES ($id, $target, $lane, $eventType, $accountId, $topic, $lt, $body, $at,
           CASE WHEN EXISTS (SELECT 1 FROM deliveries WHERE target = $target AND lane = $lane)
             THEN NULL ELSE $at END)`,
        { id, topic: null, at, ...delivery },
      ),
    /** Selects deliveries that no earlier delivery of their `lane` blocks. */
    heads: (target: string, limit: number) =>
      all<{ readonly id: number; readonly dueAt: number }>(
        `SELECT id, due_at FROM deliveries INDEXED BY deliveries_due
         WHERE target = $target AND due_at IS NOT NULL ORDER BY due_at, id LIMIT $limit`,
        { target, limit },
      ),
    get: (id: number) => get<QueuedDelivery>(`${selectDelivery('deliveries')} WHERE d.id = ?`, id),
    /** Selects ids from the index first, so that only one page of bodies is read. */
    list: (page: { readonly limit: number; readonly offset: number }) =>
      all<QueuedDelivery>(
        `${selectDelivery('(SELECT * FROM deliveries ORDER BY id LIMIT $limit OFFSET $offset)')}
         ORDER BY d.id`,
        page,
      ),
    /** The next delivery of its `lane` becomes due. @returns false if the delivery did not exist */
    remove(id: number, at: number): boolean {
      const removed = get<{ readonly target: string; readonly lane: string }>(
        'DELETE FROM deliveries WHERE id = ? RETURNING target, lane',
        id,
      )
      if (removed !== null) promote(removed.target, removed.lane, at)
      return removed !== null
    },
    postpone: (id: number, attempts: number, dueAt: number, error: string) =>
      sql.update('deliveries', { attempts, dueAt, lastError: error }, { id }) === 1,
    hurry: (target: string, at: number) =>
      run(
        `UPDATE deliveries SET due_at = $at, attempts = 0
         WHERE target = $target AND due_at IS NOT NULL`,
        { at, target },
      ),
    drop(target: string, filter: DropFilter, at: number): void {
      remove('deliveries', { target, ...filter })
      if (filter.lane !== undefined) promote(target, filter.lane, at)
      else if (Object.keys(filter).length > 0) {
        run(
          `UPDATE deliveries SET due_at = $at WHERE due_at IS NULL AND id IN
             (SELECT min(id) FROM deliveries WHERE target = $target GROUP BY lane)`,
          { at, target },
        )
      }
    },
    saveTarget({ target, failingSince, isOffline }: TargetState): void {
      if (failingSince === null && !isOffline) remove('delivery_targets', { target })
      else sql.upsert('delivery_targets', { target }, { failingSince, offline: isOffline })
    },
    targetStates: () =>
      all<TargetState>('SELECT target, failing_since, offline AS is_offline FROM delivery_targets'),
    waitingTargets: () => column<string>(selectTargets),
    count: () => ({
      waiting: sql.count('deliveries'),
      failing: sql.count('deliveries WHERE due_at IS NOT NULL AND attempts > 0'),
    }),
    /** Failed deliveries that no earlier one blocks, so that they are sent again automatically. */
    retrying: () =>
      sql.count(
        `deliveries d WHERE due_at IS NOT NULL AND attempts > 0 AND NOT EXISTS
           (SELECT 1 FROM delivery_targets t WHERE t.target = d.target AND t.offline = 1)`,
      ),
    waitingByTarget: () =>
      new Map(
        all<{ readonly target: string; readonly waiting: number }>(
          'SELECT target, count(*) AS waiting FROM deliveries GROUP BY target',
        ).map(({ target, waiting }) => [target, waiting]),
      ),
    lastId: () => sql.value<number>('SELECT max(id) FROM deliveries') ?? 0,
  }
}

/** The query takes one index step per target. */
const selectTargets = `WITH RECURSIVE each_target (target) AS (
    SELECT min(target) FROM deliveries
    UNION ALL
    SELECT (SELECT min(d.target) FROM deliveries d WHERE d.target > each_target.target)
    FROM each_target WHERE each_target.target IS NOT NULL
  ) SELECT target FROM each_target WHERE target IS NOT NULL`

/** A waiting delivery is due with the first one of its `lane`; an offline target has no due time. */
const selectDelivery = (
  source: string,
): string => `SELECT d.id, d.target, d.lane, d.event_type, d.account_id, d.topic, d.lt, d.body,
      d.created_at, d.attempts, d.last_error,
      CASE WHEN EXISTS (SELECT 1 FROM delivery_targets t WHERE t.target = d.target AND t.offline = 1)
        THEN NULL
        ELSE (SELECT h.due_at FROM deliveries h
              WHERE h.target = d.target AND h.lane = d.lane ORDER BY h.id LIMIT 1)
      END AS next_attempt_at
    FROM ${source} d`
