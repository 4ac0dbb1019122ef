import type { Change, ChangeItem } from '../../../src-preload/contract/subscription.ts'
import { type Database, createSql, distinctIds, json } from '../../database/sql.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'

/** One item of a change; `webhook` is the index of the webhook in the change. */
export type Action = Pick<ChangeItem, 'act' | 'what' | 'subject' | 'label'> & {
  readonly webhook: number
}

/** @property unchanged why nothing is sent for the item */
export type NewItem = Action & { readonly unchanged?: string }

export type OpenItem = Action & {
  readonly index: number
  /** The request was sent, but its result is unknown. */
  readonly isSent: boolean
}

/** Items are marked as sent before the request, so that the mark survives a kill. */
export type ItemResult = 'done' | 'unchanged' | 'failed' | 'sent' | 'waiting'

const atOnce = 2000
const action = 'webhook, act, what, subject, label'

type Counted = 'total' | 'done' | 'unchanged' | 'failed' | 'cancelled'

export type ChangeItems = ReturnType<typeof createChangeItems>

export function createChangeItems(database: Database) {
  const sql = createSql(database)

  function tally(change: number, counts: Partial<Record<Counted, number>>): void {
    const zeros = { total: 0, done: 0, unchanged: 0, failed: 0, cancelled: 0 }
    sql.run(addCounts, { ...zeros, ...counts, change })
  }

  return {
    add: (change: number, items: readonly NewItem[]) =>
      sql.transaction(() => {
        const first = sql.value<number>(
          'SELECT coalesce(max(idx) + 1, 0) FROM change_items WHERE change_id = ?',
          change,
        ) as number
        const rows = items.map(({ unchanged: reason = null, ...item }, index) => {
          const { webhook, act, what, subject, label } = item
          const state = reason === null ? 'waiting' : 'unchanged'
          const idx = first + index
          return { changeId: change, idx, webhook, act, what, subject, label, state, reason }
        })
        sql.insertAll('change_items', rows)
        const unchanged = rows.filter(({ reason }) => reason !== null).length
        tally(change, { total: items.length, unchanged })
      }),
    open: (change: number, limit: number) =>
      sql.all<OpenItem>(
        `SELECT idx AS "index", ${action}, state = 'sent' AS is_sent FROM change_items
         WHERE change_id = ? AND state IN ('waiting', 'sent') ORDER BY idx LIMIT ?`,
        ...[change, limit],
      ),
    settle: (
      change: number,
      items: readonly Pick<OpenItem, 'index'>[],
      state: ItemResult,
      reason: string | null = null,
    ) =>
      sql.transaction(() => {
        let settled = 0
        for (const { index } of items)
          settled += sql.run(setState, { change, index, state, reason })
        if (state !== 'sent' && state !== 'waiting') tally(change, { [state]: settled })
      }),
    cancelSome: (change: number): boolean =>
      sql.transaction(() => {
        const cancelled = sql.run(moveSome, { change, from: 'waiting', to: 'cancelled' })
        tally(change, { cancelled })
        return cancelled > 0
      }),
    retrySome: (change: number): boolean =>
      sql.transaction(() => {
        const retried = sql.run(moveSome, { change, from: 'failed', to: 'waiting' })
        tally(change, { failed: -retried })
        return retried > 0
      }),
    /** Returns items that the change itself applied, last first, below the index `before`. */
    acted: (change: number, before: number, limit: number) =>
      sql.all<Action & { readonly index: number }>(
        `SELECT idx AS "index", ${action} FROM change_items
         WHERE change_id = ? AND idx < ? AND state IN ('done', 'sent') ORDER BY idx DESC LIMIT ?`,
        ...[change, before, limit],
      ),
    page(change: number, state: ChangeItem['state'] | null, offset: number, limit: number) {
      const where = state === null ? 'true' : shownAs[state]
      const total = sql.count(`change_items AS item WHERE change_id = ? AND ${where}`, change)
      return { total, items: sql.all<ChangeItem>(pageOf(where), change, limit, offset) }
    },
    hasOpen: (change: number, webhook: number, what: ChangeItem['what']): boolean =>
      sql.exists(
        `change_items
         WHERE change_id = ? AND webhook = ? AND what = ? AND state IN ('waiting', 'sent')`,
        ...[change, webhook, what],
      ),
    /** Returns ids of changes that were removed or never completely written, and still have items. */
    orphans: () =>
      sql.column<number>(
        `${distinctIds('change_items', 'change_id')}
         WHERE id NOT IN (SELECT id FROM changes WHERE is_whole = 1)
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

const addCounts = `UPDATE changes SET total = total + $total, done = done + $done,
    unchanged = unchanged + $unchanged, failed = failed + $failed, cancelled = cancelled + $cancelled
  WHERE id = $change`

const moveSome = `UPDATE change_items SET state = $to, reason = NULL
  WHERE change_id = $change AND idx IN (
    SELECT idx FROM change_items WHERE change_id = $change AND state = $from LIMIT ${atOnce})`

const setState = `UPDATE change_items SET state = $state, reason = $reason
  WHERE change_id = $change AND idx = $index AND state IN ('waiting', 'sent')`

/** The page's items are selected first, so that an index skips the rows before it. */
const pageOf = (where: string) =>
  `SELECT item.idx AS "index", named.webhook, named.endpoint, item.act, item.what,
     item.subject, item.label, replace(item.state, 'sent', 'waiting') AS state, item.reason
   FROM (SELECT item.change_id, item.idx FROM change_items AS item
         WHERE item.change_id = ? AND ${where} ORDER BY item.idx LIMIT ? OFFSET ?) AS found
   CROSS JOIN change_items AS item USING (change_id, idx)
   JOIN change_webhooks AS named ON named.change_id = item.change_id AND named.place = item.webhook
   ORDER BY item.idx`

/** Each condition has exactly the text of its partial index, so that SQLite uses the index. */
const shownAs: Readonly<Record<ChangeItem['state'], string>> = {
  waiting: "item.state IN ('waiting', 'sent')",
  done: "item.state = 'done'",
  unchanged: "item.state = 'unchanged'",
  failed: "item.state = 'failed'",
  cancelled: "item.state = 'cancelled'",
}

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
    /** After this call, the change that this one undoes counts as undone. */
    finish: (id: number) =>
      sql.transaction(() => {
        sql.update('changes', { isWhole: true }, { id })
        sql.run(
          'UPDATE changes SET undone_by = $id WHERE id = (SELECT undoes FROM changes WHERE id = $id)',
          { id },
        )
      }),
    webhooks: (id: number) =>
      sql.all<ChangedWebhook>(
        `SELECT place, webhook AS id, endpoint, known_before FROM change_webhooks
         WHERE change_id = ? ORDER BY place`,
        id,
      ),
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
