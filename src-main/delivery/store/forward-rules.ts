import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import type { Parsed } from '../../../src-preload/contract/routes.ts'
import { nextCaptureId } from '../../captures/store/capture-deletion.ts'
import type { Database } from '../../database/database.ts'
import { createSql, flag, json } from '../../database/sql.ts'

type RuleFields = Omit<Parsed<'forwardRule.save'>, 'id'>

export type StoredTarget = Omit<
  ForwardRule['health'][number],
  'state' | 'nextTryAt' | 'medianUs'
> & { readonly id: number }

export type StoredRule = Omit<RuleFields, 'targets'> & {
  readonly id: number
  readonly createdAt: number
  readonly reached: number
  /**
   * The last capture that a disabled or pass-through rule takes; null for a rule that takes new
   * captures.
   */
  readonly upTo: number | null
  /** Ranges of captures that the rule skips: after the first id, up to the second. */
  readonly gaps: readonly (readonly [after: number, upTo: number])[]
  readonly targets: readonly StoredTarget[]
}

export type ForwardRules = ReturnType<typeof createForwardRules>

type RuleRow = Omit<StoredRule, 'targets'>

/** Only the send thread writes these rules. */
export function createForwardRules(database: Database) {
  const sql = createSql(database, {
    enabled: flag,
    keepHost: flag,
    appendPath: flag,
    fullAnswer: flag,
    gaps: json,
  })
  const select = `SELECT id, name, filter, mode, enabled, keep_host, append_path, timeout_seconds,
    full_answer, give_up_hours, created_at, reached, up_to, gaps FROM forward_rules`

  const withTargets = (rule: RuleRow): StoredRule => ({
    ...rule,
    targets: sql.all<StoredTarget>(
      `SELECT id, url, waiting, delivered, dropped, last_status, last_problem, last_tried_at,
         down_since
       FROM forward_targets WHERE rule = ? AND is_used = 1 ORDER BY place`,
      rule.id,
    ),
  })

  const newestEver = () => nextCaptureId(database) - 1

  function ruleWith(id: number): StoredRule | null {
    const row = sql.get<RuleRow>(`${select} WHERE id = ?`, id)
    return row && withTargets(row)
  }

  /** Captures that arrived before the change stay with the old rule, even if they are not read yet. */
  function change(id: number, work: () => unknown): void {
    const before = ruleWith(id)
    work()
    const after = ruleWith(id)
    if (before === null || after === null) return
    const { reached, upTo } = before
    const newest = newestEver()
    if (takesArriving(before) && !takesArriving(after)) {
      sql.update('forward_rules', { upTo: newest }, { id })
    } else if (!takesArriving(before) && takesArriving(after)) {
      const isBehind = upTo !== null && reached < upTo
      const gaps = [...before.gaps.filter(([, to]) => to > reached), [upTo, newest]]
      const taken = isBehind ? { reached, gaps } : { reached: newest, gaps: [] }
      sql.update('forward_rules', { ...taken, upTo: null }, { id })
    }
  }

  return {
    list: () => sql.all<RuleRow>(`${select} WHERE removed_at IS NULL ORDER BY id`).map(withTargets),
    abandoned: () =>
      sql.column<number>('SELECT id FROM forward_targets WHERE is_used = 0 AND waiting > 0'),
    /**
     * A new or enabled rule takes captures that arrive from now on; a disabled rule keeps those
     * that arrived before.
     */
    save: (id: number | null, { targets, ...rule }: RuleFields, now: number): number =>
      sql.transaction(() => {
        let saved = id
        if (saved === null || ruleWith(saved) === null) {
          const newest = newestEver()
          const upTo = takesArriving(rule) ? null : newest
          saved = sql.insert('forward_rules', { ...rule, createdAt: now, reached: newest, upTo })
        } else {
          const known = saved
          change(known, () => sql.update('forward_rules', rule, { id: known }))
        }
        sql.update('forward_targets', { isUsed: false }, { rule: saved })
        for (const [place, url] of [...new Set(targets)].entries()) {
          sql.upsert('forward_targets', { rule: saved, url }, { place, isUsed: true })
        }
        return saved
      }),
    setEnabled: (id: number, enabled: boolean) =>
      sql.transaction(() => change(id, () => sql.update('forward_rules', { enabled }, { id }))),
    remove: (id: number, now: number) =>
      sql.transaction(() => {
        sql.update('forward_rules', { removedAt: now, enabled: false }, { id })
        sql.update('forward_targets', { isUsed: false }, { rule: id })
      }),
  }
}

const takesArriving = ({ enabled, mode }: Pick<StoredRule, 'enabled' | 'mode'>) =>
  enabled && mode === 'after'
