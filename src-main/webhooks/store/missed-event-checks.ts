import {
  type MissedCheck,
  type MissedEvent,
  type MissedEventSchedule,
  type Verdict,
  verdict,
} from '../../../src-preload/contract/missed-events.ts'
import type { Database } from '../../database/database.ts'
import { type Codec, type Sql, createSql, distinctIds, json } from '../../database/sql.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'
import { type ListText, accountSql, hashSql, listTextValues } from '../../database/list-text.ts'

export type CheckRecord = Omit<MissedCheck, 'rate' | 'secondsLeft'> & {
  /** False while the list of accounts is being written. */
  readonly isWhole: boolean
  readonly scope: CheckScope
}

type CheckScope = 'all' | 'failing' | 'list'

type Progress = 'id' | 'finishedAt' | 'state' | 'problem' | 'accounts' | 'checked' | 'unread'
export type NewCheck = Omit<CheckRecord, Progress | 'events' | 'counts' | 'isWhole'>

export type WaitingAccount = {
  readonly index: number
  readonly account: string
  /** Events from this logical time on have been read; null at first. */
  readonly beforeLt: bigint | null
  /** Lowest capture id among the accepted deliveries of the events read so far. */
  readonly earliestLater: number | null
}

export type FoundEvent = Omit<
  MissedEvent,
  'index' | 'account' | 'label' | 'lt' | 'txHash' | 'rebuilt'
> & { readonly lt: bigint; readonly hash: string }

type FoundPage = Pick<WaitingAccount, 'beforeLt' | 'earliestLater'> & {
  readonly events: readonly FoundEvent[]
  readonly isLast: boolean
}

/** Stores unsigned 64-bit numbers as text of twenty digits, which sorts by value. */
const logicalTimeCodec: Codec<bigint> = {
  decode: (text) => BigInt(text as string),
  encode: (value) => value.toString().padStart(20, '0'),
}

/** Histogram steps stored per check; every drawn histogram is derived from them. */
const maxSteps = 2000

const stepOf = ({ from, to }: Pick<CheckRecord, 'from' | 'to'>): number =>
  Math.max(1, Math.ceil((to - from) / maxSteps / 1000)) * 1000

