import type { MissedEvent, Verdict } from '../../../src-preload/contract/missed-events.ts'
import type { Database } from '../../database/database.ts'
import { type Codec, createSql, json } from '../../database/sql.ts'
import { type ListText, accountSql, hashSql, listTextValues } from '../../database/list-text.ts'
import { type CheckRecord, everyCount, lt, stepOf } from './missed-event-checks.ts'

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

export type MissedEventFindings = ReturnType<typeof createMissedEventFindings>

export function createMissedEventFindings(database: Database) {
  const sql = createSql(database, { lt })
  const events = createSql(database, {
    lt: { ...lt, decode: (text) => BigInt(text as string).toString() },
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
        (_, index) => ({
          startsAt: check.from + index * length,
          counts: everyCount({}),
        }),
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

function conditions({ check, network, verdict, account, text }: EventsAsked) {
  const parts = ['e.check_id = $check']
  const values: Record<string, string | number | bigint | null> = { $check: check }
  const add = (part: string, more: Record<string, string | bigint | null>) => {
    parts.push(part)
    Object.assign(values, more)
  }
  if (verdict !== null) add('e.verdict = $verdict', { $verdict: verdict })
  const ofAccounts = (which: string) =>
    `e.account IN (SELECT idx FROM ledger_accounts WHERE check_id = $check AND (${which}))`
  if (account !== null) add(ofAccounts('account = $account'), { $account: account })
  if (text !== null) {
    add(`(${hashSql('e.hash')} OR ${ofAccounts(accountSql('account'))})`, {
      $network: network,
      ...listTextValues(text),
    })
  }
  return { where: parts.join(' AND '), values }
}
