import type { Change, ChangeItem } from '../../../src-preload/contract/subscription.ts'
import type { Database } from '../../database/database.ts'
import { createSql, json } from '../../database/sql.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'

/** One item of a change; `webhook` is the webhook's place in the change. */
export type Action = Pick<ChangeItem, 'act' | 'what' | 'subject' | 'label'> & {
  readonly webhook: number
}

export type NewItem = Action & {
  readonly unchanged: string | null
}

export type OpenItem = Action & {
  readonly index: number
  /** The request was sent, but its result is unknown. */
  readonly isSent: boolean
}

export type Settled = {
  readonly done?: readonly number[]
  readonly unchanged?: readonly number[]
  readonly failed?: readonly { readonly index: number; readonly reason: string }[]
  readonly waiting?: readonly number[]
}

const atOnce = 2000

export function createChangeItems(database: Database) {
  const sql = createSql(database)
  const action = 'webhook, act, what, subject, label'

  function tally(change: number, counts: Partial<Record<Counted, number>>): void {
    sql.run(
      `UPDATE changes SET total = total + $total, done = done + $done,
         unchanged = unchanged + $unchanged, failed = failed + $failed,
         cancelled = cancelled + $cancelled
       WHERE id = $change`,
      { total: 0, done: 0, unchanged: 0, failed: 0, cancelled: 0, ...counts, change },
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
    add: (change: number, items: readonly NewItem[]) =>
      sql.transaction(() => {
        const first = sql.value<number>(
          'SELECT coalesce(max(idx) + 1, 0) FROM change_items WHERE change_id = ?',
          change,
        ) as number
        const rows = items.map(
          ({ webhook, act, what, subject, label, unchanged: reason }, index) => {
            const idx = first + index
            const state = reason === null ? 'waiting' : 'unchanged'
            return { changeId: change, idx, webhook, act, what, subject, label, state, reason }
          },
        )
        sql.insertAll('change_items', rows)
        const unchanged = items.filter((item) => item.unchanged !== null).length
        tally(change, { total: items.length, unchanged })
      }),
    open: (change: number, limit: number) =>
      sql.all<OpenItem>(
        `SELECT idx AS "index", ${action}, state = 'sent' AS is_sent FROM change_items
         WHERE change_id = ? AND state IN ('waiting', 'sent') ORDER BY idx LIMIT ?`,
        ...[change, limit],
      ),
    /** Called before the request, so that a kill leaves the items marked as sent. */
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
    cancelSome: (change: number): boolean =>
      sql.transaction(() => {
        const cancelled = move(change, 'waiting', 'cancelled')
        tally(change, { cancelled })
        return cancelled > 0
      }),
    retrySome: (change: number): boolean =>
      sql.transaction(() => {
        const retried = move(change, 'failed', 'waiting')
        tally(change, { failed: -retried })
        return retried > 0
      }),
    /** Items that the change itself applied, last first, below the index `before`. */
    acted: (change: number, before: number, limit: number) =>
      sql.all<Action & { readonly index: number }>(
        `SELECT idx AS "index", ${action} FROM change_items
         WHERE change_id = ? AND idx < ? AND state IN ('done', 'sent') ORDER BY idx DESC LIMIT ?`,
        ...[change, before, limit],
      ),
    page(change: number, state: ChangeItem['state'] | null, offset: number, limit: number) {
      const where = state === null ? 'true' : shownAs[state]
      const total = sql.count(`change_items AS item WHERE change_id = ? AND ${where}`, change)
      // The page's items are selected first, so that an index skips the rows before it.
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
    hasOpen: (change: number, webhook: number, what: ChangeItem['what']): boolean =>
      sql.exists(
        `change_items
         WHERE change_id = ? AND webhook = ? AND what = ? AND state IN ('waiting', 'sent')`,
        ...[change, webhook, what],
      ),
    /** Ids of changes that were removed or never fully written, and still have items. */
    orphans: () =>
      // Stepping from change to change avoids DISTINCT, which reads every row.
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

/** Each condition is spelled exactly as in its partial index, so that SQLite uses the index. */
const shownAs: Readonly<Record<ChangeItem['state'], string>> = {
  waiting: "item.state IN ('waiting', 'sent')",
  done: "item.state = 'done'",
  unchanged: "item.state = 'unchanged'",
  failed: "item.state = 'failed'",
  cancelled: "item.state = 'cancelled'",
}

type Counted = 'total' | 'done' | 'unchanged' | 'failed' | 'cancelled'

export type ChangeRecord = Omit<Change, 'rate' | 'secondsLeft' | 'canUndo'> & {
  /** A later change altered the same webhooks, so this one can be neither resumed nor undone. */
  readonly isSuperseded: boolean
  readonly hasActed: boolean
}

export type ChangedWebhook = {
  readonly place: number
  /** Null until the webhook is created. */
  readonly id: string | null
  readonly endpoint: string
  /** Ids of all webhooks before the creation began; null before that. */
  readonly knownBefore: readonly string[] | null
}

export type NewChange = Pick<ChangeRecord, 'network' | 'kind' | 'name' | 'createdAt' | 'undoes'> & {
  readonly webhooks: readonly { readonly id: string | null; readonly endpoint: string }[]
}

export function createChanges(database: Database) {
  const sql = createSql(database, { knownBefore: json })
  const hasActed = `EXISTS (
    SELECT 1 FROM change_items AS item INDEXED BY change_items_state WHERE item.change_id = changes.id
      AND item.state IN ('done', 'sent') AND item.act <> 'create')`
  const select = `SELECT id, network, kind, name, created_at, finished_at, state, problem, undoes,
    undone_by, is_superseded, ${hasActed} AS has_acted,
    json_object('total', total, 'waiting', total - done - unchanged - failed - cancelled,
      'done', done, 'unchanged', unchanged, 'failed', failed) AS counts,
    (SELECT json_group_array(json_object('id', webhook, 'endpoint', endpoint) ORDER BY place)
      FROM change_webhooks WHERE change_id = changes.id) AS webhooks
    FROM changes WHERE is_whole = 1`

  const webhooks = (id: number) =>
    sql.all<ChangedWebhook>(
      `SELECT place, webhook AS id, endpoint, known_before FROM change_webhooks
       WHERE change_id = ? ORDER BY place`,
      id,
    )

  return {
    ...createJobTable(database, 'changes', select, (change: ChangeRecord) => change, {
      counts: json,
      webhooks: json,
    }),
    /** The change is not listed before `finish`, because its items are still being written. */
    begin: ({ network, kind, name, createdAt, undoes, webhooks: named }: NewChange): number =>
      sql.transaction(() => {
        const change = { network, kind, name, createdAt, undoes, state: 'running' }
        const changeId = sql.insert('changes', change)
        sql.insertAll(
          'change_webhooks',
          named.map(({ id: webhook, endpoint }, place) => ({ changeId, place, webhook, endpoint })),
        )
        return changeId
      }),
    /** From here on, the change that this one undoes counts as undone. */
    finish: (id: number) =>
      sql.transaction(() => {
        sql.update('changes', { isWhole: true }, { id })
        sql.run(
          'UPDATE changes SET undone_by = $id WHERE id = (SELECT undoes FROM changes WHERE id = $id)',
          { id },
        )
      }),
    webhooks,
    beginCreation: (changeId: number, place: number, known: readonly string[]) =>
      void sql.update('change_webhooks', { knownBefore: known }, { changeId, place }),
    setWebhook: (changeId: number, place: number, webhook: string) =>
      void sql.update('change_webhooks', { webhook }, { changeId, place }),
    /** Supersedes the webhooks' other changes that have begun. @returns the ids that became superseded */
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