export function createMissedEventChecks(database: Database) {
  const codecs = {
    counts: {
      decode: (text: unknown) => everyCount(JSON.parse(text as string) as Partial<Counts>),
      encode: json.encode,
    },
    captures: json,
    beforeLt: logicalTimeCodec,
    lt: logicalTimeCodec,
  }
  const sql = createSql(database, codecs)
  const shown = `(is_whole = 1 OR scope <> 'list')`
  const select = `SELECT id, network, webhook, endpoint, is_here, span_from AS "from", span_to AS "to",
    late_after_ms, created_at, finished_at, is_scheduled, scope, is_whole, state, problem, accounts,
    checked, unread, events, counts FROM ledger_checks WHERE ${shown}`
  const table = createJobTable(database, 'ledger_checks', select, (row: CheckRecord) => row, codecs)

  return {
    ...table,
    begin: ({ from: spanFrom, to: spanTo, ...check }: NewCheck): number =>
      sql.insert('ledger_checks', { ...check, spanFrom, spanTo, state: 'running' }),
    addAccounts: (id: number, accounts: readonly string[]) =>
      void sql.run(
        `INSERT INTO ledger_accounts (check_id, idx, account)
         SELECT $id, key + coalesce((SELECT max(idx) + 1 FROM ledger_accounts WHERE check_id = $id), 0),
           value FROM json_each($accounts)`,
        { id, accounts: JSON.stringify(accounts) },
      ),
    clearAccounts: (id: number) => void sql.remove('ledger_accounts', { checkId: id }),
    finish: (id: number) =>
      void sql.run(
        `UPDATE ledger_checks SET is_whole = 1,
           accounts = (SELECT count(*) FROM ledger_accounts WHERE check_id = id) WHERE id = ?`,
        id,
      ),
    move: (network: string, from: string, to: string) =>
      sql.transaction(() => {
        sql.update('ledger_checks', { webhook: to }, { network, webhook: from })
        // `!` follows the space in text order. Captures that were rebuilt for both webhooks stay unchanged.
        sql.run(
          `UPDATE OR IGNORE capture_origins
           SET made_from = $network || ' ' || $to || substr(made_from, length($before))
           WHERE origin = 'rebuilt' AND made_from > $before AND made_from < $after`,
          { network, to, before: `${network} ${from} `, after: `${network} ${from}!` },
        )
      }),
    nextWaiting: (id: number, after: number) =>
      sql.get<WaitingAccount>(
        `SELECT idx AS "index", account, before_lt, earliest_later FROM ledger_accounts
         WHERE check_id = ? AND idx > ? AND state = 'waiting' ORDER BY idx LIMIT 1`,
        ...[id, after],
      ),
    keep: (id: number, account: number, found: FoundPage) =>
      sql.transaction(() => {
        const check = table.get(id)
        if (check !== null) keepEvents(sql, check, account, found)
      }),
    leaveUnread: (id: number, idx: number, problem: string) =>
      sql.transaction(() => {
        const where = { checkId: id, idx, state: 'waiting' }
        const changed = sql.update('ledger_accounts', { state: 'unread', problem }, where)
        sql.run(
          'UPDATE ledger_checks SET checked = checked + ?1, unread = unread + ?1 WHERE id = ?2',
          ...[changed, id],
        )
      }),
    retry: (id: number) =>
      sql.transaction(() => {
        const waiting = { state: 'waiting', problem: null }
        sql.update('ledger_accounts', waiting, { checkId: id, state: 'unread' })
        sql.run('UPDATE ledger_checks SET checked = checked - unread, unread = 0 WHERE id = ?', id)
      }),
    oldestWaiting: (id: number) =>
      sql.value<number>(
        `SELECT min(at) FROM ledger_events INDEXED BY ledger_events_by_verdict
         WHERE check_id = ? AND verdict = 'waiting'`,
        id,
      ),
    orphans: () =>
      sql.column<number>(
        `SELECT id FROM (${distinctIds('ledger_accounts', 'check_id')}
           UNION ${distinctIds('ledger_events', 'check_id')})
         WHERE id NOT IN (SELECT id FROM ledger_checks WHERE ${shown})
         UNION SELECT id FROM ledger_checks WHERE NOT ${shown}`,
      ),
    removeSome(id: number): boolean {
      const of = { checkId: id }
      if (sql.removeSome('ledger_events', 'check_id, account, lt', of)) return true
      if (sql.removeSome('ledger_accounts', 'check_id, idx', of)) return true
      sql.remove('ledger_steps', of)
      sql.run(`DELETE FROM ledger_checks WHERE id = ? AND NOT ${shown}`, id)
      return false
    },
  }
}

function keepEvents(
  sql: Sql,
  { id, from, to, ...check }: CheckRecord,
  account: number,
  { events: found, isLast, ...reached }: FoundPage,
): void {
  const stepMs = stepOf({ from, to })
  const counts = { ...check.counts }
  let events = check.events
  let missing = 0
  for (const event of found) {
    const { at, verdict, also } = event
    const row = { ...event, checkId: id, account, idx: events, also: also.join(',') }
    if (sql.insertNew('ledger_events', row) === null) continue
    events += 1
    missing += Number(verdict === 'missing')
    counts[verdict] += 1
    sql.run(
      `INSERT INTO ledger_steps (check_id, at, verdict, events) VALUES ($id, $step, $verdict, 1)
       ON CONFLICT (check_id, at, verdict) DO UPDATE SET events = events + 1`,
      { id, step: at - ((at - from) % stepMs), verdict },
    )
  }
  sql.run(
    `UPDATE ledger_accounts SET before_lt = $beforeLt, earliest_later = $earliestLater,
       events = events + $added, missing = missing + $missing, state = $state
     WHERE check_id = $id AND idx = $account`,
    {
      ...reached,
      id,
      account,
      missing,
      added: events - check.events,
      state: isLast ? 'done' : 'waiting',
    },
  )
  sql.run(
    `UPDATE ledger_checks SET events = $events, counts = $counts, checked = checked + $isLast
     WHERE id = $id`,
    { id, events, counts, isLast },
  )
}

