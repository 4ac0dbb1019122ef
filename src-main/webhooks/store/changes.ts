import type { Change, ChangeItem } from '../../../src-preload/contract/subscription.ts'
import type { Database } from '../../database/database.ts'
import { createSql, json } from '../../database/sql.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'

/** What a change is to do; `webhook` is a place of the change. */
export type Action = Pick<ChangeItem, 'act' | 'what' | 'subject' | 'label'> & {
  readonly webhook: number
}

export type NewItem = Action & {
  /** Known from the beginning; null where it waits. */
  readonly unchanged: string | null
}

/** An item that is not settled. */
export type OpenItem = Action & {
  readonly index: number
  /** It went out, and whether it was done is not known. */
  readonly isSent: boolean
}

/** What became of items, by index. */
export type Settled = {
  readonly done?: readonly number[]
  readonly unchanged?: readonly number[]
  readonly failed?: readonly { readonly index: number; readonly reason: string }[]
  /** Sent, and certainly not done. */
  readonly waiting?: readonly number[]
}

const atOnce = 2000

/** Items of changes, each change in an order of its own. Every call is one short transaction. */
export function createChangeItems(database: Database) {
  const sql = createSql(database)
  const action = 'webhook, act, what, subject, label'

  function tally(change: number, counts: Partial<Record<Counted, number>>): void {
    sql.run(
      `UPDATE changes SET total = total + $total, done = done + $done,
         unchanged = unchanged + $unchanged, failed = failed + $failed,
         cancelled = cancelled + $cancelled
       WHERE id = $change`,
      { ...{ total: 0, done: 0, unchanged: 0, failed: 0, cancelled: 0, ...counts }, change },
    )
  }

  const move = (change: number, from: string, to: string) =>
    sql.run(
      `UPDATE change_items SET state = $to, reason = NULL
       WHERE change_id = $change AND idx IN (
         SELECT idx FROM change_items WHERE change_id = $change AND state = $from LIMIT ${atOnce})`,
      { change, from, to },
    )

  const set = (change: number, index: number, state: string, reason: string | null = null) =>
    sql.run(
      `UPDATE change_items SET state = $state, reason = $reason
       WHERE change_id = $change AND idx = $index AND state IN ('waiting', 'sent')`,
      { change, index, state, reason },
    )

  const setAll = (change: number, indexes: readonly number[] = [], state: string) =>
    indexes.reduce((sum, index) => sum + set(change, index, state), 0)

  return {
    /** Behind those there are. */
    add: (change: number, items: readonly NewItem[]) =>
      sql.transaction(() => {
        let idx = sql.value<number>(
          'SELECT coalesce(max(idx) + 1, 0) FROM change_items WHERE change_id = ?',
          change,
        ) as number
        for (const { webhook, act, what, subject, label, unchanged: reason } of items) {
          const state = reason === null ? 'waiting' : 'unchanged'
          const item = { changeId: change, idx, webhook, act, what, subject, label, state, reason }
          sql.insert('change_items', item)
          idx += 1
        }
        const unchanged = items.filter((item) => item.unchanged !== null).length
        tally(change, { total: items.length, unchanged })
      }),
    /** The first that are open, in their order. */
    open: (change: number, limit: number) =>
      sql.all<OpenItem>(
        `SELECT idx AS "index", ${action}, state = 'sent' AS is_sent FROM change_items
         WHERE change_id = ? AND state IN ('waiting', 'sent') ORDER BY idx LIMIT ?`,
        ...[change, limit],
      ),
    /** They are about to go out. */
    send: (change: number, indexes: readonly number[]) =>
      sql.transaction(() => void setAll(change, indexes, 'sent')),
    settle: (change: number, settled: Settled) =>
      sql.transaction(() => {
        setAll(change, settled.waiting, 'waiting')
        let failed = 0
        for (const { index, reason } of settled.failed ?? []) {
          failed += set(change, index, 'failed', reason)
        }
        tally(change, {
          done: setAll(change, settled.done, 'done'),
          unchanged: setAll(change, settled.unchanged, 'unchanged'),
          failed,
        })
      }),
    /** Some of what still waits is not done any more; false when none was left. */
    cancelSome: (change: number): boolean =>
      sql.transaction(() => {
        const cancelled = move(change, 'waiting', 'cancelled')
        tally(change, { cancelled })
        return cancelled > 0
      }),
    /** Some that failed wait again; false when none was left. */
    retrySome: (change: number): boolean =>
      sql.transaction(() => {
        const retried = move(change, 'failed', 'waiting')
        tally(change, { failed: -retried })
        return retried > 0
      }),
    /** What the change itself did, as far as is known; last first, those before `before`. */
    acted: (change: number, before: number, limit: number) =>
      sql.all<Action & { readonly index: number }>(
        `SELECT idx AS "index", ${action} FROM change_items
         WHERE change_id = ? AND idx < ? AND state IN ('done', 'sent') ORDER BY idx DESC LIMIT ?`,
        ...[change, before, limit],
      ),
    page(change: number, state: ChangeItem['state'] | null, offset: number, limit: number) {
      const where = state === null ? 'true' : shownAs[state]
      const total = sql.value<number>(
        `SELECT count(*) FROM change_items AS item WHERE change_id = ? AND ${where}`,
        change,
      ) as number
      // The page's items first: what is before it is passed over in an index.
      const items = sql.all<ChangeItem>(
        `SELECT item.idx AS "index", named.webhook, named.endpoint, item.act, item.what,
           item.subject, item.label, replace(item.state, 'sent', 'waiting') AS state, item.reason
         FROM (SELECT item.change_id, item.idx FROM change_items AS item
               WHERE item.change_id = ? AND ${where} ORDER BY item.idx LIMIT ? OFFSET ?) AS found
         CROSS JOIN change_items AS item USING (change_id, idx)
         JOIN change_webhooks AS named
           ON named.change_id = item.change_id AND named.place = item.webhook
         ORDER BY item.idx`,
        ...[change, limit, offset],
      )
      return { total, items }
    },
    /** Whether some of a webhook are still open. */
    hasOpen: (change: number, webhook: number, what: ChangeItem['what']): boolean =>
      sql.get(
        `SELECT 1 FROM change_items
         WHERE change_id = ? AND webhook = ? AND what = ? AND state IN ('waiting', 'sent')
         LIMIT 1`,
        ...[change, webhook, what],
      ) !== null,
    /** Changes that are no more yet have items, or were never whole. */
    orphans: () =>
      // One step from change to change: DISTINCT would read every item there is.
      sql.column<number>(
        `WITH RECURSIVE ids (id) AS (
           SELECT min(change_id) FROM change_items
           UNION ALL
           SELECT (SELECT min(change_id) FROM change_items WHERE change_id > id)
           FROM ids WHERE id IS NOT NULL
         )
         SELECT id FROM ids
         WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM changes WHERE is_whole = 1)
         UNION SELECT id FROM changes WHERE is_whole = 0`,
      ),
    /** Removes some items of a change; false when there are none left. */
    removeSome(change: number): boolean {
      const from = sql.value<number>(
        'SELECT min(idx) FROM change_items WHERE change_id = ?',
        change,
      )
      if (from === null) sql.remove('changes', { id: change, isWhole: false })
      else
        sql.run('DELETE FROM change_items WHERE change_id = ? AND idx < ?', change, from + atOnce)
      return from !== null
    },
  }
}

