import { setImmediate } from 'node:timers/promises'
import type { MoveStep, WebhookMove } from '../../../src-preload/contract/webhook.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Database, createSql, json } from '../../database/sql.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'

export type MoveRecord = WebhookMove & {
  readonly knownBefore: ReadonlySet<string>
  /** The time at which the subscriptions of both webhooks became equal; null while they differ. */
  readonly levelAt: number | null
  readonly isForced: boolean
}

export type MoveChange = Partial<
  Pick<
    MoveRecord,
    'step' | 'state' | 'problem' | 'copied' | 'total' | 'undelivered' | 'levelAt' | 'isForced'
  > & { toId: string | null; fromEndpoint: string; finishedAt: number | null }
>

/** The kinds of subscriptions that the move created for the new webhook. Flags have an empty subject. */
type SubjectKind = 'account' | 'opcode' | 'mempool' | 'new-contracts'

const codecs = {
  knownBefore: {
    decode: (text: unknown) => new Set(JSON.parse(text as string) as string[]),
    encode: (ids: Iterable<string>) => JSON.stringify([...ids]),
  },
  from: json,
  to: json,
}

const select = `SELECT id, network, json_object('id', from_id, 'endpoint', from_endpoint) AS "from",
  json_object('id', to_id, 'endpoint', to_endpoint) AS "to", step, state, problem, copied, total,
  undelivered, created_at, finished_at, known_before, level_at, is_forced FROM webhook_moves WHERE 1`

export type Moves = ReturnType<typeof createMoves>

export function createMoves(database: Database) {
  const sql = createSql(database, codecs)

  const removeSubjectsOf = (moveId: number) =>
    sql.removeSome('webhook_move_subjects', 'move_id, kind, subject', { moveId })

  return {
    ...createJobTable(database, 'webhook_moves', select, (move: MoveRecord) => move, codecs),
    /** A rollback continues to its end, even while it waits for the user. */
    setState: (id: number, { state, problem }: Pick<MoveRecord, 'problem'> & { state: string }) =>
      void sql.run(
        `UPDATE webhook_moves SET problem = $problem,
           state = CASE WHEN state = 'rolling-back' THEN state ELSE $state END WHERE id = $id`,
        { id, problem, state: state === 'failed' ? 'paused' : state },
      ),
    removeSubjectsOf,
    async forgetSubjects(id: number): Promise<void> {
      while (removeSubjectsOf(id)) await setImmediate()
    },
    add: (move: {
      readonly network: NetworkId
      readonly fromId: string
      readonly fromEndpoint: string
      readonly toEndpoint: string
      readonly total: number | null
      readonly knownBefore: Iterable<string>
      readonly createdAt: number
    }): number => sql.insert('webhook_moves', move),
    open: () =>
      sql.all<MoveRecord>(`${select} AND state NOT IN ('done', 'rolled-back') ORDER BY id`),
    change(id: number, change: MoveChange): void {
      if (Object.keys(change).length > 0) sql.update('webhook_moves', change, { id })
    },
    beginAnew(id: number, listed: readonly { readonly id: string }[]): void {
      const begun = { step: 'create', toId: null, copied: 0, undelivered: 0, levelAt: null }
      const knownBefore = listed.map((webhook) => webhook.id)
      sql.update('webhook_moves', { ...begun, knownBefore }, { id })
    },
    addSubjects: (moveId: number, kind: SubjectKind, subjects: readonly string[]) =>
      void sql.run(
        `INSERT OR IGNORE INTO webhook_move_subjects (move_id, kind, subject)
         SELECT ?, ?, value FROM json_each(?)`,
        ...[moveId, kind, JSON.stringify(subjects)],
      ),
    removeSubjects: (moveId: number, kind: SubjectKind, subjects: readonly string[]) =>
      void sql.run(
        `DELETE FROM webhook_move_subjects WHERE move_id = ? AND kind = ?
           AND subject IN (SELECT value FROM json_each(?))`,
        ...[moveId, kind, JSON.stringify(subjects)],
      ),
    subjects: (id: number, kind: SubjectKind, after: string, limit: number) =>
      sql.column<string>(
        `SELECT subject FROM webhook_move_subjects WHERE move_id = ? AND kind = ? AND subject > ?
         ORDER BY subject LIMIT ?`,
        ...[id, kind, after, limit],
      ),
    hasFlag: (id: number, kind: 'mempool' | 'new-contracts'): boolean =>
      sql.exists("webhook_move_subjects WHERE move_id = ? AND kind = ? AND subject = ''", id, kind),
    /** Exchanges all rows of the two webhooks and stores the step, in one transaction. */
    switchOver: (id: number, [from, to]: readonly [number, number], step: MoveStep) =>
      sql.transaction(() => {
        database.exec('PRAGMA defer_foreign_keys = ON')
        const read = [from, to].map((key) =>
          sql.get<{ failing: number; subscriptionsReadAt: number | null }>(
            'SELECT failing, subscriptions_read_at FROM webhooks WHERE key = ?',
            key,
          ),
        )
        sql.update('webhooks', { key: passing }, { key: from })
        sql.update('webhooks', { key: from }, { key: to })
        sql.update('webhooks', { key: to }, { key: passing })
        // Subscription rows refer to the key, so the results of reading them are moved too.
        for (const [at, key] of [from, to].entries()) {
          const known = read[at]
          if (known !== undefined && known !== null) sql.update('webhooks', known, { key })
        }
        sql.update('webhook_moves', { step }, { id })
      }),
    /**
     * Returns the last of the next accounts after `after`, and how many of them have an event that
     * failed or that only the new webhook has delivered. Null at the end.
     */
    undelivered(
      keys: { readonly from: number; readonly to: number },
      after: string,
      limit: number,
    ): { readonly last: string; readonly count: number } | null {
      const values = { oldKey: keys.from, newKey: keys.to, after, limit }
      const found = sql.get<{ last: string | null; count: number }>(countUndelivered, values)
      const last = found?.last ?? null
      return last === null ? null : { last, count: found?.count ?? 0 }
    },
  }
}

/** A key that no webhook has, because keys start at 1. */
const passing = -1

/** Unsigned numbers are stored signed: the upper half is negative. */
const countUndelivered = `SELECT max(account) AS last, sum(is_undelivered) AS count FROM (
  SELECT o.account, o.is_failing = 1 OR (n.account IS NOT NULL AND
    (o.last_delivered_lt < n.last_delivered_lt) <>
    ((o.last_delivered_lt < 0) <> (n.last_delivered_lt < 0))) AS is_undelivered
  FROM subscriptions o LEFT JOIN subscriptions n ON n.webhook_key = $newKey AND n.account = o.account
  WHERE o.webhook_key = $oldKey AND o.account > $after ORDER BY o.account LIMIT $limit)`