type Counts = Record<Verdict, number>

const everyCount = (counts: Partial<Counts>): Counts =>
  Object.fromEntries(verdict.options.map((each) => [each, counts[each] ?? 0])) as Counts

export type ScheduleRecord = MissedEventSchedule & { readonly nextAt: number }

export function createMissedEventSchedules(database: Database) {
  const sql = createSql(database)
  return {
    list: (network?: string) =>
      sql.all<ScheduleRecord>(
        'SELECT * FROM ledger_schedules WHERE ?1 IS NULL OR network = ?1',
        network ?? null,
      ),
    get: (network: string, webhook: string) =>
      sql.get<ScheduleRecord>(
        'SELECT * FROM ledger_schedules WHERE network = ? AND webhook = ?',
        ...[network, webhook],
      ),
    put: (schedule: ScheduleRecord) =>
      void sql.insert('ledger_schedules', schedule, 'INSERT OR REPLACE'),
    remove: (network: string, webhook: string) =>
      void sql.remove('ledger_schedules', { network, webhook }),
    forget: (network: string) => void sql.remove('ledger_schedules', { network }),
  }
}

type EventsAsked = {
  readonly check: number
  readonly network: string
  readonly verdict: Verdict | null
  readonly account: string | null
  readonly text: ListText | null
}

type Page = { readonly offset: number; readonly limit: number }

export type RebuildableEvent = {
  readonly place: number
  readonly account: string
  readonly lt: bigint
  readonly hash: string
  readonly madeFrom: string
}

/** Identifies the event of a rebuilt capture, independent of the check that found it. */
const madeFrom = `c.network || ' ' || c.webhook || ' ' || a.account || ' ' || e.lt || ' ' || e.hash`

/** For rare verdicts the planner would otherwise read all events of the check. */
const byVerdict = 'INDEXED BY ledger_events_by_verdict'

