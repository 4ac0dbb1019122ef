import type { SQLInputValue } from 'node:sqlite'
import type { Database } from '../../../database/database.ts'
import { forwardedSql } from './forwarded.ts'
import type { Condition, Span } from './index-plan.ts'

export type Sql = { readonly text: string; readonly values: readonly SQLInputValue[] }

/** A condition on a row of traits, `t`; `$id` stands for the capture's id. */
export function conditionSql(database: Database, condition: Condition): Sql {
  const { text, values } = positiveSql(database, condition)
  return { text: condition.negated ? `(${text}) IS NOT TRUE` : `(${text})`, values }
}

function positiveSql(database: Database, condition: Condition): Sql {
  switch (condition.on) {
    case 'number': {
      const column = condition.column === 'id' ? '$id' : `t.${condition.column}`
      return any(condition.spans.map((span) => spanSql(column, span)))
    }
    case 'term': {
      const column = `t.${condition.column}`
      const ids = condition.ids.filter((id) => id !== null)
      const known = `${column} IN (${ids.join(', ')})`
      const text = condition.ids.includes(null) ? `${known} OR ${column} IS NULL` : known
      return { text, values: [] }
    }
    case 'amount':
      return any(
        condition.amounts.map(({ asset, ...span }) => {
          const { text, values } = spanSql('t.amount', span)
          return { text: `t.asset = ${asset} AND ${text}`, values }
        }),
      )
    case 'pinned':
      return {
        text: '$id IN (SELECT capture_id FROM log.capture_marks WHERE pinned = 1)',
        values: [],
      }
    case 'forwarded':
      return any(
        condition.states.map((state) => ({ text: forwardedSql(database, state), values: [] })),
      )
  }
}

function any(parts: readonly Sql[]): Sql {
  if (parts.length === 0) return { text: 'FALSE', values: [] }
  return {
    text: parts.map(({ text }) => `(${text})`).join(' OR '),
    values: parts.flatMap(({ values }) => values),
  }
}

function spanSql(column: string, span: Span): Sql {
  return { text: `${column} BETWEEN ? AND ?`, values: spanBounds(span) }
}

const largest = 2n ** 63n - 1n

/** SQLite's integers end where a question does not. */
export function spanBounds({ low, high }: Span): [bigint, bigint] {
  const clamp = (value: bigint) => (value > largest ? largest : value < -largest ? -largest : value)
  return [clamp(low ?? -largest), clamp(high ?? largest)]
}
