import type { SQLInputValue } from 'node:sqlite'
import type { Database } from '../database.ts'
import { forwardedSql } from './forwarded.ts'
import type { Condition, IndexPlan, Span } from './index-plan.ts'
import { printMatch } from './match.ts'

/** Ids between two, both excluded. */
export type Window = { readonly after: number; readonly before: number }

/**
 * Answers plans from the index, over a window of ids at a time, so that no statement takes long. The
 * log must be attached to the connection as `log`.
 */
export type Finder = {
  /** In the order of ids, or the newest first. */
  ids(plan: IndexPlan, window: Window, newestFirst: boolean, limit: number): number[]
  count(plan: IndexPlan, window: Window): number
  /**
   * The window narrowed to where there are captures, and to those received when the plan asks for; the
   * plan without that where all between were.
   */
  narrow(plan: IndexPlan, window: Window): { plan: IndexPlan; window: Window }
  /** Of what was received from a moment on, the first by time; null where there is none. */
  firstFrom(moment: number): number | null
  /** Whether some of these a person has put here. */
  holdsOthers(window: Window): boolean
}

type Sql = { readonly text: string; readonly values: readonly SQLInputValue[] }

export function createFinder(database: Database): Finder {
  const firstFrom = database.prepare(
    `SELECT id FROM traits INDEXED BY traits_received
     WHERE is_received = 1 AND received_at >= ? ORDER BY received_at, id LIMIT 1`,
  )
  const extent = (index: string, isReceived: number) =>
    database.prepare(
      `SELECT min(id) AS first, max(id) AS last, count(*) AS n FROM traits INDEXED BY ${index}
       WHERE is_received = ${isReceived} AND received_at BETWEEN ? AND ?`,
    )
  const extents = [extent('traits_received', 1), extent('traits_put', 0)]
  const total = database.prepare('SELECT count(*) AS n FROM traits WHERE id BETWEEN ? AND ?')
  const bounds = database.prepare(
    'SELECT (SELECT min(id) FROM traits) AS first, (SELECT max(id) FROM traits) AS last',
  )
  const others = database.prepare(
    'SELECT 1 FROM log.capture_origins WHERE capture_id > ? AND capture_id < ? LIMIT 1',
  )

  /** What is asked for, from where it is found with the least work. */
  function select(plan: IndexPlan, window: Window): Sql & { readonly id: string } {
    const conditions = plan.conditions.map((each) => conditionSql(database, each))
    const all = (id: string) => ({
      where: [...conditions.map(({ text }) => text), `${id} > ?`, `${id} < ?`].join(' AND '),
      values: [...conditions.flatMap(({ values }) => values), window.after, window.before],
    })
    const needsTraits = plan.conditions.some(({ on }) => on !== 'pinned' && on !== 'forwarded')
    if (plan.match !== null) {
      const { where, values } = all('s.rowid')
      const traits = needsTraits ? 'CROSS JOIN traits t ON t.id = s.rowid' : ''
      const text = `FROM search s ${traits} WHERE s.search MATCH ? AND ${where.replaceAll('$id', 's.rowid')}`
      return { id: 's.rowid', text, values: [printMatch(plan.match), ...values] }
    }
    const marked = plan.conditions.find(({ on, negated }) => on === 'pinned' && !negated)
    if (marked !== undefined) {
      const { where, values } = all('m.capture_id')
      const traits = needsTraits ? 'CROSS JOIN traits t ON t.id = m.capture_id' : ''
      const text = `FROM log.capture_marks m ${traits}
        WHERE m.pinned = 1 AND ${where.replaceAll('$id', 'm.capture_id')}`
      return { id: 'm.capture_id', text, values }
    }
    const { where, values } = all('t.id')
    return { id: 't.id', text: `FROM traits t WHERE ${where.replaceAll('$id', 't.id')}`, values }
  }

  return {
    ids(plan, window, newestFirst, limit) {
      const { id, text, values } = select(plan, window)
      const order = newestFirst ? 'DESC' : 'ASC'
      return database
        .prepare(`SELECT ${id} AS id ${text} ORDER BY ${id} ${order} LIMIT ?`)
        .all(...values, limit)
        .map((row) => row['id'] as number)
    },
    count(plan, window) {
      const { text, values } = select(plan, window)
      return Number(database.prepare(`SELECT count(*) AS n ${text}`).get(...values)?.['n'])
    },
    narrow(plan, whole) {
      const { first: oldest, last: newest } = bounds.get() ?? {}
      const window = {
        after: Math.max(whole.after, Number(oldest ?? 1) - 1),
        before: Math.min(whole.before, Number(newest ?? 0) + 1),
      }
      const index = plan.conditions.findIndex(isTimeSpan)
      const condition = plan.conditions[index]
      if (condition?.on !== 'number') return { plan, window }
      const [span] = condition.spans
      const rows = extents.map((statement) =>
        statement.get(clamped(span?.low ?? null, -1n), clamped(span?.high ?? null, 1n)),
      )
      const found = rows.filter((row) => row !== undefined && row['first'] !== null)
      if (found.length === 0) return { plan, window: { after: 0, before: 0 } }
      const first = Math.min(...found.map((row) => Number(row?.['first'])))
      const last = Math.max(...found.map((row) => Number(row?.['last'])))
      const inSpan = found.reduce((sum, row) => sum + Number(row?.['n']), 0)
      const isWhole = Number(total.get(first, last)?.['n']) === inSpan
      return {
        plan: isWhole
          ? { ...plan, conditions: plan.conditions.filter((_, at) => at !== index) }
          : plan,
        window: {
          after: Math.max(window.after, first - 1),
          before: Math.min(window.before, last + 1),
        },
      }
    },
    firstFrom: (moment) => (firstFrom.get(moment)?.['id'] as number | undefined) ?? null,
    holdsOthers: ({ after, before }) => others.get(after, before) !== undefined,
  }
}

function isTimeSpan(condition: Condition): boolean {
  return (
    condition.on === 'number' &&
    condition.column === 'received_at' &&
    !condition.negated &&
    condition.spans.length === 1
  )
}

/** `$id` stands for the capture's id. */
function conditionSql(database: Database, condition: Condition): Sql {
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

function spanSql(column: string, { low, high }: Span): Sql {
  return {
    text: `${column} BETWEEN ? AND ?`,
    values: [clamped(low, -1n), clamped(high, 1n)],
  }
}

const largest = 2n ** 63n - 1n

/** SQLite's integers end where a question does not. */
function clamped(value: bigint | null, sign: 1n | -1n): bigint {
  if (value === null) return sign * largest
  return value > largest ? largest : value < -largest ? -largest : value
}
