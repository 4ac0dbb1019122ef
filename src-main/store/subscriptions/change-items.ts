import type { ChangeItem } from '../../../src-preload/contract/index.ts'
import type { Database } from '../database.ts'
import { transaction } from '../database.ts'

/** What a change is to do; `webhook` is a place of the change. */
export type Deed = Pick<ChangeItem, 'act' | 'what' | 'subject' | 'label'> & {
  readonly webhook: number
}

export type NewItem = Deed & {
  /** Known from the beginning; null where it waits. */
  readonly unchanged: string | null
}

/** An item that is not settled. */
export type OpenItem = Deed & {
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

/** Items of changes, each change in an order of its own. Every call is one short transaction. */
export type ChangeItems = {
  /** Behind those there are. */
  add(change: number, items: readonly NewItem[]): void
  /** The first that are open, in their order. */
  open(change: number, limit: number): OpenItem[]
  /** They are about to go out. */
  send(change: number, indexes: readonly number[]): void
  settle(change: number, settled: Settled): void
  /** What still waits is not done any more. */
  cancel(change: number): void
  /** Failed ones wait again. */
  retry(change: number): void
  /** What the change itself did, as far as is known; last first, those before `before`. */
  acted(change: number, before: number, limit: number): (Deed & { readonly index: number })[]
  page(
    change: number,
    state: ChangeItem['state'] | null,
    offset: number,
    limit: number,
  ): { total: number; items: ChangeItem[] }
  /** Whether some of a webhook are still open. */
  hasOpen(change: number, webhook: number, what: ChangeItem['what']): boolean
  /** Changes that are no more yet have items, or were never whole. */
  orphans(): number[]
  /** Removes some items of a change; false when there are none left. */
  removeSome(change: number): boolean
}

const removedAtOnce = 2000

export function createChangeItems(database: Database): ChangeItems {
  const nextIndex = database.prepare(
    'SELECT coalesce(max(idx) + 1, 0) AS idx FROM change_items WHERE change_id = ?',
  )
  const insert = database.prepare(
    `INSERT INTO change_items (change_id, idx, webhook, act, what, subject, label, state, reason)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const count = database.prepare(
    `UPDATE changes SET total = total + $total, done = done + $done,
       unchanged = unchanged + $unchanged, failed = failed + $failed,
       cancelled = cancelled + $cancelled
     WHERE id = $id`,
  )
  const open = database.prepare(
    `SELECT * FROM change_items WHERE change_id = ? AND state IN ('waiting', 'sent')
     ORDER BY idx LIMIT ?`,
  )
  const setState = database.prepare(
    `UPDATE change_items SET state = ?, reason = ?
     WHERE change_id = ? AND idx = ? AND state IN ('waiting', 'sent')`,
  )
  const cancel = database.prepare(
    `UPDATE change_items SET state = 'cancelled' WHERE change_id = ? AND state = 'waiting'`,
  )
  const retry = database.prepare(
    `UPDATE change_items SET state = 'waiting', reason = NULL
     WHERE change_id = ? AND state = 'failed'`,
  )
  const acted = database.prepare(
    `SELECT * FROM change_items
     WHERE change_id = ? AND idx < ? AND state IN ('done', 'sent') ORDER BY idx DESC LIMIT ?`,
  )
  const shown = `CASE state WHEN 'sent' THEN 'waiting' ELSE state END`
  const total = database.prepare(
    `SELECT count(*) AS total FROM change_items
     WHERE change_id = $change AND ($state IS NULL OR ${shown} = $state)`,
  )
  const page = database.prepare(
    `SELECT item.*, ${shown} AS shown, named.webhook AS id, named.endpoint AS endpoint
     FROM change_items AS item
     JOIN change_webhooks AS named
       ON named.change_id = item.change_id AND named.place = item.webhook
     WHERE item.change_id = $change AND ($state IS NULL OR ${shown} = $state)
     ORDER BY item.idx LIMIT $limit OFFSET $offset`,
  )
  const openOne = database.prepare(
    `SELECT 1 FROM change_items
     WHERE change_id = ? AND webhook = ? AND what = ? AND state IN ('waiting', 'sent')
     LIMIT 1`,
  )
  // One step from change to change: DISTINCT would read every item there is.
  const orphans = database.prepare(
    `WITH RECURSIVE ids (id) AS (
       SELECT min(change_id) FROM change_items
       UNION ALL
       SELECT (SELECT min(change_id) FROM change_items WHERE change_id > id)
       FROM ids WHERE id IS NOT NULL
     )
     SELECT id FROM ids
     WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM changes WHERE is_whole = 1)
     UNION SELECT id FROM changes WHERE is_whole = 0`,
  )
  const first = database.prepare('SELECT min(idx) AS idx FROM change_items WHERE change_id = ?')
  const remove = database.prepare('DELETE FROM change_items WHERE change_id = ? AND idx < ?')
  const removeUnfinished = database.prepare('DELETE FROM changes WHERE id = ? AND is_whole = 0')

  function tally(change: number, counts: Partial<Record<Counted, number>>): void {
    count.run({
      $id: change,
      $total: counts.total ?? 0,
      $done: counts.done ?? 0,
      $unchanged: counts.unchanged ?? 0,
      $failed: counts.failed ?? 0,
      $cancelled: counts.cancelled ?? 0,
    })
  }

  const set = (change: number, index: number, state: string, reason: string | null = null) =>
    Number(setState.run(state, reason, change, index).changes)

  const setAll = (change: number, indexes: readonly number[] = [], state: string) =>
    indexes.reduce((sum, index) => sum + set(change, index, state), 0)

  return {
    add(change, items) {
      transaction(database, () => {
        let index = Number(nextIndex.get(change)?.['idx'])
        let unchanged = 0
        for (const item of items) {
          const state = item.unchanged === null ? 'waiting' : 'unchanged'
          const { webhook, act, what, subject, label } = item
          insert.run(change, index, webhook, act, what, subject, label, state, item.unchanged)
          if (item.unchanged !== null) unchanged += 1
          index += 1
        }
        tally(change, { total: items.length, unchanged })
      })
    },
    open: (change, limit) =>
      open.all(change, limit).map((row) => ({
        ...toDeed(row),
        index: row['idx'] as number,
        isSent: row['state'] === 'sent',
      })),
    send(change, indexes) {
      transaction(database, () => void setAll(change, indexes, 'sent'))
    },
    settle(change, settled) {
      transaction(database, () => {
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
      })
    },
    cancel(change) {
      transaction(database, () => tally(change, { cancelled: Number(cancel.run(change).changes) }))
    },
    retry(change) {
      transaction(database, () => tally(change, { failed: -Number(retry.run(change).changes) }))
    },
    acted: (change, before, limit) =>
      acted
        .all(change, before, limit)
        .map((row) => ({ ...toDeed(row), index: row['idx'] as number })),
    page(change, state, offset, limit) {
      const asked = { $change: change, $state: state }
      return {
        total: Number(total.get(asked)?.['total']),
        items: page.all({ ...asked, $offset: offset, $limit: limit }).map(toItem),
      }
    },
    hasOpen: (change, webhook, what) => openOne.get(change, webhook, what) !== undefined,
    orphans: () => orphans.all().map((row) => row['id'] as number),
    removeSome(change) {
      const from = first.get(change)?.['idx']
      if (typeof from !== 'number') {
        removeUnfinished.run(change)
        return false
      }
      remove.run(change, from + removedAtOnce)
      return true
    },
  }
}

type Counted = 'total' | 'done' | 'unchanged' | 'failed' | 'cancelled'

function toDeed(row: Record<string, unknown>): Deed {
  return {
    webhook: row['webhook'] as number,
    act: row['act'] as Deed['act'],
    what: row['what'] as Deed['what'],
    subject: row['subject'] as string,
    label: row['label'] as string | null,
  }
}

function toItem(row: Record<string, unknown>): ChangeItem {
  const { act, what, subject, label } = toDeed(row)
  return {
    index: row['idx'] as number,
    webhook: row['id'] as string | null,
    endpoint: row['endpoint'] as string,
    act,
    what,
    subject,
    label,
    state: row['shown'] as ChangeItem['state'],
    reason: row['reason'] as string | null,
  }
}
