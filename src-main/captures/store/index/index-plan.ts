import type { SQLInputValue } from 'node:sqlite'
import type { Database } from '../../../database/database.ts'
import { unknownDuration } from '../capture-record.ts'

/** Both ends are inclusive; null means no bound. */
export type Range = { readonly low: bigint | null; readonly high: bigint | null }

export type NumberColumn = 'id' | 'received_at' | 'is_received' | 'lt' | 'size' | 'took'
export type TermColumn =
  | 'network'
  | 'meaning'
  | 'asset'
  | 'direction'
  | 'opcode'
  | 'exit'
  | 'success'

/** One of the values must match, or none if `negated`; unknown values never match. */
export type Condition = { readonly negated: boolean } & (
  | { readonly on: 'number'; readonly column: NumberColumn; readonly spans: readonly Range[] }
  /** Null selects captures whose value is unknown. */
  | { readonly on: 'term'; readonly column: TermColumn; readonly ids: readonly (number | null)[] }
  | { readonly on: 'amount'; readonly amounts: readonly (Range & { readonly asset: number })[] }
  | { readonly on: 'pinned' }
  | { readonly on: 'forwarded'; readonly states: readonly ForwardState[] }
)

type ForwardState = 'waiting' | 'failed' | 'delivered' | 'dropped' | 'no'

type MatchColumn = 'all' | 'body' | 'comment' | 'note'

export type Match =
  /** Adjacent words in order; with `prefix` the last word may be a beginning. */
  | {
      readonly is: 'phrase'
      readonly column: MatchColumn
      readonly text: string
      readonly prefix: boolean
    }
  /** Matches one of these tokens. */
  | { readonly is: 'facets'; readonly tokens: readonly string[] }
  /** Matches tokens with this beginning and ending. An empty ending allows any end. */
  | { readonly is: 'facets beginning'; readonly token: string; readonly ending: string }
  | { readonly is: 'any'; readonly of: readonly Match[] }
  /** Matches all of `of`, of which there is at least one, and none of the others. */
  | { readonly is: 'all'; readonly of: readonly Match[]; readonly but: readonly Match[] }

export type IndexPlan = {
  /** Null if neither words nor facets are searched. */
  readonly match: Match | null
  readonly conditions: readonly Condition[]
}

/** The values in forward_deliveries, the worst state first. */
const states = { dropped: 3, failed: 1, waiting: 0, delivered: 2 } as const
const worstFirst: readonly (keyof typeof states)[] = ['dropped', 'failed', 'waiting', 'delivered']

/** The query returns no row if no rule matched the capture. */
export const forwardSummarySql = `
  SELECT CASE max(CASE state WHEN 3 THEN 3 WHEN 1 THEN 2 WHEN 0 THEN 1 ELSE 0 END)
      WHEN 3 THEN 'dropped' WHEN 2 THEN 'failed' WHEN 1 THEN 'waiting' ELSE 'delivered' END AS summary
  FROM log.forward_deliveries WHERE capture_id = ? HAVING count(*) > 0`

/** Fewer rows than this are collected at once; more rows are looked up one by one. */
const fewRows = 50_000

function forwardedSql(database: Database, state: ForwardState): string {
  if (state === 'no') {
    return 'NOT EXISTS (SELECT 1 FROM log.forward_deliveries f WHERE f.capture_id = $id)'
  }
  return `${inState(database, states[state])} AND ${worstStateSql(database, state)}`
}

/**
 * A table with the `capture_id` of each capture that has a target in one of these states; null if
 * reading every capture is as fast.
 */
export function forwardedTable(requested: readonly ForwardState[]): string | null {
  const [state, ...rest] = requested
  if (state === undefined || state === 'no' || rest.length > 0) return null
  return `(SELECT DISTINCT capture_id FROM log.forward_deliveries WHERE state = ${states[state]})`
}

/** A condition on `$id` that no target is in a worse state. */
export function worstStateSql(database: Database, state: Exclude<ForwardState, 'no'>): string {
  const worse = worstFirst.slice(0, worstFirst.indexOf(state))
  return ['TRUE', ...worse.map((each) => `NOT ${inState(database, states[each])}`)].join(' AND ')
}

function inState(database: Database, state: number): string {
  const rows = database
    .prepare(
      `SELECT count(*) AS n FROM
         (SELECT 1 FROM log.forward_deliveries WHERE state = ? LIMIT ${fewRows + 1})`,
    )
    .get(state)
  const ofState = `log.forward_deliveries f WHERE f.state = ${state}`
  return Number(rows?.['n']) > fewRows
    ? `EXISTS (SELECT 1 FROM ${ofState} AND f.capture_id = $id)`
    : `($id IN (SELECT f.capture_id FROM ${ofState}))`
}

export type Sql = { readonly text: string; readonly values: readonly SQLInputValue[] }

/** A condition on the row `t` of traits; `$id` stands for the capture's id. */
export function conditionSql(database: Database, condition: Condition): Sql {
  const { text, values } = positiveSql(database, condition)
  return { text: condition.negated ? `(${text}) IS NOT TRUE` : `(${text})`, values }
}

function positiveSql(database: Database, condition: Condition): Sql {
  switch (condition.on) {
    case 'number': {
      const name = condition.column
      const isTook = name === 'took'
      const column =
        name === 'id' ? '$id' : isTook ? `nullif(t.took, ${unknownDuration})` : `t.${name}`
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

const spanSql = (column: string, span: Range): Sql => ({
  text: `${column} BETWEEN ? AND ?`,
  values: spanBounds(span),
})

const largest = 2n ** 63n - 1n

/** Limits the range to SQLite's integers. */
export function spanBounds({ low, high }: Range): [bigint, bigint] {
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
 * Formats the full-text expression of FTS5. User input is always quoted, so it cannot contain
 * syntax. Facets are in their own column, so a sender's text cannot match as a facet.
 */
export function formatMatch(match: Match): string {
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

/** Removes duplicates, which FTS5 would search twice. */
const formatAll = (matches: readonly Match[]): string[] => [...new Set(matches.map(formatMatch))]

function quoted(text: string): string {
  // FTS5 reads a query up to its first NUL, which would leave a quote open.
  return `"${text.replaceAll('\0', ' ').replaceAll('"', '""')}"`
}
