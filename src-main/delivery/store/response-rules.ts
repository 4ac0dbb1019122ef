import { type AnswerAction, answerAction } from '../../../src-preload/contract/answer-rule.ts'
import { type Database, transaction } from '../../database/database.ts'
import type { AnswerRuleUse } from '../../threads/writer-messages.ts'

export type StoredAnswerRule = AnswerRuleUse & {
  readonly filter: string
  readonly action: AnswerAction
  readonly next: number | null
  readonly sharePercent: number | null
  /** Microseconds since the epoch. */
  readonly createdAt: number
}

export type AnswerRules = {
  /** In the order in which they are tried. */
  list(): StoredAnswerRule[]
  /** Behind all others. @returns its id */
  add(rule: Omit<StoredAnswerRule, 'id'>): number
  change(rule: StoredAnswerRule): void
  remove(id: number): void
  /** In the order of these ids; others come behind. */
  sort(ids: readonly number[]): void
}

export function createAnswerRules(database: Database): AnswerRules {
  const list = database.prepare('SELECT * FROM answer_rules ORDER BY place, id')
  const add = database.prepare(
    `INSERT INTO answer_rules
       (place, filter, action, next, share_percent, enabled, created_at, used, spent, seen)
     VALUES ((SELECT coalesce(max(place), 0) + 1 FROM answer_rules), ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const change = database.prepare(
    `UPDATE answer_rules SET filter = ?, action = ?, next = ?, share_percent = ?, enabled = ?,
       created_at = ?, used = ?, spent = ?, seen = ? WHERE id = ?`,
  )
  const remove = database.prepare('DELETE FROM answer_rules WHERE id = ?')
  const behind = database.prepare('UPDATE answer_rules SET place = place + ?')
  const setPlace = database.prepare('UPDATE answer_rules SET place = ? WHERE id = ?')

  return {
    list: () => list.all().flatMap(toRule),
    add: (rule) => Number(add.run(...valuesOf(rule)).lastInsertRowid),
    change: (rule) => void change.run(...valuesOf(rule), rule.id),
    remove: (id) => void remove.run(id),
    sort(ids) {
      transaction(database, () => {
        behind.run(ids.length)
        for (const [place, id] of ids.entries()) setPlace.run(place, id)
      })
    },
  }
}

function valuesOf(rule: Omit<StoredAnswerRule, 'id'>) {
  const { filter, action, next, sharePercent, enabled, createdAt, used, spent, seen } = rule
  const text = JSON.stringify(action)
  return [filter, text, next, sharePercent, Number(enabled), createdAt, used, spent, seen] as const
}

/** One that does not say what to do, as after a rescue, is none. */
function toRule(row: Record<string, unknown>): StoredAnswerRule[] {
  const action = readAction(row['action'] as string)
  if (action === null) return []
  return [
    {
      id: row['id'] as number,
      filter: row['filter'] as string,
      action,
      next: row['next'] as number | null,
      sharePercent: row['share_percent'] as number | null,
      enabled: row['enabled'] === 1,
      createdAt: row['created_at'] as number,
      used: row['used'] as number,
      spent: row['spent'] as number,
      seen: row['seen'] as number,
    },
  ]
}

function readAction(json: string): AnswerAction | null {
  try {
    return answerAction.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
