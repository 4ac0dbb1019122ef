import { type AnswerAction, answerAction } from '../../../src-preload/contract/answer-rule.ts'
import type { Database } from '../../database/database.ts'
import { createSql, flag, json } from '../../database/sql.ts'
import type { AnswerRuleUse } from '../../threads/writer-messages.ts'

export type StoredAnswerRule = AnswerRuleUse & {
  readonly filter: string
  readonly action: AnswerAction
  readonly next: number | null
  readonly sharePercent: number | null
  readonly createdAt: number
}

export function createAnswerRules(database: Database) {
  const sql = createSql(database, {
    enabled: flag,
    action: { decode: (text) => readAction(text as string), encode: json.encode },
  })

  return {
    /** In evaluation order. Leaves out a rule with an unreadable action, as after a database rescue. */
    list: () =>
      sql
        .all<StoredAnswerRule>(
          `SELECT id, filter, action, next, share_percent, enabled, created_at, used, spent, seen
           FROM answer_rules ORDER BY place, id`,
        )
        .filter(({ action }) => (action as AnswerAction | null) !== null),
    add(rule: Omit<StoredAnswerRule, 'id'>): number {
      const last = sql.value<number>('SELECT max(place) FROM answer_rules') ?? 0
      return sql.insert('answer_rules', { ...rule, place: last + 1 })
    },
    change: ({ id, ...fields }: StoredAnswerRule) =>
      void sql.update('answer_rules', fields, { id }),
    remove: (id: number) => void sql.remove('answer_rules', { id }),
    sort: (ids: readonly number[]) =>
      sql.transaction(() => {
        sql.run('UPDATE answer_rules SET place = place + ?', ids.length)
        for (const [place, id] of ids.entries()) sql.update('answer_rules', { place }, { id })
      }),
  }
}

function readAction(json: string): AnswerAction | null {
  try {
    return answerAction.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
