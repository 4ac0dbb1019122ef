import { type MissedCheck, type Verdict, verdict } from '../../../src-preload/contract/ledger.ts'
import { type Database, transaction } from '../../database/database.ts'

export type CheckRecord = Omit<MissedCheck, 'rate' | 'secondsLeft'> & {
  /** False until its list of accounts is written. */
  readonly isWhole: boolean
  /** Which accounts it is about; those of a `list` are given, the others are looked up as it runs. */
  readonly scope: CheckScope
}

type CheckScope = 'all' | 'failing' | 'list'

export type NewCheck = Pick<
  CheckRecord,
  | 'network'
  | 'webhook'
  | 'endpoint'
  | 'isHere'
  | 'from'
  | 'to'
  | 'lateAfterMs'
  | 'createdAt'
  | 'isScheduled'
  | 'scope'
>

/** An account whose history has still to be read, or read on. */
export type WaitingAccount = {
  readonly index: number
  readonly account: string
  /** Events from this logical time on have been found; null at first. */
  readonly beforeLt: bigint | null
  /** Lowest id of the deliveries taken of these. */
  readonly earliestLater: number | null
}

export type FoundEvent = {
  readonly lt: bigint
  readonly hash: string
  readonly at: number
  readonly verdict: Verdict
  readonly also: readonly Verdict[]
  readonly gateway: string
  readonly captures: readonly {
    readonly id: number
    /** Microseconds. */
    readonly receivedAt: number
    readonly status: number | null
  }[]
  readonly delayMs: number | null
}

/** What a page of an account's history came to. */
type FoundPage = Pick<WaitingAccount, 'beforeLt' | 'earliestLater'> & {
  readonly events: readonly FoundEvent[]
  readonly isLast: boolean
}

/** Checks with their accounts. Every call is one short transaction. */
export type LedgerChecks = {
  /** Running, its list of accounts still to be written. Ids are never used twice. */
  begin(check: NewCheck): number
  addAccounts(id: number, accounts: readonly string[]): void
  /** What was written of the list is of no use. */
  clearAccounts(id: number): void
  /** The list of accounts is written. */
  finish(id: number): void
  /** Newest first; of all networks where none is named. */
  list(network?: string): CheckRecord[]
  get(id: number): CheckRecord | null
  setState(
    id: number,
    change: {
      readonly state: CheckRecord['state']
      readonly problem: string | null
      readonly finishedAt: number | null
    },
  ): void
  /** What was checked, and rebuilt, of one webhook is of the other from now on. */
  move(network: string, from: string, to: string): void
  /** In their order, those after `after`. */
  waiting(id: number, after: number, limit: number): WaitingAccount[]
  /** Keeps what was found, and counts it. */
  keep(id: number, account: number, page: FoundPage): void
  /** Its history cannot be read. */
  leaveUnread(id: number, index: number, problem: string): void
  /** Those that could not be read wait again. */
  retry(id: number): void
  /** Block time of the oldest event that was still waited for. */
  oldestWaiting(id: number): number | null
  /** Its rows stay: see `orphans`. */
  remove(id: number): void
  /** Checks that are no more yet have rows, or whose list was never whole. */
  orphans(): number[]
  /** Removes some rows of a check; false when there are none left. */
  removeSome(id: number): boolean
}

const removedAtOnce = 1000

/** Twenty digits: an unsigned 64-bit number of any size, that sorts as text. */
export function padLt(lt: bigint): string {
  return lt.toString().padStart(20, '0')
}

/** Steps kept of a span: as many as any picture of it is drawn from, and then some. */
const maxSteps = 2000

/** Length of a step in which events are counted. */
export function stepOf({ from, to }: Pick<CheckRecord, 'from' | 'to'>): number {
  return Math.max(1, Math.ceil((to - from) / maxSteps / 1000)) * 1000
}

