import type { LedgerEvent, Verdict } from '../../../src-preload/contract/ledger.ts'
import type { Database } from '../../database/database.ts'
import {
  type ListText,
  accountSql,
  accountValues,
  hashSql,
  hashValues,
} from '../../database/list-text.ts'
import { type CheckRecord, everyCount, padLt, stepOf } from './ledger-checks.ts'

/** `address` is what the filter's text stands for, where it is one. */
type EventsAsked = {
  readonly check: number
  readonly network: string
  readonly verdict: Verdict | null
  readonly account: string | null
  /** Null for all. */
  readonly text: ListText | null
}

type Page = { readonly offset: number; readonly limit: number }

/** An event of which a capture can be made. */
export type RebuildableEvent = {
  /** Place of its account in the check. */
  readonly place: number
  readonly account: string
  readonly lt: bigint
  readonly hash: string
  readonly madeFrom: string
}

/** Reads what checks have found. */
export type LedgerFindings = {
  /** By account and lt. */
  events(asked: EventsAsked, page: Page): Omit<LedgerEvent, 'label'>[]
  count(asked: EventsAsked): number
  /** In at most so many steps of the same length. */
  histogram(
    check: CheckRecord,
    most: number,
  ): {
    milliseconds: number
    steps: { startsAt: number; counts: Record<Verdict, number> }[]
  }
  accounts(
    check: number,
    only: 'missing' | 'unread' | null,
    page: Page,
  ): { account: string; events: number; missing: number; problem: string | null }[]
  countAccounts(check: number, only: 'missing' | 'unread' | null): number
  /** Missing ones that were not rebuilt, by account and lt, those after `after`. */
  toRebuild(check: number, after: RebuildableEvent | null, limit: number): RebuildableEvent[]
  /** Those of these that are missing and were not rebuilt. */
  toRebuildOf(check: number, indexes: readonly number[]): RebuildableEvent[]
  /** Captures rebuilt of these, by what they were made from. */
  rebuilt(madeFrom: readonly string[]): number[]
  /** Ids of deliveries found by a check of this webhook, newest check first. */
  deliveries(network: string, webhook: string, limit: number): number[]
}

/** What a capture rebuilt of an event is known by: the same for whichever check has found it. */
const madeFrom = `c.network || ' ' || c.webhook || ' ' || a.account || ' ' || e.lt || ' ' || e.hash`

/** Of verdicts that few may have: the planner would read all events of the check for them. */
const byVerdict = 'INDEXED BY ledger_events_by_verdict'

