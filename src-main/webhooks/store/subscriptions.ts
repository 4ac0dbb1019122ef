import { type Database, transaction } from '../../database/database.ts'
import { createFailureRecord } from './failure-record.ts'
import { type Reading, progress } from './failing.ts'
import { fromColumn, toColumn } from './lt.ts'

/** What one reading changed about one subscription. */
type Landed = {
  /** Of the row; never used twice. */
  readonly id: number
  readonly account: string
  readonly isNew: boolean
  readonly wasFailing: boolean
  readonly isFailing: boolean
  readonly growth: number
  readonly delivered: boolean
  readonly recovered: boolean
}

/** The local copy of account subscriptions. `key` is a webhook's row; each call is one short transaction. */
export type Subscriptions = {
  /**
   * Keeps what was just read, a page of it, writes only what differs, and makes history of that.
   * @param knowsAll all were known before: whatever a new account has failed, it has failed since then
   * @returns one for each reading, in its order; of a repeated account the last counts
   */
  land(key: number, readings: readonly Reading[], at: number, knowsAll: boolean): Landed[]
  /** Just subscribed: nothing was delivered yet. Those that are there stay as they are. @returns the rows of all */
  add(key: number, accounts: readonly string[], at: number): number[]
  /** With their history. @returns their rows */
  remove(key: number, accounts: readonly string[]): number[]
  removeIds(ids: readonly number[]): void
  /** In the order of their accounts, those after `after`. */
  page(key: number, after: string, limit: number): { id: number; account: string }[]
  /** Of these, the ones that are there. */
  among(key: number, accounts: readonly string[]): Set<string>
  /** Since when the webhook hears of it; null where that is not known. */
  since(key: number, account: string): number | null
  count(key: number): number
  countFailing(key: number): number
}

