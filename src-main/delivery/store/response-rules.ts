import { type ResponseAction, responseAction } from '../../../src-preload/contract/response-rule.ts'
import type { Database } from '../../database/database.ts'
import { createSql, flag, json } from '../../database/sql.ts'
import type { ResponseRuleUse } from '../../threads/writer-messages.ts'

export type StoredResponseRule = ResponseRuleUse & {
  readonly filter: string
  readonly action: ResponseAction
  readonly next: number | null
  readonly createdAt: number
}

export function createResponseRules(database: Database) {
  const sql = createSql(database, {
    enabled: flag,
    action: { decode: (text) => readAction(text as string), encode: json.encode },
  })

  return {
    /**
     * Returns rules in evaluation order, without rules whose action is unreadable, as after a
     * database rescue.
     */
    list: () =>
      sql
        .all<StoredResponseRule>(
          `SELECT id, filter, action, next, enabled, created_at, used, spent
           FROM answer_rules ORDER BY place, id`,
        )
        .filter(({ action }) => (action as ResponseAction | null) !== null),
    add(rule: Omit<StoredResponseRule, 'id'>): number {
      const last = sql.value<number>('SELECT max(place) FROM answer_rules') ?? 0
      return sql.insert('answer_rules', { ...rule, place: last + 1 })
    },
    change: ({ id, ...fields }: StoredResponseRule) =>
      void sql.update('answer_rules', fields, { id }),
    remove: (id: number) => void sql.remove('answer_rules', { id }),
    sort: (ids: readonly number[]) =>
      sql.transaction(() => {
        sql.run('UPDATE answer_rules SET place = place + ?', ids.length)
        for (const [place, id] of ids.entries()) sql.update('answer_rules', { place }, { id })
      }),
  }
}

function readAction(json: string): ResponseAction | null {
  try {
    return responseAction.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
