import type { SQLInputValue } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { MoveStep, WebhookMove } from '../../../src-preload/contract/webhook.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Database, transaction } from '../../database/database.ts'

export type MoveRecord = WebhookMove & {
  /** Ids of webhooks that the move has not made. */
  readonly knownBefore: ReadonlySet<string>
  /** Since when the new webhook is subscribed to all that the old one is; null while it is not. */
  readonly levelAt: number | null
  readonly isForced: boolean
}

export type MoveChange = Partial<
  Pick<
    MoveRecord,
    'step' | 'state' | 'problem' | 'copied' | 'total' | 'undelivered' | 'levelAt' | 'isForced'
  > & { toId: string | null; fromEndpoint: string; finishedAt: number | null }
>

/** What the move has subscribed the new webhook to. Flags have an empty subject. */
type SubjectKind = 'account' | 'opcode' | 'mempool' | 'new-contracts'

export type Moves = {
  add(move: {
    readonly network: NetworkId
    readonly from: { readonly id: string; readonly endpoint: string }
    readonly endpoint: string
    readonly knownBefore: Iterable<string>
    readonly createdAt: number
  }): number
  get(id: number): MoveRecord | null
  /** Newest first. */
  list(network: NetworkId): MoveRecord[]
  /** Those of any network that are neither done nor rolled back. */
  open(): MoveRecord[]
  change(id: number, change: MoveChange): void
  /** Another is to be made: what was subscribed went with the one before. */
  beginAnew(id: number, knownBefore: Iterable<string>): void
  addSubjects(id: number, kind: SubjectKind, subjects: readonly string[]): void
  removeSubjects(id: number, kind: SubjectKind, subjects: readonly string[]): void
  /** In their order, those after `after`. */
  subjects(id: number, kind: SubjectKind, after: string, limit: number): string[]
  hasFlag(id: number, kind: 'mempool' | 'new-contracts'): boolean
  /** In steps, for there may be many. */
  forgetSubjects(id: number): Promise<void>
  /**
   * All that hangs on one webhook hangs on the other from now on, and the other way round. With the
   * step, all or nothing.
   */
  switchOver(id: number, keys: readonly [number, number], step: MoveStep): void
  /**
   * Of so many accounts of the old webhook after `after`: the last one, and how many of them have an
   * event that it has not delivered, as far as both webhooks were read. An event failed, or
   * the new one has delivered a later event than the old one. Null at the end.
   */
  undelivered(
    keys: { readonly from: number; readonly to: number },
    after: string,
    limit: number,
  ): { readonly last: string; readonly count: number } | null
  /** With all their moves. */
  forget(network: NetworkId): Promise<void>
}

/** Rows a step: deliveries are written between two of them. */
const stepRows = 1000

