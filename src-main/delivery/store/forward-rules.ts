import type { ForwardMode } from '../../../src-preload/contract/forward.ts'
import { nextCaptureId } from '../../captures/store/capture-deletion.ts'
import { type Database, transaction } from '../../database/database.ts'

/** A rule as a person has made it; times in microseconds. */
type RuleFields = {
  readonly name: string
  readonly filter: string
  readonly targets: readonly string[]
  readonly mode: ForwardMode
  readonly enabled: boolean
  readonly keepHost: boolean
  readonly appendPath: boolean
  readonly timeoutSeconds: number
  readonly fullAnswer: boolean
  readonly giveUpHours: number | null
}

/** What is known of one target of a rule. Moments are microseconds. */
export type StoredTarget = {
  readonly id: number
  readonly url: string
  readonly waiting: number
  readonly delivered: number
  readonly dropped: number
  readonly lastStatus: number | null
  readonly lastProblem: string | null
  readonly lastTriedAt: number | null
  readonly downSince: number | null
}

export type StoredRule = Omit<RuleFields, 'targets'> & {
  readonly id: number
  readonly createdAt: number
  /** Captures up to this one have been looked at. */
  readonly reached: number
  /** Of one that is off, or passes through, the last capture that it still takes; null while it takes what arrives. */
  readonly upTo: number | null
  /** What arrived while it was so and is not taken: after the first of a pair, up to the second. */
  readonly gaps: readonly (readonly [after: number, upTo: number])[]
  /** Those in use, in the person’s order. */
  readonly targets: readonly StoredTarget[]
}

/** Rules and their targets. All but the send thread only read them. */
export type ForwardRules = {
  /** Those not removed, by id. */
  list(): StoredRule[]
  /** The names of all there were, by id. */
  names(): Map<number, string>
  /** Targets that a rule once had and for which something still waits. */
  abandoned(): number[]
  /**
   * Makes a rule, or changes the one with this id. One that is new, or enabled again, takes what
   * arrives from now on; one that is disabled what has arrived until now.
   */
  save(id: number | null, fields: RuleFields, now: number): number
  setEnabled(id: number, enabled: boolean): void
  remove(id: number, now: number): void
}