/** Each as an index over it is told. */
const shownAs: Readonly<Record<ChangeItem['state'], string>> = {
  waiting: "item.state IN ('waiting', 'sent')",
  done: "item.state = 'done'",
  unchanged: "item.state = 'unchanged'",
  failed: "item.state = 'failed'",
  cancelled: "item.state = 'cancelled'",
}

type Counted = 'total' | 'done' | 'unchanged' | 'failed' | 'cancelled'

/** A change as it is kept; its pace is known only while it runs. */
export type ChangeRecord = Omit<Change, 'rate' | 'secondsLeft' | 'canUndo'> & {
  /** Another has altered its webhooks since: it can be neither gone on with nor undone. */
  readonly isSuperseded: boolean
  /** It has subscribed or unsubscribed something, as far as is known. */
  readonly hasActed: boolean
}

export type ChangedWebhook = {
  /** Of the change; what its items name it by. */
  readonly place: number
  /** Null until it has been created. */
  readonly id: string | null
  readonly endpoint: string
  /** The ids there were when its creation was begun; null before. */
  readonly knownBefore: readonly string[] | null
}

export type NewChange = Pick<ChangeRecord, 'network' | 'kind' | 'name' | 'createdAt' | 'undoes'> & {
  /** In the order of their places. */
  readonly webhooks: readonly { readonly id: string | null; readonly endpoint: string }[]
}

