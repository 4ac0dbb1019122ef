import { type Database, transaction } from '../../database/database.ts'

/** One capture on its way to one target. Moments are microseconds. */
export type Waiting = {
  readonly id: number
  readonly capture: number
  readonly lane: string
  /** The logical time, or 0 where there is none: the order within a lane, then the capture’s id. */
  readonly sortLt: bigint
  readonly receivedAt: number
  readonly attempts: number
  /** Not before; 0 at once. */
  readonly nextAt: number
  readonly queuedAt: number
}

export type NewDelivery = {
  readonly capture: number
  readonly target: number
  readonly rule: number
  readonly lane: string
  readonly lt: bigint | null
  readonly receivedAt: number
}

/** One try with what came of it. */
export type StoredAttempt = {
  readonly at: number
  readonly status: number | null
  readonly durationUs: number
  readonly problem: string | null
  readonly bodyBytes: number
  readonly isCut: boolean
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

export type Outcome = {
  readonly delivery: number
  readonly target: number
  readonly state: 'failed' | 'delivered' | 'dropped'
  readonly attempt: StoredAttempt
  readonly nextAt: number
  /** It goes out in another lane from now on. */
  readonly lane?: string
}

/** A delivery that was sent before the gateway was answered: written with its one try. */
export type ThroughDelivery = NewDelivery & {
  readonly state: 'delivered' | 'dropped'
  readonly attempt: StoredAttempt
}

export type TargetState = {
  readonly target: number
  readonly lastStatus: number | null
  readonly lastProblem: string | null
  /** Null leaves it as it was. */
  readonly lastTriedAt: number | null
  readonly downSince: number | null
}

/** What waits to be sent, and what came of it. */
export type ForwardQueue = {
  /**
   * Queues what rules take, and notes how far they have looked, in one.
   * @returns what was queued, in the order given; null for what had been queued before
   */
  add(
    deliveries: readonly NewDelivery[],
    reached: ReadonlyMap<number, number>,
    now: number,
  ): (Waiting | null)[]
  /** Writes what came of tries, in one. */
  write(batch: {
    readonly outcomes: readonly Outcome[]
    readonly through: readonly ThroughDelivery[]
    readonly targets: readonly TargetState[]
    /** Deliveries whose captures are gone. */
    readonly gone: readonly number[]
    readonly now: number
  }): void
  /** The first of a lane. */
  head(target: number, lane: string, limit: number): Waiting[]
  /** Names of lanes in which something waits, after this one; null begins. */
  lanesAfter(target: number, lane: string | null, limit: number): string[]
  /** Drops some of what waits for a target not in use. @returns how many; fewer than `limit` at the end */
  dropAbandoned(target: number, limit: number, now: number): number
  /**
   * Drops some of what has waited longest, queued before this moment.
   * @returns which; none when nothing is so old
   */
  dropOlder(
    rule: number,
    target: number,
    queuedBefore: number,
    now: number,
  ): { readonly id: number; readonly lane: string }[]
  drop(id: number, now: number): void
  /** What was delivered or dropped waits again. */
  requeue(id: number, now: number): Waiting | null
  /** Follows some of the deletions of captures. @returns false when there are none left */
  followDeletions(limit: number): boolean
}

const stateNumber = { failed: 1, delivered: 2, dropped: 3 } as const
/** Of one that is tried for days, the newest are kept. */
const keptAttempts = 20
const oldestLooked = 500

export function createForwardQueue(database: Database): ForwardQueue {
  // Under another name: what is ordered by `sort_lt` goes by the number, and by the index.
  const columns = `id, capture_id, lane, CAST(sort_lt AS TEXT) AS lt_text, received_at, attempts,
    next_at, queued_at`
  const insert = database.prepare(
    `INSERT OR IGNORE INTO forward_deliveries
       (capture_id, target, rule, mode, state, lane, lt, sort_lt, received_at, queued_at)
     VALUES (?, ?, ?, 'after', 0, ?, ?, ?, ?, ?)`,
  )
  const insertThrough = database.prepare(
    `INSERT INTO forward_deliveries
       (capture_id, target, rule, mode, state, lane, lt, sort_lt, received_at, attempts, queued_at,
        finished_at)
     VALUES (?, ?, ?, 'through', ?, ?, ?, ?, ?, 1, ?, ?)
     ON CONFLICT (capture_id, target) DO UPDATE SET attempts = attempts + 1,
       state = max(state, excluded.state), finished_at = excluded.finished_at
     RETURNING id`,
  )
  const setReached = database.prepare('UPDATE forward_rules SET reached = ? WHERE id = ?')
  const count = database.prepare(
    `UPDATE forward_targets SET waiting = waiting + ?, delivered = delivered + ?, dropped = dropped + ?
     WHERE id = ?`,
  )
  const setTarget = database.prepare(
    `UPDATE forward_targets SET last_status = ?, last_problem = ?,
       last_tried_at = coalesce(?, last_tried_at), down_since = ?
     WHERE id = ?`,
  )
  const insertAttempt = database.prepare(
    `INSERT INTO forward_attempts
       (delivery, at, status, duration_us, problem, body_bytes, is_cut, headers, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const dropAttempts = database.prepare(
    `DELETE FROM forward_attempts WHERE delivery = ? AND id <=
       (SELECT id FROM forward_attempts WHERE delivery = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
  )
  // What a person dropped meanwhile stays so, unless it was delivered after all.
  const finish = database.prepare(
    `UPDATE forward_deliveries SET attempts = attempts + 1, state = $state, next_at = $nextAt,
       finished_at = $finishedAt, lane = coalesce($lane, lane)
     WHERE id = $id AND (state < 2 OR (state = 3 AND $state = 2)) RETURNING attempts`,
  )
  const stateOf = database.prepare('SELECT state FROM forward_deliveries WHERE id = ?')
  const head = database.prepare(
    `SELECT ${columns} FROM forward_deliveries WHERE target = ? AND lane = ? AND state < 2
     ORDER BY sort_lt, capture_id LIMIT ?`,
  )
  const nextLane = database.prepare(
    `SELECT lane FROM forward_deliveries WHERE target = ? AND lane > ? AND state < 2
     ORDER BY lane LIMIT 1`,
  )
  const firstLane = database.prepare(
    'SELECT lane FROM forward_deliveries WHERE target = ? AND state < 2 ORDER BY lane LIMIT 1',
  )
  // A target may have come into use again meanwhile.
  const someAbandoned = database.prepare(
    `SELECT id FROM forward_deliveries WHERE target = ? AND state < 2
       AND EXISTS (SELECT 1 FROM forward_targets t WHERE t.id = target AND t.is_used = 0) LIMIT ?`,
  )
  // By id, which follows the time of queueing: to look at all that waits would take too long.
  const oldest = database.prepare(
    `SELECT id, target, lane, queued_at FROM forward_deliveries WHERE rule = ? AND state = ?
     ORDER BY id LIMIT ${oldestLooked}`,
  )
  const setDropped = database.prepare(
    `UPDATE forward_deliveries SET state = 3, finished_at = ? WHERE id = ? AND state < 2
     RETURNING target`,
  )
  const setWaiting = database.prepare(
    `UPDATE forward_deliveries SET state = 0, mode = 'after', next_at = 0, queued_at = ?,
       finished_at = NULL
     WHERE id = ? AND state > 1 RETURNING ${columns}, target`,
  )
  const deletions = database.prepare(
    'SELECT seq, from_id, to_id FROM forward_deletions ORDER BY seq LIMIT 1',
  )
  const ofDeleted = database.prepare(
    `SELECT id, target, state FROM forward_deliveries WHERE capture_id BETWEEN ? AND ?
       AND NOT EXISTS (SELECT 1 FROM captures WHERE captures.id = capture_id) LIMIT ?`,
  )
  const removeOne = database.prepare('DELETE FROM forward_deliveries WHERE id = ?')
  const removeAttempts = database.prepare('DELETE FROM forward_attempts WHERE delivery = ?')
  const removeDeletion = database.prepare('DELETE FROM forward_deletions WHERE seq = ?')

  function writeAttempt(delivery: number, attempt: StoredAttempt): void {
    const { at, status, durationUs, problem, bodyBytes, isCut, headers, body } = attempt
    const told = JSON.stringify(headers)
    insertAttempt.run(
      delivery,
      at,
      status,
      durationUs,
      problem,
      bodyBytes,
      Number(isCut),
      told,
      body,
    )
  }

  /** What waited when its capture was deleted cannot be sent any more. */
  function lose(counts: { waiting: number; dropped: number }): void {
    counts.waiting -= 1
    counts.dropped += 1
  }

  /** One step of counting for each target, however many deliveries there were. */
  function createCounts() {
    const counts = new Map<number, { waiting: number; delivered: number; dropped: number }>()
    return {
      of(target: number) {
        let found = counts.get(target)
        if (found === undefined)
          counts.set(target, (found = { waiting: 0, delivered: 0, dropped: 0 }))
        return found
      },
      write() {
        for (const [target, { waiting, delivered, dropped }] of counts) {
          count.run(waiting, delivered, dropped, target)
        }
      },
    }
  }

  function dropAll<T extends { readonly id: number }>(
    target: number,
    rows: readonly T[],
    now: number,
  ): T[] {
    const dropped = rows.filter(({ id }) => setDropped.get(now, id) !== undefined)
    if (dropped.length > 0) count.run(-dropped.length, 0, dropped.length, target)
    return dropped
  }

  function remove(id: number): void {
    removeAttempts.run(id)
    removeOne.run(id)
  }

  return {
    add: (deliveries, reached, now) =>
      transaction(database, () => {
        const counts = createCounts()
        const added = deliveries.map((one): Waiting | null => {
          const { capture, target, rule, lane, lt, receivedAt } = one
          const sortLt = lt ?? 0n
          const done = insert.run(capture, target, rule, lane, lt, sortLt, receivedAt, now)
          if (Number(done.changes) === 0) return null
          counts.of(target).waiting += 1
          const id = Number(done.lastInsertRowid)
          const fresh = { attempts: 0, nextAt: 0, queuedAt: now }
          return { id, capture, lane, sortLt, receivedAt, ...fresh }
        })
        for (const [rule, to] of reached) setReached.run(to, rule)
        counts.write()
        return added
      }),
    write: ({ outcomes, through, targets, gone, now }) =>
      transaction(database, () => {
        const counts = createCounts()
        for (const { delivery, target, state, attempt, nextAt, lane = null } of outcomes) {
          const before = stateOf.get(delivery)?.['state']
          // Deleted with its capture while it was on its way.
          if (before === undefined) continue
          const isFinal = state !== 'failed'
          const finishedAt = isFinal ? now : null
          const values = { state: stateNumber[state], nextAt, finishedAt, lane }
          const changed = finish.get({ ...values, id: delivery })
          writeAttempt(delivery, attempt)
          const attempts = Number(changed?.['attempts'] ?? 0)
          if (attempts > keptAttempts) dropAttempts.run(delivery, delivery, keptAttempts)
          if (changed === undefined || state === 'failed') continue
          const counted = counts.of(target)
          if (before === stateNumber.dropped) counted.dropped -= 1
          else counted.waiting -= 1
          counted[state] += 1
        }
        for (const one of through) {
          const { capture, target, rule, lane, lt, receivedAt, state, attempt } = one
          const number = stateNumber[state]
          const row = insertThrough.get(
            ...[capture, target, rule, number, lane, lt, lt ?? 0n, receivedAt, now, now],
          )
          writeAttempt(Number(row?.['id']), attempt)
          counts.of(target)[state] += 1
        }
        for (const id of gone) {
          const row = setDropped.get(now, id)
          if (typeof row?.['target'] === 'number') lose(counts.of(row['target']))
          remove(id)
        }
        counts.write()
        for (const { target, lastStatus, lastProblem, lastTriedAt, downSince } of targets) {
          setTarget.run(lastStatus, lastProblem, lastTriedAt, downSince, target)
        }
      }),
    head: (target, lane, limit) => head.all(target, lane, limit).map(toWaiting),
    lanesAfter(target, lane, limit) {
      const found: string[] = []
      let row = lane === null ? firstLane.get(target) : nextLane.get(target, lane)
      while (row !== undefined && found.length < limit) {
        found.push(row['lane'] as string)
        row = nextLane.get(target, row['lane'] as string)
      }
      return found
    },
    dropAbandoned: (target, limit, now) =>
      transaction(database, () => {
        const rows = someAbandoned.all(target, limit).map((row) => ({ id: row['id'] as number }))
        return dropAll(target, rows, now).length
      }),
    dropOlder(rule, target, queuedBefore, now) {
      const rows = [0, 1].flatMap((state) => oldest.all(rule, state))
      const old = rows
        .filter((row) => row['target'] === target && Number(row['queued_at']) < queuedBefore)
        .map((row) => ({ id: row['id'] as number, lane: row['lane'] as string }))
      return old.length === 0 ? [] : transaction(database, () => dropAll(target, old, now))
    },
    drop: (id, now) =>
      transaction(database, () => {
        const target = setDropped.get(now, id)?.['target']
        if (typeof target === 'number') count.run(-1, 0, 1, target)
      }),
    requeue: (id, now) =>
      transaction(database, () => {
        const before = stateOf.get(id)?.['state']
        const row = setWaiting.get(now, id)
        if (row === undefined) return null
        const wasDelivered = before === stateNumber.delivered
        count.run(1, wasDelivered ? -1 : 0, wasDelivered ? 0 : -1, row['target'] as number)
        return toWaiting(row)
      }),
    followDeletions: (limit) =>
      transaction(database, () => {
        const step = deletions.get()
        if (step === undefined) return false
        const rows = ofDeleted.all(step['from_id'] as number, step['to_id'] as number, limit)
        const counts = createCounts()
        for (const row of rows) {
          if (Number(row['state']) <= stateNumber.failed) lose(counts.of(row['target'] as number))
          remove(row['id'] as number)
        }
        counts.write()
        if (rows.length < limit) removeDeletion.run(step['seq'] as number)
        return true
      }),
  }
}

function toWaiting(row: Record<string, unknown>): Waiting {
  return {
    id: row['id'] as number,
    capture: row['capture_id'] as number,
    lane: row['lane'] as string,
    sortLt: BigInt(row['lt_text'] as string),
    receivedAt: row['received_at'] as number,
    attempts: row['attempts'] as number,
    nextAt: row['next_at'] as number,
    queuedAt: row['queued_at'] as number,
  }
}
