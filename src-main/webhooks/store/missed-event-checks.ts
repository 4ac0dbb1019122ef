import {
  type MissedEvent,
  type MissedEventSchedule,
  type MissedCheck,
  type Verdict,
  verdict,
} from '../../../src-preload/contract/missed-events.ts'
import type { Database } from '../../database/database.ts'
import { type Codec, createSql, json } from '../../database/sql.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'

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
  /** Events from this logical time on were read; null at first. */
  readonly beforeLt: bigint | null
  /** Lowest capture id among the accepted deliveries of events read so far. */
  readonly earliestLater: number | null
}

export type FoundEvent = Omit<
  MissedEvent,
  'index' | 'account' | 'label' | 'lt' | 'txHash' | 'rebuilt'
> & {
  readonly lt: bigint
  readonly hash: string
}

type FoundPage = Pick<WaitingAccount, 'beforeLt' | 'earliestLater'> & {
  readonly events: readonly FoundEvent[]
  readonly isLast: boolean
}

/** Unsigned 64-bit numbers as text of twenty digits, which sorts by value. */
export const lt: Codec<bigint> = {
  decode: (text) => BigInt(text as string),
  encode: (value) => value.toString().padStart(20, '0'),
}

/** Histogram steps stored per check; every drawn histogram is derived from them. */
const maxSteps = 2000

export function stepOf({ from, to }: Pick<CheckRecord, 'from' | 'to'>): number {
  return Math.max(1, Math.ceil((to - from) / maxSteps / 1000)) * 1000
}

export function createMissedEventChecks(database: Database) {
  const codecs = {
    counts: {
      decode: (text: unknown) => everyCount(JSON.parse(text as string) as Partial<Counts>),
      encode: json.encode,
    },
    captures: json,
    beforeLt: lt,
    lt,
  }
  const sql = createSql(database, codecs)
  const shown = `(is_whole = 1 OR scope <> 'list')`
  const select = `SELECT id, network, webhook, endpoint, is_here, span_from AS "from", span_to AS "to",
    late_after_ms, created_at, finished_at, is_scheduled, scope, is_whole, state, problem, accounts,
    checked, unread, events, counts FROM ledger_checks WHERE ${shown}`
  // Stepping from check to check avoids DISTINCT, which reads every row.
  const idsIn = (table: string) =>
    `SELECT id FROM (WITH RECURSIVE ids (id) AS (
       SELECT min(check_id) FROM ${table}
       UNION ALL SELECT (SELECT min(check_id) FROM ${table} WHERE check_id > id)
       FROM ids WHERE id IS NOT NULL) SELECT id FROM ids WHERE id IS NOT NULL)`

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
        // `!` follows the space in text order. Captures rebuilt for both webhooks stay as they are.
        sql.run(
          `UPDATE OR IGNORE capture_origins
           SET made_from = $network || ' ' || $to || substr(made_from, length($before))
           WHERE origin = 'rebuilt' AND made_from > $before AND made_from < $after`,
          { network, to, before: `${network} ${from} `, after: `${network} ${from}!` },
        )
      }),
    waiting: (id: number, after: number, limit: number) =>
      sql.all<WaitingAccount>(
        `SELECT idx AS "index", account, before_lt, earliest_later FROM ledger_accounts
         WHERE check_id = ? AND idx > ? AND state = 'waiting' ORDER BY idx LIMIT ?`,
        ...[id, after, limit],
      ),
    keep: (id: number, account: number, { events, isLast, ...reached }: FoundPage) =>
      sql.transaction(() => {
        const check = table.get(id)
        if (check === null) return
        const counts: Counts = { ...check.counts }
        const steps = new Map<string, { at: number; verdict: Verdict; events: number }>()
        const stepMs = stepOf(check)
        let next = check.events
        let missing = 0
        for (const event of events) {
          const row = { ...event, checkId: id, account, idx: next, also: event.also.join(',') }
          if (sql.insertNew('ledger_events', row) === null) continue
          next += 1
          missing += Number(event.verdict === 'missing')
          counts[event.verdict] += 1
          const at = event.at - ((event.at - check.from) % stepMs)
          const key = `${at} ${event.verdict}`
          const step = steps.get(key) ?? { at, verdict: event.verdict, events: 0 }
          steps.set(key, { ...step, events: step.events + 1 })
        }
        for (const step of steps.values()) {
          sql.run(
            `INSERT INTO ledger_steps (check_id, at, verdict, events)
             VALUES ($id, $at, $verdict, $events)
             ON CONFLICT (check_id, at, verdict) DO UPDATE SET events = events + excluded.events`,
            { ...step, id },
          )
        }
        sql.run(
          `UPDATE ledger_accounts SET before_lt = $beforeLt, earliest_later = $earliestLater,
             events = events + $found, missing = missing + $missing, state = $state
           WHERE check_id = $id AND idx = $account`,
          {
            ...reached,
            id,
            account,
            missing,
            found: next - check.events,
            state: isLast ? 'done' : 'waiting',
          },
        )
        sql.run(
          `UPDATE ledger_checks SET events = $next, counts = $counts, checked = checked + $isLast
           WHERE id = $id`,
          { id, next, counts, isLast },
        )
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
        `SELECT id FROM (${idsIn('ledger_accounts')} UNION ${idsIn('ledger_events')})
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

type Counts = Record<Verdict, number>

export function everyCount(counts: Partial<Record<Verdict, number>>): Record<Verdict, number> {
  return Object.fromEntries(verdict.options.map((each) => [each, counts[each] ?? 0])) as Record<
    Verdict,
    number
  >
}

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
