import type { ChangeItem } from '../../../src-preload/contract/subscription.ts'
import { type Database, transaction } from '../../database/database.ts'

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

/** Items of changes, each change in an order of its own. Every call is one short transaction. */
export type ChangeItems = {
  /** Behind those there are. */
  add(change: number, items: readonly NewItem[]): void
  /** The first that are open, in their order. */
  open(change: number, limit: number): OpenItem[]
  /** They are about to go out. */
  send(change: number, indexes: readonly number[]): void
  settle(change: number, settled: Settled): void
  /** Some of what still waits is not done any more; false when none was left. */
  cancelSome(change: number): boolean
  /** Some that failed wait again; false when none was left. */
  retrySome(change: number): boolean
  /** What the change itself did, as far as is known; last first, those before `before`. */
  acted(change: number, before: number, limit: number): (Action & { readonly index: number })[]
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

const atOnce = 2000

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
  const moveSome = database.prepare(
    `UPDATE change_items SET state = $to, reason = NULL
     WHERE change_id = $change AND idx IN (
       SELECT idx FROM change_items WHERE change_id = $change AND state = $from LIMIT ${atOnce})`,
  )
  const acted = database.prepare(
    `SELECT * FROM change_items
     WHERE change_id = ? AND idx < ? AND state IN ('done', 'sent') ORDER BY idx DESC LIMIT ?`,
  )
  const total = (where: string) =>
    database.prepare(
      `SELECT count(*) AS total FROM change_items AS item WHERE change_id = ? AND ${where}`,
    )
  // The page's items first: what is before it is passed over in an index.
  const page = (where: string) =>
    database.prepare(
      `SELECT item.*, named.webhook AS id, named.endpoint AS endpoint
       FROM (SELECT item.change_id, item.idx FROM change_items AS item
             WHERE item.change_id = ? AND ${where} ORDER BY item.idx LIMIT ? OFFSET ?) AS found
       CROSS JOIN change_items AS item USING (change_id, idx)
       JOIN change_webhooks AS named
         ON named.change_id = item.change_id AND named.place = item.webhook
       ORDER BY item.idx`,
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

  const move = (change: number, from: string, to: string) =>
    Number(moveSome.run({ $change: change, $from: from, $to: to }).changes)

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
    cancelSome: (change) =>
      transaction(database, () => {
        const cancelled = move(change, 'waiting', 'cancelled')
        tally(change, { cancelled })
        return cancelled > 0
      }),
    retrySome: (change) =>
      transaction(database, () => {
        const retried = move(change, 'failed', 'waiting')
        tally(change, { failed: -retried })
        return retried > 0
      }),
    acted: (change, before, limit) =>
      acted
        .all(change, before, limit)
        .map((row) => ({ ...toDeed(row), index: row['idx'] as number })),
    page(change, state, offset, limit) {
      const where = state === null ? 'true' : shownAs[state]
      return {
        total: Number(total(where).get(change)?.['total']),
        items: page(where).all(change, limit, offset).map(toItem),
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
      remove.run(change, from + atOnce)
      return true
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

function toDeed(row: Record<string, unknown>): Action {
  return {
    webhook: row['webhook'] as number,
    act: row['act'] as Action['act'],
    what: row['what'] as Action['what'],
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
    state: row['state'] === 'sent' ? 'waiting' : (row['state'] as ChangeItem['state']),
    reason: row['reason'] as string | null,
  }
}