export function createChanges(database: Database) {
  const sql = createSql(database, { knownBefore: json })
  const hasActed = `EXISTS (
    SELECT 1 FROM change_items AS item INDEXED BY change_items_state WHERE item.change_id = changes.id
      AND item.state IN ('done', 'sent') AND item.act <> 'create')`
  const select = `SELECT id, network, kind, name, created_at, finished_at, state, problem, undoes,
    undone_by, is_superseded, total, total - done - unchanged - failed - cancelled AS waiting, done,
    unchanged, failed, ${hasActed} AS has_acted FROM changes WHERE is_whole = 1`

  const webhooks = (id: number) =>
    sql.all<ChangedWebhook>(
      `SELECT place, webhook AS id, endpoint, known_before FROM change_webhooks
       WHERE change_id = ? ORDER BY place`,
      id,
    )

  function toChange(row: ChangeRow): ChangeRecord {
    const { total, waiting, done, unchanged, failed, ...change } = row
    return {
      ...change,
      webhooks: webhooks(change.id).map(({ id, endpoint }) => ({ id, endpoint })),
      counts: { total, waiting, done, unchanged, failed },
    }
  }

  return {
    ...createJobTable(database, 'changes', select, toChange),
    /** Running, and not listed before `finish`: its items have still to be written. Ids are never used twice. */
    begin: ({ network, kind, name, createdAt, undoes, webhooks: named }: NewChange): number =>
      sql.transaction(() => {
        const change = { network, kind, name, createdAt, undoes, state: 'running' }
        const changeId = sql.insert('changes', change)
        for (const [place, { id: webhook, endpoint }] of named.entries()) {
          sql.insert('change_webhooks', { changeId, place, webhook, endpoint })
        }
        return changeId
      }),
    /** From now on what it undoes counts as undone. */
    finish: (id: number) =>
      sql.transaction(() => {
        sql.update('changes', { isWhole: true }, { id })
        sql.run(
          'UPDATE changes SET undone_by = $id WHERE id = (SELECT undoes FROM changes WHERE id = $id)',
          { id },
        )
      }),
    webhooks,
    /** A webhook is about to be created; `known` are the ids there are. */
    beginCreation: (changeId: number, place: number, known: readonly string[]) =>
      void sql.update('change_webhooks', { knownBefore: known }, { changeId, place }),
    setWebhook: (changeId: number, place: number, webhook: string) =>
      void sql.update('change_webhooks', { webhook }, { changeId, place }),
    /**
     * It is about to alter its webhooks: from now on it is the last, and no other of them counts but
     * those that have still to begin.
     * @returns those that counted until now
     */
    supersedeOthers: (id: number) =>
      sql.column<number>(
        `UPDATE changes SET is_superseded = 1
         WHERE id <> $id AND is_superseded = 0
           AND network = (SELECT network FROM changes WHERE id = $id)
           AND id IN (
             SELECT theirs.change_id FROM change_webhooks AS own
             JOIN change_webhooks AS theirs ON theirs.webhook = own.webhook
             WHERE own.change_id = $id)
           AND (state <> 'running' OR ${hasActed})
         RETURNING id`,
        { id },
      ),
  }
}

type ChangeRow = Omit<ChangeRecord, 'webhooks' | 'counts'> & ChangeRecord['counts']