export function createMoves(database: Database): Moves {
  const insert = database.prepare(
    `INSERT INTO webhook_moves
       (network, from_id, from_endpoint, to_endpoint, known_before, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const one = database.prepare('SELECT * FROM webhook_moves WHERE id = ?')
  const list = database.prepare('SELECT * FROM webhook_moves WHERE network = ? ORDER BY id DESC')
  const open = database.prepare(
    `SELECT * FROM webhook_moves WHERE state NOT IN ('done', 'rolled-back') ORDER BY id`,
  )
  const beginAnew = database.prepare(
    `UPDATE webhook_moves SET step = 'create', to_id = NULL, known_before = ?, copied = 0,
       undelivered = 0, level_at = NULL WHERE id = ?`,
  )
  const addSubject = database.prepare(
    'INSERT OR IGNORE INTO webhook_move_subjects (move_id, kind, subject) VALUES (?, ?, ?)',
  )
  const removeSubject = database.prepare(
    'DELETE FROM webhook_move_subjects WHERE move_id = ? AND kind = ? AND subject = ?',
  )
  const subjects = database.prepare(
    `SELECT subject FROM webhook_move_subjects WHERE move_id = ? AND kind = ? AND subject > ?
     ORDER BY subject LIMIT ?`,
  )
  const flag = database.prepare(
    `SELECT subject FROM webhook_move_subjects WHERE move_id = ? AND kind = ? AND subject = ''`,
  )
  const forgetSubjects = database.prepare(
    `DELETE FROM webhook_move_subjects WHERE move_id = ? AND (kind, subject) IN
       (SELECT kind, subject FROM webhook_move_subjects WHERE move_id = ? LIMIT ${stepRows})`,
  )
  const forget = database.prepare('DELETE FROM webhook_moves WHERE network = ?')
  const setKey = database.prepare('UPDATE webhooks SET key = ? WHERE key = ?')
  const read = database.prepare('SELECT failing, subscriptions_read_at FROM webhooks WHERE key = ?')
  const setRead = database.prepare(
    'UPDATE webhooks SET failing = ?, subscriptions_read_at = ? WHERE key = ?',
  )
  const setStep = database.prepare('UPDATE webhook_moves SET step = ? WHERE id = ?')
  // Unsigned numbers in signed columns: those of the upper half come last.
  const undelivered = database.prepare(
    `SELECT max(account) AS last, sum(is_undelivered) AS count FROM (
       SELECT o.account, o.is_failing = 1 OR (n.account IS NOT NULL AND
         (o.last_delivered_lt < n.last_delivered_lt) <>
         ((o.last_delivered_lt < 0) <> (n.last_delivered_lt < 0))) AS is_undelivered
       FROM subscriptions o
       LEFT JOIN subscriptions n ON n.webhook_key = ? AND n.account = o.account
       WHERE o.webhook_key = ? AND o.account > ? ORDER BY o.account LIMIT ?)`,
  )

  async function clearSubjects(id: number): Promise<void> {
    while (Number(forgetSubjects.run(id, id).changes) > 0) await setImmediate()
  }

  return {
    add({ network, from, endpoint, knownBefore, createdAt }) {
      const known = JSON.stringify([...knownBefore])
      const added = insert.run(network, from.id, from.endpoint, endpoint, known, createdAt)
      return Number(added.lastInsertRowid)
    },
    get(id) {
      const row = one.get(id)
      return row === undefined ? null : toMove(row)
    },
    list: (network) => list.all(network).map(toMove),
    open: () => open.all().map(toMove),
    change(id, change) {
      const fields = Object.entries(change) as [keyof MoveChange, MoveChange[keyof MoveChange]][]
      if (fields.length === 0) return
      const set = fields.map(([field]) => `${columns[field]} = ?`).join(', ')
      const values = fields.map(([, value]) => (typeof value === 'boolean' ? Number(value) : value))
      database
        .prepare(`UPDATE webhook_moves SET ${set} WHERE id = ?`)
        .run(...(values as SQLInputValue[]), id)
    },
    beginAnew: (id, knownBefore) => void beginAnew.run(JSON.stringify([...knownBefore]), id),
    addSubjects(id, kind, all) {
      transaction(database, () => {
        for (const subject of all) addSubject.run(id, kind, subject)
      })
    },
    removeSubjects(id, kind, all) {
      transaction(database, () => {
        for (const subject of all) removeSubject.run(id, kind, subject)
      })
    },
    subjects: (id, kind, after, limit) =>
      subjects.all(id, kind, after, limit).map((row) => row['subject'] as string),
    hasFlag: (id, kind) => flag.get(id, kind) !== undefined,
    forgetSubjects: clearSubjects,
    switchOver(id, [from, to], step) {
      transaction(database, () => {
        database.exec('PRAGMA defer_foreign_keys = ON')
        const known = [from, to].map((key) => [key, read.get(key)] as const)
        setKey.run(passing, from)
        setKey.run(from, to)
        setKey.run(to, passing)
        // What was read of the subscriptions hangs on the key, as they do.
        for (const [key, row] of known) {
          setRead.run(row?.['failing'] as number, row?.['subscriptions_read_at'] as number, key)
        }
        setStep.run(step, id)
      })
    },
    undelivered({ from, to }, after, limit) {
      const row = undelivered.get(to, from, after, limit)
      const last = (row?.['last'] ?? null) as string | null
      return last === null ? null : { last, count: Number(row?.['count']) }
    },
    async forget(network) {
      const ids = list.all(network).map((row) => row['id'] as number)
      forget.run(network)
      for (const id of ids) await clearSubjects(id)
    },
  }
}

/** No webhook has it: keys begin at 1. */
const passing = -1

const columns: Readonly<Record<keyof MoveChange, string>> = {
  step: 'step',
  state: 'state',
  problem: 'problem',
  copied: 'copied',
  total: 'total',
  undelivered: 'undelivered',
  levelAt: 'level_at',
  isForced: 'is_forced',
  toId: 'to_id',
  fromEndpoint: 'from_endpoint',
  finishedAt: 'finished_at',
}

function toMove(row: Record<string, unknown>): MoveRecord {
  return {
    id: row['id'] as number,
    network: row['network'] as string,
    from: { id: row['from_id'] as string, endpoint: row['from_endpoint'] as string },
    to: { id: row['to_id'] as string | null, endpoint: row['to_endpoint'] as string },
    step: row['step'] as MoveStep,
    state: row['state'] as WebhookMove['state'],
    problem: row['problem'] as string | null,
    copied: row['copied'] as number,
    total: row['total'] as number | null,
    undelivered: row['undelivered'] as number,
    createdAt: row['created_at'] as number,
    finishedAt: row['finished_at'] as number | null,
    knownBefore: new Set(JSON.parse(row['known_before'] as string) as string[]),
    levelAt: row['level_at'] as number | null,
    isForced: row['is_forced'] === 1,
  }
}
