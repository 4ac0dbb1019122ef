import { type Database, type Sql, createSql, json, unsigned64 } from '../../database/sql.ts'
import type { Lag } from '../../../src-preload/contract/subscription.ts'
import { createFailureRecords, createStreaks } from './failure-history.ts'

export type Reading = {
  /** The raw address. */
  readonly account: string
  readonly lastDeliveredLt: bigint
  readonly failedAt: number | null
  readonly failedLt: bigint | null
  readonly failedAttempts: number
}

export type SubscribedAccount = Reading &
  Readonly<{ isFailing: boolean; isWatched: boolean; lag: Lag | null }>

/** The lag as JSON, because it is null as a whole where it was not read. */
export const lagColumn = `iif(lag_read_at IS NULL, NULL, json_object('transactions', lag_transactions,
  'more', json(iif(lag_more, 'true', 'false')), 'milliseconds', lag_ms, 'readAt', lag_read_at)) AS lag`

/** True if an event failed and neither it nor a later one has been delivered since. */
export function isFailing({ failedAttempts, failedLt, lastDeliveredLt }: Omit<Reading, 'account'>) {
  return failedAttempts > 0 && (failedLt === null || failedLt > lastDeliveredLt)
}

/** Larger growth between two readings is implausible and would spoil every sum. */
const largestGrowth = 1_000_000_000

/** A lower value means that the counter has restarted. Without an earlier value the growth is 0. */
export function growthOf(before: number | bigint | null, after: number | bigint): number {
  if (before === null) return 0
  const [from, to] = [BigInt(before), BigInt(after)]
  const growth = to < from ? to : to - from
  return growth > largestGrowth ? largestGrowth : Number(growth)
}

/**
 * @param before null for an account seen for the first time, whose past is unknown
 * @returns `recovered`: a delivery succeeded after a failure; the account may fail again by now
 */
export function progressSince(
  before: (Omit<Reading, 'account'> & { readonly isFailing: boolean }) | null,
  after: Omit<Reading, 'account'>,
) {
  const failing = isFailing(after)
  if (before === null) return { isFailing: failing, growth: 0, recovered: false }
  const beganAnew = after.failedAttempts < before.failedAttempts
  return {
    isFailing: failing,
    growth: growthOf(before.failedAttempts, after.failedAttempts),
    recovered: before.isFailing && (beganAnew || !failing || passed(before.failedLt, after)),
  }
}

/** True if a delivery has passed the failed event, even if a later event has failed since. */
const passed = (failedLt: bigint | null, { lastDeliveredLt }: Pick<Reading, 'lastDeliveredLt'>) =>
  failedLt !== null && lastDeliveredLt >= failedLt

/** The local copy of account subscriptions. `key` is a webhook's row; each call is one short transaction. */
export function createSubscriptions(database: Database) {
  const history = createFailureRecords(database)
  const streaks = createStreaks(database)
  const sql = createSql(database, { lastDeliveredLt: unsigned64, failedLt: unsigned64, lag: json })
  /** Failed attempts per webhook since they were last taken. */
  const untaken = new Map<number, number>()

  const forEach = (accounts: readonly string[], write: (account: string) => number[]) =>
    sql.transaction(() => accounts.flatMap(write))

  const countFailing = (key: number) =>
    sql.count('subscriptions WHERE webhook_key = ? AND is_failing = 1', key)

  return {
    /**
     * Writes only differences and records them as history.
     * @param knowsAll true if the copy was complete, so that a new account's failures are all recent
     * @returns one result per reading; for a repeated account the last reading counts
     */
    land: (key: number, readings: readonly Reading[], at: number, knowsAll: boolean) =>
      sql.transaction(() => {
        let attempts = 0
        const landed = readings.map((each) => {
          const one = landOne(sql, { key, at, knowsAll }, each)
          // For an account with an unknown past, the counter is the minimum of its failed attempts.
          const known = one.isNew ? each.failedAttempts : one.growth
          const { id, growth } = one
          if (growth > 0) history.recordAccount(key, id, { attempts: growth }, at)
          if (growth > 0 || one.recovered || one.isFailing !== one.wasFailing) {
            streaks.follow({ key, id }, { ...one, failedLt: each.failedLt, attempts: known }, at)
          }
          attempts += growth
          return one
        })
        history.recordWebhook(key, { failing: countFailing(key), attempts }, at)
        untaken.set(key, (untaken.get(key) ?? 0) + attempts)
        return landed
      }),
    /** Returns the number of failed attempts that `land` has recorded since the last call. */
    takeFailures(key: number): number {
      const failures = untaken.get(key) ?? 0
      untaken.delete(key)
      return failures
    },
    /** Adds rows and leaves existing ones unchanged. @returns the rows of all */
    add: (key: number, added: readonly string[], at: number) =>
      forEach(added, (account) => sql.column<number>(addAccount, { key, account, at })),
    remove: (key: number, removed: readonly string[]) =>
      forEach(removed, (account) => sql.column<number>(removeAccount, key, account)),
    removeIds: (removed: readonly number[]) =>
      sql.transaction(() => {
        for (const id of removed) sql.remove('subscriptions', { id })
      }),
    page: (key: number, after: string, limit: number) =>
      sql.all<{ id: number; account: string }>(pageAfter, key, after, limit),
    among: (key: number, requested: readonly string[]) =>
      new Set(
        requested.filter((account) =>
          sql.exists('subscriptions WHERE webhook_key = ? AND account = ?', key, account),
        ),
      ),
    since: (key: number, account: string) => sql.value<number>(subscribedSince, key, account),
    count: (key: number) => sql.count('subscriptions WHERE webhook_key = ?', key),
    countFailing,
    /** Returns accounts that fail or that the user watches. */
    followed: (key: number, after: string, limit: number) =>
      sql.all<SubscribedAccount>(
        `${followed} IN (${half('is_failing')} UNION ${half('is_watched')}
           ORDER BY account LIMIT $limit) ORDER BY account`,
        { key, after, limit },
      ),
    find: (key: number, account: string) =>
      sql.get<SubscribedAccount>(`${followed} = $account`, { key, account }),
    setWatched: (webhookKey: number, accounts: readonly string[], isWatched: boolean) =>
      sql.transaction(() => {
        for (const account of accounts) {
          const where = { webhookKey, account }
          sql.update('subscriptions', { isWatched }, where)
          if (!isWatched) sql.update('subscriptions', noLag, { ...where, isFailing: false })
        }
      }),
    /**
     * Stores lags; ignores accounts that are no longer watched, and records the worst lag in the
     * history too.
     */
    saveLags: (key: number, lags: ReadonlyMap<string, Lag>, at: number) =>
      sql.transaction(() => {
        let worst: number | null = null
        for (const [account, lag] of lags) {
          const id = sql.value<number>(saveLag, { ...lag, key, account })
          if (id === null || lag.milliseconds === null) continue
          worst = Math.max(worst ?? 0, lag.milliseconds)
          if (lag.milliseconds > 0) history.recordAccount(key, id, { lagMs: lag.milliseconds }, at)
        }
        if (worst === null) return
        history.recordWebhook(key, { failing: countFailing(key), lagMs: worst }, at)
      }),
  }
}

