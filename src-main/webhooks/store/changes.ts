import type { Change } from '../../../src-preload/contract/subscription.ts'
import type { Database } from '../../database/database.ts'
import { createSql, json } from '../../database/sql.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'

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
