import type { StatementSync } from 'node:sqlite'
import type { Delivery, DropFilter, QueuedDelivery } from '../deliver/delivery-queue.ts'
import type { Database } from './database.ts'

type QueueHead = { readonly id: number; readonly dueAt: number }

type TargetState = {
  readonly target: string
  readonly failingSince: number | null
  readonly isOffline: boolean
}

type Row = Record<string, unknown>

/** Callers provide the transaction. Moments are milliseconds. */
export function createDeliveryStore(database: Database) {
  const insert = database.prepare(
    `INSERT INTO deliveries
       (id, target, lane, event_type, account_id, topic, lt, body, created_at, due_at)
     VALUES (:id, :target, :lane, :eventType, :accountId, :topic, :lt, :body, :at,
       CASE WHEN EXISTS (SELECT 1 FROM deliveries WHERE target = :target AND lane = :lane)
         THEN NULL ELSE :at END)`,
  )
  const heads = database.prepare(
    `SELECT id, due_at FROM deliveries INDEXED BY deliveries_due
     WHERE target = ? AND due_at IS NOT NULL ORDER BY due_at, id LIMIT ?`,
  )
  const one = database.prepare(`${selectDelivery('deliveries')} WHERE d.id = ?`)
  one.setReadBigInts(true)
  const list = database.prepare(
    `${selectDelivery('(SELECT * FROM deliveries ORDER BY id LIMIT :limit OFFSET :offset)')}
     ORDER BY d.id`,
  )
  list.setReadBigInts(true)
  // Selects ids from the index first, so that only one page of bodies is read.
  const listOfTarget = database.prepare(
    `${selectDelivery('deliveries')} WHERE d.id IN (SELECT id FROM deliveries
       WHERE target = :target ORDER BY id LIMIT :limit OFFSET :offset) ORDER BY d.id`,
  )
  listOfTarget.setReadBigInts(true)
  const remove = database.prepare('DELETE FROM deliveries WHERE id = ? RETURNING target, lane')
  const promote = database.prepare(
    `UPDATE deliveries SET due_at = ? WHERE due_at IS NULL AND id =
       (SELECT min(id) FROM deliveries WHERE target = ? AND lane = ?)`,
  )
  const promoteAll = database.prepare(
    `UPDATE deliveries SET due_at = ? WHERE due_at IS NULL AND id IN
       (SELECT min(id) FROM deliveries WHERE target = ? GROUP BY lane)`,
  )
  const postpone = database.prepare(
    'UPDATE deliveries SET attempts = ?, due_at = ?, last_error = ? WHERE id = ?',
  )
  const hurry = database.prepare(
    `UPDATE deliveries SET due_at = ?, attempts = 0 WHERE target = ? AND due_at IS NOT NULL`,
  )
  const saveTarget = database.prepare(
    `INSERT INTO delivery_targets (target, failing_since, offline) VALUES (?, ?, ?)
     ON CONFLICT (target) DO UPDATE SET
       failing_since = excluded.failing_since, offline = excluded.offline`,
  )
  const removeTarget = database.prepare('DELETE FROM delivery_targets WHERE target = ?')
  const nextTarget = database.prepare(
    'SELECT target FROM deliveries WHERE target > ? ORDER BY target LIMIT 1',
  )

  const drops = new Map<string, StatementSync>()
  /** Prepared once per filter: thousands of accounts may be unsubscribed at once. */
  function dropWhere(columns: readonly string[]): StatementSync {
    const sql = ['target', ...columns].map((column) => `${column} = ?`).join(' AND ')
    const statement = drops.get(sql) ?? database.prepare(`DELETE FROM deliveries WHERE ${sql}`)
    drops.set(sql, statement)
    return statement
  }

  return {
    /** Ids rise; they define the order of a lane. */
    add(id: number, delivery: Delivery, at: number): void {
      insert.run({
        id,
        target: delivery.target,
        lane: delivery.lane,
        eventType: delivery.eventType,
        accountId: delivery.accountId,
        topic: delivery.topic ?? null,
        lt: delivery.lt,
        body: delivery.body,
        at,
      })
    },
    heads(target: string, limit: number): QueueHead[] {
      return heads.all(target, limit).map((row) => ({
        id: Number(row['id']),
        dueAt: Number(row['due_at']),
      }))
    },
    get(id: number): QueuedDelivery | null {
      const row = one.get(id)
      return row === undefined ? null : toDelivery(row)
    },
    list(query: { limit: number; offset: number; target?: string }): QueuedDelivery[] {
      const { limit, offset, target } = query
      const rows =
        target === undefined
          ? list.all({ limit, offset })
          : listOfTarget.all({ limit, offset, target })
      return rows.map(toDelivery)
    },
    /** The lane's next delivery becomes due. @returns false when it was gone */
    remove(id: number, at: number): boolean {
      const row = remove.get(id)
      if (row === undefined) return false
      promote.run(at, String(row['target']), String(row['lane']))
      return true
    },
    postpone(id: number, attempts: number, dueAt: number, error: string): boolean {
      return postpone.run(attempts, dueAt, error, id).changes === 1
    },
    hurry(target: string, at: number): void {
      hurry.run(at, target)
    },
    drop(target: string, filter: DropFilter, at: number): void {
      const conditions = Object.entries({
        lane: filter.lane,
        event_type: filter.eventType,
        account_id: filter.accountId,
        topic: filter.topic,
      }).flatMap(([column, value]) => (value === undefined ? [] : [{ column, value }]))
      dropWhere(conditions.map(({ column }) => column)).run(
        target,
        ...conditions.map(({ value }) => value),
      )
      if (filter.lane !== undefined) promote.run(at, target, filter.lane)
      else if (conditions.length > 0) promoteAll.run(at, target)
    },
    saveTarget({ target, failingSince, isOffline }: TargetState): void {
      if (failingSince === null && !isOffline) removeTarget.run(target)
      else saveTarget.run(target, failingSince, isOffline ? 1 : 0)
    },
    /** Failing or offline targets. */
    targetStates(): TargetState[] {
      return database
        .prepare('SELECT target, failing_since, offline FROM delivery_targets')
        .all()
        .map((row) => ({
          target: String(row['target']),
          failingSince: row['failing_since'] === null ? null : Number(row['failing_since']),
          isOffline: row['offline'] === 1,
        }))
    },
    /** One index step per target. */
    waitingTargets(): string[] {
      const found: string[] = []
      for (
        let row = nextTarget.get('');
        row !== undefined;
        row = nextTarget.get(found.at(-1) ?? '')
      ) {
        found.push(String(row['target']))
      }
      return found
    },
    count(): { waiting: number; failing: number } {
      const waiting = database.prepare('SELECT count(*) AS n FROM deliveries').get()
      const failing = database
        .prepare('SELECT count(*) AS n FROM deliveries WHERE due_at IS NOT NULL AND attempts > 0')
        .get()
      return { waiting: Number(waiting?.['n']), failing: Number(failing?.['n']) }
    },
    waitingByTarget(): Map<string, number> {
      const rows = database
        .prepare('SELECT target, count(*) AS n FROM deliveries GROUP BY target')
        .all()
      return new Map(rows.map((row) => [String(row['target']), Number(row['n'])]))
    },
    lastId(): number {
      return Number(database.prepare('SELECT max(id) AS id FROM deliveries').get()?.['id'] ?? 0)
    },
  }
}

/** A waiting delivery has its lane head's moment; an offline target has none. */
function selectDelivery(source: string): string {
  return `SELECT d.*,
      CASE WHEN EXISTS (SELECT 1 FROM delivery_targets t WHERE t.target = d.target AND t.offline = 1)
        THEN NULL
        ELSE (SELECT h.due_at FROM deliveries h
              WHERE h.target = d.target AND h.lane = d.lane ORDER BY h.id LIMIT 1)
      END AS next_attempt_at
    FROM ${source} d`
}

function toDelivery(row: Row): QueuedDelivery {
  const lt = row['lt']
  const next = row['next_attempt_at']
  return {
    id: Number(row['id']),
    target: String(row['target']),
    lane: String(row['lane']),
    eventType: String(row['event_type']),
    accountId: textOrNull(row['account_id']),
    topic: textOrNull(row['topic']),
    lt: typeof lt === 'bigint' ? lt : null,
    body: String(row['body']),
    createdAt: Number(row['created_at']),
    attempts: Number(row['attempts']),
    nextAttemptAt: next === null ? null : Number(next),
    lastError: textOrNull(row['last_error']),
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