const subscribedSince =
  'SELECT subscribed_at FROM subscriptions WHERE webhook_key = ? AND account = ?'

const pageAfter = `SELECT id, account FROM subscriptions WHERE webhook_key = ? AND account > ?
  ORDER BY account LIMIT ?`

const addAccount = `INSERT INTO subscriptions
    (webhook_key, account, last_delivered_lt, failed_attempts, subscribed_at, read_at)
  VALUES ($key, $account, 0, 0, $at, $at)
  ON CONFLICT (webhook_key, account) DO UPDATE SET read_at = read_at RETURNING id`

const removeAccount = 'DELETE FROM subscriptions WHERE webhook_key = ? AND account = ? RETURNING id'

/** Each half has its own index; a combined condition would read all rows. */
const half = (flag: string) =>
  `SELECT account FROM (SELECT account FROM subscriptions
     WHERE webhook_key = $key AND ${flag} = 1 AND account > $after
     ORDER BY account LIMIT $limit)`

const followed = `SELECT account, last_delivered_lt, failed_at, failed_lt, failed_attempts,
  is_failing, is_watched, ${lagColumn} FROM subscriptions WHERE webhook_key = $key AND account`

const update = `UPDATE subscriptions SET last_delivered_lt = $lastDeliveredLt, failed_at = $failedAt,
    failed_lt = $failedLt, failed_attempts = $failedAttempts, is_failing = $isFailing,
    failing_since = CASE WHEN $isFailing = 0 THEN NULL
      WHEN $recovered = 1 OR failing_since IS NULL THEN $readAt ELSE failing_since END,
    read_at = $readAt
  WHERE id = $id`

const saveLag = `UPDATE subscriptions SET lag_transactions = $transactions, lag_more = $more,
    lag_ms = $milliseconds, lag_read_at = $readAt
  WHERE webhook_key = $key AND account = $account AND (is_failing = 1 OR is_watched = 1)
  RETURNING id`

const noLag = { lagTransactions: null, lagMore: null, lagMs: null, lagReadAt: null }

type Landing = Readonly<{ key: number; at: number; knowsAll: boolean }>

type Known = Omit<Reading, 'account'> & Readonly<{ id: number; isFailing: boolean }>

const neverRead = {
  lastDeliveredLt: 0n,
  failedAt: null,
  failedLt: null,
  failedAttempts: 0,
  isFailing: false,
}

function landOne(sql: Sql, { key, at, knowsAll }: Landing, after: Reading) {
  const { account, lastDeliveredLt, failedAt, failedLt, failedAttempts } = after
  const fields = { lastDeliveredLt, failedAt, failedLt, failedAttempts, readAt: at }
  const row = sql.get<Known>(
    `SELECT id, last_delivered_lt, failed_at, failed_lt, failed_attempts, is_failing
     FROM subscriptions WHERE webhook_key = ? AND account = ?`,
    ...[key, account],
  )
  const step = progressSince(row ?? (knowsAll ? neverRead : null), after)
  const { isFailing: isFailingNow } = step
  if (row === null) {
    const id = sql.insert('subscriptions', {
      webhookKey: key,
      account,
      ...fields,
      isFailing: isFailingNow,
      failingSince: isFailingNow ? at : null,
      subscribedAt: knowsAll ? at : null,
    })
    return { id, isNew: true, wasFailing: false, ...step }
  }
  const { id, isFailing: wasFailing } = row
  if (!isSame(row, after) || isFailingNow !== wasFailing) {
    sql.run(update, { ...fields, ...step, id })
    if (wasFailing && !isFailingNow) sql.update('subscriptions', noLag, { id, isWatched: false })
  }
  return { id, isNew: false, wasFailing, ...step }
}

const isSame = (one: Omit<Reading, 'account'>, other: Omit<Reading, 'account'>): boolean =>
  one.lastDeliveredLt === other.lastDeliveredLt &&
  one.failedAt === other.failedAt &&
  one.failedLt === other.failedLt &&
  one.failedAttempts === other.failedAttempts