export function createLedgerChecks(database: Database): LedgerChecks {
  const insert = database.prepare(
    `INSERT INTO ledger_checks (network, webhook, endpoint, is_here, span_from, span_to,
       late_after_ms, created_at, is_scheduled, scope, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running')`,
  )
  const nextIndex = database.prepare(
    'SELECT coalesce(max(idx) + 1, 0) AS next FROM ledger_accounts WHERE check_id = ?',
  )
  const addAccount = database.prepare(
    'INSERT INTO ledger_accounts (check_id, idx, account) VALUES (?, ?, ?)',
  )
  const clearAccounts = database.prepare('DELETE FROM ledger_accounts WHERE check_id = ?')
  const finish = database.prepare(
    `UPDATE ledger_checks SET is_whole = 1,
       accounts = (SELECT count(*) FROM ledger_accounts WHERE check_id = id) WHERE id = ?`,
  )
  const shown = `(is_whole = 1 OR scope <> 'list')`
  const all = database.prepare(`SELECT * FROM ledger_checks WHERE ${shown} ORDER BY id DESC`)
  const ofNetwork = database.prepare(
    `SELECT * FROM ledger_checks WHERE network = ? AND ${shown} ORDER BY id DESC`,
  )
  const one = database.prepare(`SELECT * FROM ledger_checks WHERE id = ? AND ${shown}`)
  const setState = database.prepare(
    'UPDATE ledger_checks SET state = ?, problem = ?, finished_at = ? WHERE id = ?',
  )
  const move = database.prepare(
    'UPDATE ledger_checks SET webhook = $to WHERE network = $network AND webhook = $from',
  )
  // What both have rebuilt stays as it is.
  const moveRebuilt = database.prepare(
    `UPDATE OR IGNORE capture_origins
     SET made_from = $network || ' ' || $to || substr(made_from, length($before))
     WHERE origin = 'rebuilt' AND made_from > $before AND made_from < $after`,
  )
  const waiting = database.prepare(
    `SELECT idx, account, before_lt, earliest_later FROM ledger_accounts
     WHERE check_id = ? AND idx > ? AND state = 'waiting' ORDER BY idx LIMIT ?`,
  )
  const addEvent = database.prepare(
    `INSERT OR IGNORE INTO ledger_events (check_id, account, lt, idx, hash, at, verdict, also,
       gateway, captures, delay_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const addStep = database.prepare(
    `INSERT INTO ledger_steps (check_id, at, verdict, events) VALUES (?, ?, ?, ?)
     ON CONFLICT (check_id, at, verdict) DO UPDATE SET events = events + excluded.events`,
  )
  const moveOn = database.prepare(
    `UPDATE ledger_accounts SET before_lt = ?, earliest_later = ?, events = events + ?,
       missing = missing + ?, state = ? WHERE check_id = ? AND idx = ?`,
  )
  const count = database.prepare(
    `UPDATE ledger_checks SET events = ?, counts = ?, checked = checked + ? WHERE id = ?`,
  )
  const unread = database.prepare(
    `UPDATE ledger_accounts SET state = 'unread', problem = ?
     WHERE check_id = ? AND idx = ? AND state = 'waiting'`,
  )
  const countUnread = database.prepare(
    'UPDATE ledger_checks SET checked = checked + ?1, unread = unread + ?1 WHERE id = ?2',
  )
  const retry = database.prepare(
    `UPDATE ledger_accounts SET state = 'waiting', problem = NULL
     WHERE check_id = ? AND state = 'unread'`,
  )
  const noneUnread = database.prepare(
    'UPDATE ledger_checks SET checked = checked - unread, unread = 0 WHERE id = ?',
  )
  const oldestWaiting = database.prepare(
    `SELECT min(at) AS at FROM ledger_events INDEXED BY ledger_events_by_verdict
     WHERE check_id = ? AND verdict = 'waiting'`,
  )
  const remove = database.prepare('DELETE FROM ledger_checks WHERE id = ?')
  // One step from check to check: DISTINCT would read every row there is.
  const idsIn = (table: string) =>
    `SELECT id FROM (WITH RECURSIVE ids (id) AS (
       SELECT min(check_id) FROM ${table}
       UNION ALL SELECT (SELECT min(check_id) FROM ${table} WHERE check_id > id)
       FROM ids WHERE id IS NOT NULL) SELECT id FROM ids WHERE id IS NOT NULL)`
  const orphans = database.prepare(
    `SELECT id FROM (${idsIn('ledger_accounts')} UNION ${idsIn('ledger_events')})
     WHERE id NOT IN (SELECT id FROM ledger_checks WHERE ${shown})
     UNION SELECT id FROM ledger_checks WHERE NOT ${shown}`,
  )
  const removeEvents = database.prepare(
    `DELETE FROM ledger_events WHERE (check_id, account, lt) IN
       (SELECT check_id, account, lt FROM ledger_events WHERE check_id = ? LIMIT ${removedAtOnce})`,
  )
  const removeSteps = database.prepare('DELETE FROM ledger_steps WHERE check_id = ?')
  const removeAccounts = database.prepare(
    `DELETE FROM ledger_accounts WHERE (check_id, idx) IN
       (SELECT check_id, idx FROM ledger_accounts WHERE check_id = ? LIMIT ${removedAtOnce})`,
  )
  const removeUnfinished = database.prepare(
    `DELETE FROM ledger_checks WHERE id = ? AND NOT ${shown}`,
  )

  function get(id: number): CheckRecord | null {
    const row = one.get(id)
    return row === undefined ? null : toCheck(row)
  }

  return {
    begin(check) {
      const added = insert.run(
        check.network,
        check.webhook,
        check.endpoint,
        Number(check.isHere),
        check.from,
        check.to,
        check.lateAfterMs,
        check.createdAt,
        Number(check.isScheduled),
        check.scope,
      )
      return Number(added.lastInsertRowid)
    },
    addAccounts(id, accounts) {
      transaction(database, () => {
        let index = Number(nextIndex.get(id)?.['next'])
        for (const account of accounts) {
          addAccount.run(id, index, account)
          index += 1
        }
      })
    },
    clearAccounts: (id) => void clearAccounts.run(id),
    finish: (id) => void finish.run(id),
    list: (network) => (network === undefined ? all.all() : ofNetwork.all(network)).map(toCheck),
    get,
    setState: (id, { state, problem, finishedAt }) =>
      void setState.run(state, problem, finishedAt, id),
    move(network, from, to) {
      const webhook = `${network} ${from}`
      transaction(database, () => {
        move.run({ $network: network, $from: from, $to: to })
        // In the order of text `!` comes next after the space.
        moveRebuilt.run({
          $network: network,
          $to: to,
          $before: `${webhook} `,
          $after: `${webhook}!`,
        })
      })
    },
    waiting: (id, after, limit) =>
      waiting.all(id, after, limit).map((row) => ({
        index: row['idx'] as number,
        account: row['account'] as string,
        beforeLt: row['before_lt'] === null ? null : BigInt(row['before_lt'] as string),
        earliestLater: row['earliest_later'] as number | null,
      })),
    keep(id, account, { events, beforeLt, earliestLater, isLast }) {
      transaction(database, () => {
        const check = get(id)
        // Removed meanwhile.
        if (check === null) return
        const counts: Record<string, number> = { ...check.counts }
        const steps = new Map<string, { at: number; verdict: Verdict; events: number }>()
        const stepMs = stepOf(check)
        let next = check.events
        let missing = 0
        for (const event of events) {
          const added = addEvent.run(
            id,
            account,
            padLt(event.lt),
            next,
            event.hash,
            event.at,
            event.verdict,
            event.also.join(','),
            event.gateway,
            JSON.stringify(event.captures),
            event.delayMs,
          )
          if (Number(added.changes) === 0) continue
          next += 1
          missing += Number(event.verdict === 'missing')
          counts[event.verdict] = (counts[event.verdict] ?? 0) + 1
          const at = event.at - ((event.at - check.from) % stepMs)
          const key = `${at} ${event.verdict}`
          const step = steps.get(key) ?? { at, verdict: event.verdict, events: 0 }
          steps.set(key, { ...step, events: step.events + 1 })
        }
        for (const { at, verdict: of, events: n } of steps.values()) addStep.run(id, at, of, n)
        const lt = beforeLt === null ? null : padLt(beforeLt)
        const state = isLast ? 'done' : 'waiting'
        moveOn.run(lt, earliestLater, next - check.events, missing, state, id, account)
        count.run(next, JSON.stringify(counts), Number(isLast), id)
      })
    },
    leaveUnread(id, index, problem) {
      transaction(database, () => {
        countUnread.run(Number(unread.run(problem, id, index).changes), id)
      })
    },
    retry(id) {
      transaction(database, () => {
        retry.run(id)
        noneUnread.run(id)
      })
    },
    oldestWaiting: (id) => (oldestWaiting.get(id)?.['at'] as number | null | undefined) ?? null,
    remove: (id) => void remove.run(id),
    orphans: () => orphans.all().map((row) => row['id'] as number),
    removeSome(id) {
      if (Number(removeEvents.run(id).changes) > 0) return true
      if (Number(removeAccounts.run(id).changes) > 0) return true
      removeSteps.run(id)
      removeUnfinished.run(id)
      return false
    },
  }
}

function toCheck(row: Record<string, unknown>): CheckRecord {
  const counts = JSON.parse(row['counts'] as string) as Partial<Record<Verdict, number>>
  return {
    id: row['id'] as number,
    network: row['network'] as string,
    webhook: row['webhook'] as string,
    endpoint: row['endpoint'] as string,
    isHere: row['is_here'] === 1,
    from: row['span_from'] as number,
    to: row['span_to'] as number,
    lateAfterMs: row['late_after_ms'] as number,
    createdAt: row['created_at'] as number,
    finishedAt: row['finished_at'] as number | null,
    isScheduled: row['is_scheduled'] === 1,
    state: row['state'] as CheckRecord['state'],
    problem: row['problem'] as string | null,
    accounts: row['accounts'] as number,
    checked: row['checked'] as number,
    unread: row['unread'] as number,
    events: row['events'] as number,
    counts: everyCount(counts),
    isWhole: row['is_whole'] === 1,
    scope: row['scope'] as CheckScope,
  }
}

export function everyCount(counts: Partial<Record<Verdict, number>>): Record<Verdict, number> {
  return Object.fromEntries(verdict.options.map((each) => [each, counts[each] ?? 0])) as Record<
    Verdict,
    number
  >
}