export function createSubscriptions(database: Database): Subscriptions {
  const record = createFailureRecord(database)
  const one = database.prepare(
    `SELECT id, last_delivered_lt, failed_at, failed_lt, failed_attempts, is_failing
     FROM subscriptions WHERE webhook_key = ? AND account = ?`,
  )
  one.setReadBigInts(true)
  const insert = database.prepare(
    `INSERT INTO subscriptions (webhook_key, account, last_delivered_lt, failed_at, failed_lt,
       failed_attempts, is_failing, failing_since, subscribed_at, read_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = database.prepare(
    `UPDATE subscriptions SET last_delivered_lt = $delivered, failed_at = $failedAt,
       failed_lt = $failedLt, failed_attempts = $attempts, is_failing = $isFailing,
       failing_since = CASE WHEN $isFailing = 0 THEN NULL
         WHEN $anew = 1 OR failing_since IS NULL THEN $at ELSE failing_since END,
       read_at = $at
     WHERE id = $id`,
  )
  const forgetLag = database.prepare(
    `UPDATE subscriptions SET lag_transactions = NULL, lag_more = NULL, lag_ms = NULL,
       lag_read_at = NULL
     WHERE id = ? AND is_watched = 0 AND lag_read_at IS NOT NULL`,
  )
  const addOne = database.prepare(
    `INSERT INTO subscriptions
       (webhook_key, account, last_delivered_lt, failed_attempts, subscribed_at, read_at)
     VALUES ($key, $account, 0, 0, $at, $at)
     ON CONFLICT (webhook_key, account) DO UPDATE SET read_at = read_at RETURNING id`,
  )
  const removeOne = database.prepare(
    'DELETE FROM subscriptions WHERE webhook_key = ? AND account = ? RETURNING id',
  )
  const removeId = database.prepare('DELETE FROM subscriptions WHERE id = ?')
  const page = database.prepare(
    `SELECT id, account FROM subscriptions WHERE webhook_key = ? AND account > ?
     ORDER BY account LIMIT ?`,
  )
  const exists = database.prepare(
    'SELECT 1 FROM subscriptions WHERE webhook_key = ? AND account = ?',
  )
  const since = database.prepare(
    'SELECT subscribed_at FROM subscriptions WHERE webhook_key = ? AND account = ?',
  )
  const count = database.prepare('SELECT count(*) AS n FROM subscriptions WHERE webhook_key = ?')
  const countFailing = database.prepare(
    'SELECT count(*) AS n FROM subscriptions WHERE webhook_key = ? AND is_failing = 1',
  )

  function landOne(key: number, after: Reading, at: number, knowsAll: boolean): Landed {
    const { account, failedAt, failedAttempts } = after
    const delivered = toColumn(after.lastDeliveredLt)
    const failedLt = toColumn(after.failedLt)
    const row = one.get(key, account)
    if (row === undefined) {
      const said = progress(knowsAll ? neverRead : null, after)
      const since = said.isFailing ? at : null
      const { lastInsertRowid: id } = insert.run(
        key,
        account,
        delivered,
        failedAt,
        failedLt,
        failedAttempts,
        Number(said.isFailing),
        since,
        knowsAll ? at : null,
        at,
      )
      return { id: Number(id), account, isNew: true, wasFailing: false, ...said }
    }
    const id = Number(row['id'])
    const wasFailing = row['is_failing'] === 1n
    const before = toReading(row)
    const said = progress({ ...before, isFailing: wasFailing }, after)
    if (!isSame(before, after) || said.isFailing !== wasFailing) {
      const anew = Number(said.recovered)
      const isFailing = Number(said.isFailing)
      update.run({
        $id: id,
        $delivered: delivered,
        $failedAt: failedAt,
        $failedLt: failedLt,
        $attempts: failedAttempts,
        $isFailing: isFailing,
        $anew: anew,
        $at: at,
      })
      if (wasFailing && !said.isFailing) forgetLag.run(id)
    }
    return { id, account, isNew: false, wasFailing, ...said }
  }

  const failingOf = (key: number) => Number(countFailing.get(key)?.['n'])

  return {
    land: (key, readings, at, knowsAll) =>
      transaction(database, () => {
        let delivered = 0
        let attempts = 0
        const landed = readings.map((each) => {
          const one = landOne(key, each, at, knowsAll)
          // Of an account whose past is not known the counter tells at least how often it failed.
          const known = one.isNew ? each.failedAttempts : one.growth
          record.account(key, { ...one, failedLt: each.failedLt, attempts: known }, at)
          delivered += Number(one.delivered)
          attempts += one.growth
          return one
        })
        record.webhook(key, { failing: failingOf(key), delivered, attempts }, at)
        return landed
      }),
    add: (key, added, at) =>
      transaction(database, () =>
        added.map((account) => {
          const row = addOne.get({ $key: key, $account: account, $at: at })
          return row?.['id'] as number
        }),
      ),
    remove: (key, removed) =>
      transaction(database, () =>
        removed.flatMap(
          (account) => (removeOne.get(key, account)?.['id'] as number | undefined) ?? [],
        ),
      ),
    removeIds(removed) {
      transaction(database, () => {
        for (const id of removed) removeId.run(id)
      })
    },
    page: (key, after, limit) =>
      page
        .all(key, after, limit)
        .map((row) => ({ id: row['id'] as number, account: row['account'] as string })),
    among: (key, asked) => new Set(asked.filter((account) => exists.get(key, account))),
    since: (key, account) =>
      (since.get(key, account)?.['subscribed_at'] as number | null | undefined) ?? null,
    count: (key) => Number(count.get(key)?.['n']),
    countFailing: failingOf,
  }
}

/** As an account is that has just been subscribed. */
const neverRead = {
  lastDeliveredLt: 0n,
  failedAt: null,
  failedLt: null,
  failedAttempts: 0,
  isFailing: false,
}

function toReading(row: Record<string, unknown>): Omit<Reading, 'account'> {
  const failedLt = row['failed_lt'] as bigint | null
  const failedAt = row['failed_at'] as bigint | null
  return {
    lastDeliveredLt: fromColumn(row['last_delivered_lt'] as bigint),
    failedAt: failedAt === null ? null : Number(failedAt),
    failedLt: failedLt === null ? null : fromColumn(failedLt),
    failedAttempts: Number(row['failed_attempts']),
  }
}

function isSame(one: Omit<Reading, 'account'>, other: Omit<Reading, 'account'>): boolean {
  return (
    one.lastDeliveredLt === other.lastDeliveredLt &&
    one.failedAt === other.failedAt &&
    one.failedLt === other.failedLt &&
    one.failedAttempts === other.failedAttempts
  )
}
