import type { SQLInputValue } from 'node:sqlite'
import type { Database } from '../../../database/database.ts'
import { createBeginnings } from './beginnings.ts'
import { forwardedTable, noneWorse, forwardedSql } from './forwarded.ts'
import type { Condition, IndexPlan, Match, MatchColumn, Span } from './index-plan.ts'

type Sql = { readonly text: string; readonly values: readonly SQLInputValue[] }

/** A condition on a row of traits, `t`; `$id` stands for the capture's id. */
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

function spanSql(column: string, span: Span): Sql {
  return { text: `${column} BETWEEN ? AND ?`, values: spanBounds(span) }
}

const largest = 2n ** 63n - 1n

/** SQLite's integers end where a question does not. */
function spanBounds({ low, high }: Span): [bigint, bigint] {
  const clamp = (value: bigint) => (value > largest ? largest : value < -largest ? -largest : value)
  return [clamp(low ?? -largest), clamp(high ?? largest)]
}

const columns: Readonly<Record<MatchColumn, string>> = {
  all: '{target headers body comment note meaning}',
  body: '{body}',
  comment: '{comment}',
  note: '{note}',
}

/**
 * The full text expression of FTS5. What a person has typed is always quoted, so nothing in it is taken
 * as syntax. Facets are looked for in their own column, so a sender's text cannot pass for one.
 */
function formatMatch(match: Match): string {
  switch (match.is) {
    case 'phrase':
      return `(${columns[match.column]} : ${quoted(match.text)}${match.prefix ? ' *' : ''})`
    case 'facets':
      return `({facets} : (${match.tokens.map(quoted).join(' OR ')}))`
    case 'facets beginning':
      return `({facets} : ${quoted(match.token)} *)`
    case 'any':
      return `(${formatAll(match.of).join(' OR ')})`
    case 'all': {
      const wanted = formatAll(match.of).join(' AND ')
      return `(${[`(${wanted})`, ...formatAll(match.but)].join(' NOT ')})`
    }
  }
}

/** Each once: asked twice, it would be looked for twice. */
function formatAll(matches: readonly Match[]): string[] {
  return [...new Set(matches.map(formatMatch))]
}

function quoted(text: string): string {
  // FTS5 reads a query up to its first NUL, which would cut a quoted word open.
  return `"${text.replaceAll('\0', ' ').replaceAll('"', '""')}"`
}

/** Ids between two, both excluded. */
export type Window = { readonly after: number; readonly before: number }

/** A plan made ready to be asked again and again, of one window after the other. */
type PreparedPlan = {
  /** Of ids: where there can be some. */
  readonly window: Window
  /** What follows `SELECT`; ends in a condition. */
  readonly from: Sql
  /** The column with the ids. */
  readonly id: string
  /** False where asking of a small window takes as long as of all. */
  readonly isSeekable: boolean
}

/**
 * Answers plans from the index, over a window of ids at a time, so that no statement takes long. The
 * log must be attached to the connection as `log`.
 */
export type Finder = {
  prepare(plan: IndexPlan, window: Window): PreparedPlan
  /** In the order of ids, or the newest first. */
  ids(plan: PreparedPlan, window: Window, newestFirst: boolean, limit: number): number[]
  count(plan: PreparedPlan, window: Window): number
  /** Of what was received from a moment on, the first by time; null where there is none. */
  firstFrom(moment: number): number | null
  /** Whether some of these a person has put here. */
  holdsOthers(window: Window): boolean
}

type Source = {
  /** Ends in a condition; `$traits` stands for the join with these. */
  readonly sql: Sql
  readonly id: string
  readonly rest: readonly Condition[]
}

const nowhere: Window = { after: 0, before: 0 }