export function createMissedEventFindings(database: Database) {
  const sql = createSql(database, { lt: logicalTimeCodec })
  const events = createSql(database, {
    lt: { ...logicalTimeCodec, decode: (text) => BigInt(text as string).toString() },
    captures: json,
    also: verdicts,
  })
  const from = (events: string) => `FROM ${events} e
    JOIN ledger_accounts a ON a.check_id = e.check_id AND a.idx = e.account
    JOIN ledger_checks c ON c.id = e.check_id
    LEFT JOIN capture_origins o ON o.origin = 'rebuilt' AND o.made_from = ${madeFrom}`
  const only = `check_id = $check AND CASE $only WHEN 'missing' THEN missing > 0
    WHEN 'unread' THEN state = 'unread' ELSE 1 END`
  const rebuildable = (events: string, which: string) =>
    `SELECT e.account AS place, a.account, e.lt, e.hash, ${madeFrom} AS made_from ${from(events)}
     WHERE e.check_id = $check AND ${which} AND e.verdict = 'missing' AND o.capture_id IS NULL
     ORDER BY e.account, e.lt LIMIT $limit`

  return {
    events(requested: EventsAsked, page: Page) {
      const { where, values } = conditions(requested)
      const isRare = requested.verdict !== null && requested.verdict !== 'delivered'
      return events.all<Omit<MissedEvent, 'label'>>(
        `SELECT e.idx AS "index", a.account, e.lt, e.hash AS tx_hash, e.at, e.verdict, e.also,
           e.gateway, e.captures, e.delay_ms, o.capture_id AS rebuilt
         ${from(`(SELECT e.* FROM ledger_events e ${isRare ? byVerdict : ''} WHERE ${where}
           ORDER BY e.account, e.lt LIMIT $limit OFFSET $offset)`)}
         ORDER BY e.account, e.lt`,
        { ...values, ...page },
      )
    },
    count(requested: EventsAsked): number {
      const { where, values } = conditions(requested)
      return sql.count(`ledger_events e WHERE ${where}`, values)
    },
    histogram(check: CheckRecord, limit: number) {
      const short = stepOf(check)
      const length = Math.max(1, Math.ceil((check.to - check.from) / limit / short)) * short
      const steps = Array.from(
        { length: Math.ceil((check.to - check.from) / length) },
        (_, index) => ({ startsAt: check.from + index * length, counts: everyCount({}) }),
      )
      const found = sql.all<{ step: number; verdict: Verdict; n: number }>(
        `SELECT CAST((at - $from) / $length AS INTEGER) AS step, verdict, sum(events) AS n
         FROM ledger_steps WHERE check_id = $id GROUP BY 1, 2`,
        { id: check.id, from: check.from, length },
      )
      for (const { step, verdict, n } of found) {
        const counts = steps[step]?.counts
        if (counts !== undefined) counts[verdict] = n
      }
      return { milliseconds: length, steps }
    },
    accounts: (check: number, wanted: 'missing' | 'unread' | null, page: Page) =>
      sql.all<{ account: string; events: number; missing: number; problem: string | null }>(
        `SELECT account, events, missing, problem FROM ledger_accounts
         WHERE ${only} ORDER BY idx LIMIT $limit OFFSET $offset`,
        { ...page, check, only: wanted },
      ),
    countAccounts: (check: number, wanted: 'missing' | 'unread' | null) =>
      sql.count(`ledger_accounts WHERE ${only}`, { check, only: wanted }),
    toRebuild: (check: number, after: RebuildableEvent | null, limit: number) =>
      sql.all<RebuildableEvent>(
        rebuildable(
          `(SELECT * FROM ledger_events ${byVerdict})`,
          '(e.account, e.lt) > ($place, $lt)',
        ),
        { check, limit, ...(after ?? { place: -1, lt: 0n }) },
      ),
    toRebuildOf: (check: number, indexes: readonly number[]) =>
      sql.all<RebuildableEvent>(
        rebuildable('ledger_events', 'e.idx IN (SELECT value FROM json_each($indexes))'),
        { check, indexes: JSON.stringify(indexes), limit: indexes.length },
      ),
    rebuilt: (madeFrom: readonly string[]) =>
      sql.column<number>(
        `SELECT capture_id FROM capture_origins
         WHERE origin = 'rebuilt' AND made_from IN (SELECT value FROM json_each(?)) ORDER BY 1`,
        JSON.stringify(madeFrom),
      ),
    deliveries: (network: string, webhook: string, limit: number) =>
      sql
        .column<number | null>(
          `SELECT json_extract(captures, '$[0].id') AS id FROM ledger_events ${byVerdict}
           WHERE check_id IN (SELECT id FROM ledger_checks WHERE network = ? AND webhook = ?)
             AND verdict IN ('delivered', 'late', 'duplicate', 'out-of-order')
           ORDER BY check_id DESC LIMIT ?`,
          ...[network, webhook, limit],
        )
        .filter((id) => id !== null),
  }
}

const verdicts: Codec<readonly Verdict[]> = {
  decode: (text) => (text === '' ? [] : (text as string).split(',')),
  encode: (value) => value.join(','),
}

function conditions({ text, ...values }: EventsAsked) {
  const ofAccounts = (which: string) =>
    `e.account IN (SELECT idx FROM ledger_accounts WHERE check_id = $check AND (${which}))`
  const parts = [
    'e.check_id = $check',
    ...(values.verdict === null ? [] : ['e.verdict = $verdict']),
    ...(values.account === null ? [] : [ofAccounts('account = $account')]),
    ...(text === null ? [] : [`(${hashSql('e.hash')} OR ${ofAccounts(accountSql('account'))})`]),
  ]
  return { where: parts.join(' AND '), values: { ...values, ...(text && listTextValues(text)) } }
}
