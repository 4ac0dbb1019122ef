import type { SQLInputValue } from 'node:sqlite'
import type { Database } from '../../../database/database.ts'
import { unknownDuration } from '../capture-record.ts'

/** Both ends are included; null is open. */
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

/** One value must match, or none with `negated`; unknown values never match. */
export type Condition = { readonly negated: boolean } & (
  | { readonly on: 'number'; readonly column: NumberColumn; readonly spans: readonly Range[] }
  /** Null is where it is not known. */
  | { readonly on: 'term'; readonly column: TermColumn; readonly ids: readonly (number | null)[] }
  | { readonly on: 'amount'; readonly amounts: readonly (Range & { readonly asset: number })[] }
  | { readonly on: 'pinned' }
  | { readonly on: 'forwarded'; readonly states: readonly ForwardState[] }
)

type ForwardState = 'waiting' | 'failed' | 'delivered' | 'dropped' | 'no'

type MatchColumn = 'all' | 'body' | 'comment' | 'note'

export type Match =
  /** Adjacent words in order; with `prefix` the last may be the beginning of one. */
  | {
      readonly is: 'phrase'
      readonly column: MatchColumn
      readonly text: string
      readonly prefix: boolean
    }
  /** One of these tokens. */
  | { readonly is: 'facets'; readonly tokens: readonly string[] }
  /** A token that begins, and ends, so. An empty ending leaves the end open. */
  | { readonly is: 'facets beginning'; readonly token: string; readonly ending: string }
  | { readonly is: 'any'; readonly of: readonly Match[] }
  /** All of the first, of which there is one at least, none of the others. */
  | { readonly is: 'all'; readonly of: readonly Match[]; readonly but: readonly Match[] }

export type IndexPlan = {
  /** Null searches no words and no facets. */
  readonly match: Match | null
  readonly conditions: readonly Condition[]
}

/** Values of forward_deliveries, the worst state first. */
const states = { dropped: 3, failed: 1, waiting: 0, delivered: 2 } as const
const worstFirst: readonly (keyof typeof states)[] = ['dropped', 'failed', 'waiting', 'delivered']

/** No row when no rule matched the capture. */
export const forwardSummarySql = `
  SELECT CASE max(CASE state WHEN 3 THEN 3 WHEN 1 THEN 2 WHEN 0 THEN 1 ELSE 0 END)
      WHEN 3 THEN 'dropped' WHEN 2 THEN 'failed' WHEN 1 THEN 'waiting' ELSE 'delivered' END AS summary
  FROM log.forward_deliveries WHERE capture_id = ? HAVING count(*) > 0`

/** Fewer rows than this are collected at once; more are looked up one by one. */
const fewRows = 50_000

function forwardedSql(database: Database, state: ForwardState): string {
  if (state === 'no') {
    return 'NOT EXISTS (SELECT 1 FROM log.forward_deliveries f WHERE f.capture_id = $id)'
  }
  return `${inState(database, states[state])} AND ${noneWorse(database, state)}`
}

/**
 * A table `capture_id` with each capture that has a target in one of these states; null when reading every
 * capture is as fast.
 */
export function forwardedTable(requested: readonly ForwardState[]): string | null {
  const [state, ...rest] = requested
  if (state === undefined || state === 'no' || rest.length > 0) return null
  return `(SELECT DISTINCT capture_id FROM log.forward_deliveries WHERE state = ${states[state]})`
}

/** A condition on `$id`: no target is in a worse state. */
export function noneWorse(database: Database, state: Exclude<ForwardState, 'no'>): string {
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

/** A condition on a row of traits, `t`; `$id` stands for the capture's id. */
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

function spanSql(column: string, span: Range): Sql {
  return { text: `${column} BETWEEN ? AND ?`, values: spanBounds(span) }
}

const largest = 2n ** 63n - 1n

/** Clamps to SQLite's integers. */
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
 * The full text expression of FTS5. User input is always quoted, so it contains no syntax. Facets are in
 * their own column, so a sender's text cannot match as one.
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

/** Without duplicates, which FTS5 would search twice. */
function formatAll(matches: readonly Match[]): string[] {
  return [...new Set(matches.map(formatMatch))]
}

function quoted(text: string): string {
  // FTS5 reads a query up to its first NUL, which would leave a quote open.
  return `"${text.replaceAll('\0', ' ').replaceAll('"', '""')}"`
}