export function createFinder(database: Database): Finder {
  const resolve = createBeginnings(database)
  const bounds = database.prepare(
    'SELECT (SELECT min(id) FROM traits) AS first, (SELECT max(id) FROM traits) AS last',
  )
  const extent = (index: string, isReceived: number) =>
    database.prepare(
      `SELECT min(id) AS first, max(id) AS last, count(*) AS n FROM traits INDEXED BY ${index}
       WHERE is_received = ${isReceived} AND received_at BETWEEN ? AND ?`,
    )
  const extents = [extent('traits_received', 1), extent('traits_put', 0)]
  const total = database.prepare('SELECT count(*) AS n FROM traits WHERE id BETWEEN ? AND ?')
  const firstFrom = database.prepare(
    `SELECT id FROM traits INDEXED BY traits_received
     WHERE is_received = 1 AND received_at >= ? ORDER BY received_at, id LIMIT 1`,
  )
  const others = database.prepare(
    'SELECT 1 FROM log.capture_origins WHERE capture_id > ? AND capture_id < ? LIMIT 1',
  )

  /**
   * Narrowed to captures received when the plan asks for; without that condition where all between
   * were. Ids follow the time only as far as clocks do, and what was imported has its own.
   */
  function narrow(plan: IndexPlan, window: Window): { plan: IndexPlan; window: Window } {
    const span = plan.conditions.find(isTimeSpan)
    if (span?.on !== 'number') return { plan, window }
    const [low, high] = spanBounds(span.spans[0] ?? { low: null, high: null })
    const found = extents.flatMap((statement) => {
      const row = statement.get(low, high)
      return typeof row?.['first'] === 'number' ? [row] : []
    })
    if (found.length === 0) return { plan, window: nowhere }
    const first = Math.min(...found.map((row) => Number(row['first'])))
    const last = Math.max(...found.map((row) => Number(row['last'])))
    const inSpan = found.reduce((sum, row) => sum + Number(row['n']), 0)
    const isWhole = Number(total.get(first, last)?.['n']) === inSpan
    const rest = plan.conditions.filter((condition) => condition !== span)
    return {
      plan: isWhole ? { ...plan, conditions: rest } : plan,
      window: {
        after: Math.max(window.after, first - 1),
        before: Math.min(window.before, last + 1),
      },
    }
  }

  /** From where it is found with the least work, and what is still to be asked there. */
  function source({ conditions }: IndexPlan, match: Match | null): Source {
    if (match !== null) {
      const sql = {
        text: 'FROM search s $traits WHERE s.search MATCH ?',
        values: [formatMatch(match)],
      }
      return { sql, id: 's.rowid', rest: conditions }
    }
    const pinned = conditions.find(({ on, negated }) => on === 'pinned' && !negated)
    if (pinned !== undefined) {
      const sql = { text: 'FROM log.capture_marks m $traits WHERE m.pinned = 1', values: [] }
      return { sql, id: 'm.capture_id', rest: conditions.filter((each) => each !== pinned) }
    }
    const forwarded = conditions.find(({ on, negated }) => on === 'forwarded' && !negated)
    const states = forwarded?.on === 'forwarded' ? forwarded.states : []
    const [table, state] = [forwardedTable(states), states[0]]
    if (table !== null && state !== undefined && state !== 'no') {
      const text = `FROM ${table} d $traits WHERE ${noneWorse(database, state)}`
      const id = 'd.capture_id'
      const sql = { text: text.replaceAll('$id', id), values: [] }
      return { sql, id, rest: conditions.filter((each) => each !== forwarded) }
    }
    return { sql: { text: 'FROM traits t WHERE TRUE', values: [] }, id: 't.id', rest: conditions }
  }

  /** Windows are the last two values: as numbers they would be bound as real ones, which FTS5 seeks no row by. */
  const windowOf = ({ after, before }: Window) => [BigInt(after), BigInt(before)]

  return {
    prepare(asked, whole) {
      const { first, last } = bounds.get() ?? {}
      const { plan, window } = narrow(asked, {
        after: Math.max(whole.after, Number(first ?? 1) - 1),
        before: Math.min(whole.before, Number(last ?? 0) + 1),
      })
      const resolved = plan.match === null ? null : resolve(plan.match)
      const { sql, id, rest } = source(plan, resolved?.match ?? null)
      const conditions = rest.map((each) => conditionSql(database, each))
      const needsTraits = rest.some(({ on }) => on !== 'pinned' && on !== 'forwarded')
      const traits = needsTraits ? `CROSS JOIN traits t ON t.id = ${id}` : ''
      const text = [
        sql.text.replace('$traits', traits),
        // With the plus it is no way to look for rows: each would be a full text search of its own.
        ...conditions.map((each) =>
          each.text.replaceAll('$id', plan.match === null ? id : `+${id}`),
        ),
        `${id} > ?`,
        `${id} < ?`,
      ].join(' AND ')
      const values = [...sql.values, ...conditions.flatMap((each) => each.values)]
      return { window, from: { text, values }, id, isSeekable: resolved?.isSeekable ?? true }
    },
    ids({ id, from }, window, newestFirst, limit) {
      const order = newestFirst ? 'DESC' : 'ASC'
      return database
        .prepare(`SELECT ${id} AS id ${from.text} ORDER BY ${id} ${order} LIMIT ?`)
        .all(...from.values, ...windowOf(window), limit)
        .map((row) => row['id'] as number)
    },
    count({ from }, window) {
      const row = database
        .prepare(`SELECT count(*) AS n ${from.text}`)
        .get(...from.values, ...windowOf(window))
      return Number(row?.['n'])
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