export function createLedgerFindings(database: Database): LedgerFindings {
  const from = (events: string) => `FROM ${events} e
    JOIN ledger_accounts a ON a.check_id = e.check_id AND a.idx = e.account
    JOIN ledger_checks c ON c.id = e.check_id
    LEFT JOIN capture_origins o ON o.origin = 'rebuilt' AND o.made_from = ${madeFrom}`
  const histogram = database.prepare(
    `SELECT CAST((at - $from) / $length AS INTEGER) AS step, verdict, sum(events) AS n
     FROM ledger_steps WHERE check_id = $check GROUP BY 1, 2`,
  )
  const only = `check_id = $check AND CASE $only WHEN 'missing' THEN missing > 0
    WHEN 'unread' THEN state = 'unread' ELSE 1 END`
  const accounts = database.prepare(
    `SELECT account, events, missing, problem FROM ledger_accounts
     WHERE ${only} ORDER BY idx LIMIT $limit OFFSET $offset`,
  )
  const countAccounts = database.prepare(`SELECT count(*) AS n FROM ledger_accounts WHERE ${only}`)
  const rebuildable = (events: string, which: string) =>
    database.prepare(
      `SELECT e.account AS place, a.account, e.lt, e.hash, ${madeFrom} AS made_from ${from(events)}
       WHERE e.check_id = $check AND ${which} AND e.verdict = 'missing' AND o.capture_id IS NULL
       ORDER BY e.account, e.lt LIMIT $limit`,
    )
  const next = rebuildable(
    `(SELECT * FROM ledger_events ${byVerdict})`,
    '(e.account, e.lt) > ($place, $lt)',
  )
  const some = rebuildable('ledger_events', 'e.idx IN (SELECT value FROM json_each($indexes))')
  const rebuilt = database.prepare(
    `SELECT capture_id FROM capture_origins
     WHERE origin = 'rebuilt' AND made_from IN (SELECT value FROM json_each(?)) ORDER BY 1`,
  )
  const deliveries = database.prepare(
    `SELECT json_extract(captures, '$[0].id') AS id FROM ledger_events ${byVerdict}
     WHERE check_id IN (SELECT id FROM ledger_checks WHERE network = ? AND webhook = ?)
       AND verdict IN ('delivered', 'late', 'duplicate', 'out-of-order')
     ORDER BY check_id DESC LIMIT ?`,
  )

  return {
    events(asked, { offset, limit }) {
      const { where, values } = conditions(asked)
      const isRare = asked.verdict !== null && asked.verdict !== 'delivered'
      return database
        .prepare(
          // Joined only with what is on the page, however many come before it.
          `SELECT e.*, a.account AS address, o.capture_id AS rebuilt
           ${from(`(SELECT e.* FROM ledger_events e ${isRare ? byVerdict : ''} WHERE ${where}
             ORDER BY e.account, e.lt LIMIT $limit OFFSET $offset)`)}
           ORDER BY e.account, e.lt`,
        )
        .all({ ...values, $limit: limit, $offset: offset })
        .map(toEvent)
    },
    count(asked) {
      const { where, values } = conditions(asked)
      const row = database
        .prepare(`SELECT count(*) AS n FROM ledger_events e WHERE ${where}`)
        .get(values)
      return Number(row?.['n'])
    },
    histogram(check, most) {
      const short = stepOf(check)
      const length = Math.max(1, Math.ceil((check.to - check.from) / most / short)) * short
      const steps = Array.from(
        { length: Math.ceil((check.to - check.from) / length) },
        (_, index) => ({
          startsAt: check.from + index * length,
          counts: everyCount({}),
        }),
      )
      for (const row of histogram.all({ $check: check.id, $from: check.from, $length: length })) {
        const step = steps[row['step'] as number]
        if (step !== undefined) step.counts[row['verdict'] as Verdict] = row['n'] as number
      }
      return { milliseconds: length, steps }
    },
    accounts: (check, wanted, { limit, offset }) =>
      accounts.all({ $check: check, $only: wanted, $limit: limit, $offset: offset }).map((row) => ({
        account: row['account'] as string,
        events: row['events'] as number,
        missing: row['missing'] as number,
        problem: row['problem'] as string | null,
      })),
    countAccounts: (check, wanted) =>
      Number(countAccounts.get({ $check: check, $only: wanted })?.['n']),
    toRebuild: (check, after, limit) =>
      next
        .all({
          $check: check,
          $place: after?.place ?? -1,
          $lt: after === null ? '' : padLt(after.lt),
          $limit: limit,
        })
        .map(toRebuildable),
    toRebuildOf: (check, indexes) =>
      some
        .all({ $check: check, $indexes: JSON.stringify(indexes), $limit: indexes.length })
        .map(toRebuildable),
    rebuilt: (madeFrom) =>
      rebuilt.all(JSON.stringify(madeFrom)).map((row) => row['capture_id'] as number),
    deliveries: (network, webhook, limit) =>
      deliveries
        .all(network, webhook, limit)
        .flatMap(({ id }) => (typeof id === 'number' ? [id] : [])),
  }
}

function toEvent(row: Record<string, unknown>): Omit<LedgerEvent, 'label'> {
  const also = row['also'] as string
  return {
    index: row['idx'] as number,
    account: row['address'] as string,
    lt: BigInt(row['lt'] as string).toString(),
    txHash: row['hash'] as string,
    at: row['at'] as number,
    verdict: row['verdict'] as Verdict,
    also: also === '' ? [] : (also.split(',') as Verdict[]),
    gateway: row['gateway'] as LedgerEvent['gateway'],
    captures: JSON.parse(row['captures'] as string) as LedgerEvent['captures'],
    delayMs: row['delay_ms'] as number | null,
    rebuilt: row['rebuilt'] as number | null,
  }
}

function toRebuildable(row: Record<string, unknown>): RebuildableEvent {
  return {
    place: row['place'] as number,
    account: row['account'] as string,
    lt: BigInt(row['lt'] as string),
    hash: row['hash'] as string,
    madeFrom: row['made_from'] as string,
  }
}

function conditions({ check, network, verdict, account, text }: EventsAsked) {
  const parts = ['e.check_id = $check']
  const values: Record<string, string | number | null> = { $check: check }
  const add = (part: string, more: Record<string, string | null>) => {
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
      ...accountValues(text),
      ...hashValues(text),
    })
  }
  return { where: parts.join(' AND '), values }
}
