import type { Change } from '../../../src-preload/contract/subscription.ts'
import type { JobState } from '../../../src-preload/contract/lookup.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Database, transaction } from '../../database/database.ts'

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

export type Changes = {
  /** Running, and not listed before `finish`: its items have still to be written. Ids are never used twice. */
  begin(change: NewChange): number
  /** From now on what it undoes counts as undone. */
  finish(id: number): void
  /** Newest first; without a network: of all. */
  list(network: NetworkId | null): ChangeRecord[]
  get(id: number): ChangeRecord | null
  setState(
    id: number,
    change: {
      readonly state: JobState
      readonly problem: string | null
      readonly finishedAt: number | null
    },
  ): void
  webhooks(id: number): ChangedWebhook[]
  /** A webhook is about to be created; `known` are the ids there are. */
  beginCreation(id: number, place: number, known: readonly string[]): void
  setWebhook(id: number, place: number, webhook: string): void
  /**
   * It is about to alter its webhooks: from now on it is the last, and no other of them counts but
   * those that have still to begin.
   * @returns those that counted until now
   */
  supersedeOthers(id: number): number[]
  /** Its items stay: see `ChangeItems.orphans`. */
  remove(id: number): void
}

export function createChanges(database: Database): Changes {
  const hasActed = `EXISTS (
    SELECT 1 FROM change_items AS item INDEXED BY change_items_state WHERE item.change_id = changes.id
      AND item.state IN ('done', 'sent') AND item.act <> 'create')`
  const columns = `changes.*, ${hasActed} AS has_acted`
  const insert = database.prepare(
    `INSERT INTO changes (network, kind, name, created_at, state, undoes)
     VALUES (?, ?, ?, ?, 'running', ?)`,
  )
  const insertWebhook = database.prepare(
    'INSERT INTO change_webhooks (change_id, place, webhook, endpoint) VALUES (?, ?, ?, ?)',
  )
  const finish = database.prepare('UPDATE changes SET is_whole = 1 WHERE id = ?')
  const undo = database.prepare(
    'UPDATE changes SET undone_by = $id WHERE id = (SELECT undoes FROM changes WHERE id = $id)',
  )
  const list = database.prepare(
    `SELECT ${columns} FROM changes
     WHERE is_whole = 1 AND ($network IS NULL OR network = $network) ORDER BY id DESC`,
  )
  const one = database.prepare(`SELECT ${columns} FROM changes WHERE id = ? AND is_whole = 1`)
  const setState = database.prepare(
    'UPDATE changes SET state = ?, problem = ?, finished_at = ? WHERE id = ?',
  )
  const webhooks = database.prepare(
    'SELECT * FROM change_webhooks WHERE change_id = ? ORDER BY place',
  )
  const beginCreation = database.prepare(
    'UPDATE change_webhooks SET known_before = ? WHERE change_id = ? AND place = ?',
  )
  const setWebhook = database.prepare(
    'UPDATE change_webhooks SET webhook = ? WHERE change_id = ? AND place = ?',
  )
  const supersede = database.prepare(
    `UPDATE changes SET is_superseded = 1
     WHERE id <> $id AND is_superseded = 0
       AND network = (SELECT network FROM changes WHERE id = $id)
       AND id IN (
         SELECT theirs.change_id FROM change_webhooks AS own
         JOIN change_webhooks AS theirs ON theirs.webhook = own.webhook
         WHERE own.change_id = $id)
       AND (state <> 'running' OR ${hasActed})
     RETURNING id`,
  )
  const remove = database.prepare('DELETE FROM changes WHERE id = ?')

  function webhooksOf(id: number): ChangedWebhook[] {
    return webhooks.all(id).map((row) => ({
      place: row['place'] as number,
      id: row['webhook'] as string | null,
      endpoint: row['endpoint'] as string,
      knownBefore: JSON.parse((row['known_before'] as string | null) ?? 'null') as string[] | null,
    }))
  }

  function toChange(row: Record<string, unknown>): ChangeRecord {
    const id = row['id'] as number
    const [total, done, unchanged, failed, cancelled] = [
      row['total'] as number,
      row['done'] as number,
      row['unchanged'] as number,
      row['failed'] as number,
      row['cancelled'] as number,
    ]
    return {
      id,
      network: row['network'] as string,
      kind: row['kind'] as Change['kind'],
      name: row['name'] as string,
      createdAt: row['created_at'] as number,
      finishedAt: row['finished_at'] as number | null,
      state: row['state'] as JobState,
      problem: row['problem'] as string | null,
      webhooks: webhooksOf(id).map((each) => ({ id: each.id, endpoint: each.endpoint })),
      counts: {
        total,
        waiting: total - done - unchanged - failed - cancelled,
        done,
        unchanged,
        failed,
      },
      undoes: row['undoes'] as number | null,
      undoneBy: row['undone_by'] as number | null,
      isSuperseded: row['is_superseded'] === 1,
      hasActed: row['has_acted'] === 1,
    }
  }

  return {
    begin: ({ network, kind, name, createdAt, undoes, webhooks: named }) =>
      transaction(database, () => {
        const added = insert.run(network, kind, name, createdAt, undoes)
        const id = Number(added.lastInsertRowid)
        for (const [place, webhook] of named.entries()) {
          insertWebhook.run(id, place, webhook.id, webhook.endpoint)
        }
        return id
      }),
    finish(id) {
      transaction(database, () => {
        finish.run(id)
        undo.run({ $id: id })
      })
    },
    list: (network) => list.all({ $network: network }).map(toChange),
    get(id) {
      const row = one.get(id)
      return row === undefined ? null : toChange(row)
    },
    setState: (id, { state, problem, finishedAt }) =>
      void setState.run(state, problem, finishedAt, id),
    webhooks: webhooksOf,
    beginCreation: (id, place, known) => void beginCreation.run(JSON.stringify(known), id, place),
    setWebhook: (id, place, webhook) => void setWebhook.run(webhook, id, place),
    supersedeOthers: (id) => supersede.all({ $id: id }).map((row) => row['id'] as number),
    remove: (id) => void remove.run(id),
  }
}