export function createForwardRules(database: Database): ForwardRules {
  const all = database.prepare('SELECT * FROM forward_rules WHERE removed_at IS NULL ORDER BY id')
  const one = database.prepare('SELECT * FROM forward_rules WHERE id = ?')
  const names = database.prepare('SELECT id, name FROM forward_rules')
  const targets = database.prepare(
    'SELECT * FROM forward_targets WHERE rule = ? AND is_used = 1 ORDER BY place',
  )
  const abandoned = database.prepare(
    'SELECT id FROM forward_targets WHERE is_used = 0 AND waiting > 0',
  )
  const insert = database.prepare(
    `INSERT INTO forward_rules (name, filter, mode, enabled, keep_host, append_path, timeout_seconds,
       full_answer, give_up_hours, created_at, reached, up_to)
     VALUES ($name, $filter, $mode, $enabled, $keepHost, $appendPath, $timeoutSeconds, $fullAnswer,
       $giveUpHours, $now, $newest,
       CASE WHEN $enabled = 1 AND $mode = 'after' THEN NULL ELSE $newest END)`,
  )
  const update = database.prepare(
    `UPDATE forward_rules SET name = $name, filter = $filter, mode = $mode, keep_host = $keepHost,
       append_path = $appendPath, timeout_seconds = $timeoutSeconds, full_answer = $fullAnswer,
       give_up_hours = $giveUpHours
     WHERE id = $id`,
  )
  const setEnabled = database.prepare('UPDATE forward_rules SET enabled = ? WHERE id = ?')
  const setTaken = database.prepare(
    'UPDATE forward_rules SET reached = ?, up_to = ?, gaps = ? WHERE id = ?',
  )
  const remove = database.prepare(
    'UPDATE forward_rules SET removed_at = ?, enabled = 0 WHERE id = ?',
  )
  const unuse = database.prepare('UPDATE forward_targets SET is_used = 0 WHERE rule = ?')
  const use = database.prepare(
    `INSERT INTO forward_targets (rule, url, place, is_used) VALUES (?, ?, ?, 1)
     ON CONFLICT (rule, url) DO UPDATE SET place = excluded.place, is_used = 1`,
  )

  function toRule(row: Record<string, unknown>): StoredRule {
    const id = row['id'] as number
    return {
      id,
      name: row['name'] as string,
      filter: row['filter'] as string,
      mode: row['mode'] as ForwardMode,
      enabled: row['enabled'] === 1,
      keepHost: row['keep_host'] === 1,
      appendPath: row['append_path'] === 1,
      timeoutSeconds: row['timeout_seconds'] as number,
      fullAnswer: row['full_answer'] === 1,
      giveUpHours: row['give_up_hours'] as number | null,
      createdAt: row['created_at'] as number,
      reached: row['reached'] as number,
      upTo: row['up_to'] as number | null,
      gaps: JSON.parse(row['gaps'] as string) as [number, number][],
      targets: targets.all(id).map(toTarget),
    }
  }

  const newestEver = () => nextCaptureId(database) - 1

  const ruleWith = (id: number) => {
    const row = one.get(id)
    return row === undefined ? null : toRule(row)
  }

  /** Takes what arrives, or no more: what came before is taken in any case, though it may not have been looked at. */
  function change(id: number, work: () => void): void {
    const before = ruleWith(id)
    work()
    const after = ruleWith(id)
    if (before === null || after === null) return
    const { reached, upTo } = before
    const newest = newestEver()
    if (takesArriving(before) && !takesArriving(after)) {
      setTaken.run(reached, newest, JSON.stringify(before.gaps), id)
    } else if (!takesArriving(before) && takesArriving(after)) {
      const isBehind = upTo !== null && reached < upTo
      const gaps = [...before.gaps.filter(([, to]) => to > reached), [upTo, newest]]
      setTaken.run(isBehind ? reached : newest, null, JSON.stringify(isBehind ? gaps : []), id)
    }
  }

  return {
    list: () => all.all().map(toRule),
    names: () => new Map(names.all().map((row) => [row['id'] as number, row['name'] as string])),
    abandoned: () => abandoned.all().map((row) => row['id'] as number),
    save: (id, fields, now) =>
      transaction(database, () => {
        const { name, filter, mode, timeoutSeconds, giveUpHours } = fields
        const values = {
          name,
          filter,
          mode,
          timeoutSeconds,
          giveUpHours,
          keepHost: Number(fields.keepHost),
          appendPath: Number(fields.appendPath),
          fullAnswer: Number(fields.fullAnswer),
        }
        const enabled = Number(fields.enabled)
        let saved = id
        if (saved === null || one.get(saved) === undefined) {
          const newest = newestEver()
          saved = Number(insert.run({ ...values, enabled, now, newest }).lastInsertRowid)
        } else {
          const known = saved
          change(known, () => {
            update.run({ ...values, id: known })
            setEnabled.run(enabled, known)
          })
        }
        unuse.run(saved)
        for (const [place, url] of [...new Set(fields.targets)].entries())
          use.run(saved, url, place)
        return saved
      }),
    setEnabled: (id, enabled) =>
      transaction(database, () => change(id, () => setEnabled.run(Number(enabled), id))),
    remove: (id, now) =>
      transaction(database, () => {
        remove.run(now, id)
        unuse.run(id)
      }),
  }
}

const takesArriving = ({ enabled, mode }: StoredRule) => enabled && mode === 'after'

function toTarget(row: Record<string, unknown>): StoredTarget {
  return {
    id: row['id'] as number,
    url: row['url'] as string,
    waiting: row['waiting'] as number,
    delivered: row['delivered'] as number,
    dropped: row['dropped'] as number,
    lastStatus: row['last_status'] as number | null,
    lastProblem: row['last_problem'] as string | null,
    lastTriedAt: row['last_tried_at'] as number | null,
    downSince: row['down_since'] as number | null,
  }
}
