import type { SQLInputValue } from 'node:sqlite'
import type { Database } from '../../../database/database.ts'

/** Numbers between two, both included; null is open. */
type Span = { readonly low: bigint | null; readonly high: bigint | null }

type NumberColumn = 'id' | 'received_at' | 'is_received' | 'lt' | 'size' | 'took'
type TermColumn = 'network' | 'meaning' | 'asset' | 'direction' | 'opcode' | 'exit' | 'success'

/** Of which one must hold, or with `negated` none; what is not known holds nowhere. */
export type Condition = { readonly negated: boolean } & (
  | { readonly on: 'number'; readonly column: NumberColumn; readonly spans: readonly Span[] }
  /** Null is where it is not known. */
  | {
      readonly on: 'term'
      readonly column: TermColumn
      readonly ids: readonly (number | null)[]
    }
  | { readonly on: 'amount'; readonly amounts: readonly (Span & { readonly asset: number })[] }
  | { readonly on: 'pinned' }
  | { readonly on: 'forwarded'; readonly states: readonly ForwardState[] }
)

/** Of all targets together the worst counts. */
type ForwardState = 'waiting' | 'failed' | 'delivered' | 'dropped' | 'no'

type MatchColumn = 'all' | 'body' | 'comment' | 'note'

/** What is looked for in the full text index. */
export type Match =
  /** Its words next to each other, in order; with `prefix` the last may be the beginning of one. */
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

/** What the index can tell of a query; all of it must hold. */
export type IndexPlan = {
  /** Null asks for no words and no facets. */
  readonly match: Match | null
  readonly conditions: readonly Condition[]
}

/** As forward_deliveries has them, the worst first. */
const states = { dropped: 3, failed: 1, waiting: 0, delivered: 2 } as const
const worstFirst: readonly (keyof typeof states)[] = ['dropped', 'failed', 'waiting', 'delivered']

/** Of one capture: no row where no rule took it. */
export const forwardSummarySql = `
  SELECT CASE max(CASE state WHEN 3 THEN 3 WHEN 1 THEN 2 WHEN 0 THEN 1 ELSE 0 END)
      WHEN 3 THEN 'dropped' WHEN 2 THEN 'failed' WHEN 1 THEN 'waiting' ELSE 'delivered' END AS summary
  FROM log.forward_deliveries WHERE capture_id = ? HAVING count(*) > 0`

/** Few of them are held at once; many are looked up one by one. */
const fewRows = 50_000

/** A condition on `$id`: how sending a capture on went, to all its targets together. */
function forwardedSql(database: Database, state: ForwardState): string {
  if (state === 'no') {
    return 'NOT EXISTS (SELECT 1 FROM log.forward_deliveries f WHERE f.capture_id = $id)'
  }
  return `${inState(database, states[state])} AND ${noneWorse(database, state)}`
}

/**
 * A table of captures, `capture_id`, in which each stands once that has a target in this state; null
 * where looking at every capture is as good.
 */
export function forwardedTable(asked: readonly ForwardState[]): string | null {
  const [state, ...rest] = asked
  if (state === undefined || state === 'no' || rest.length > 0) return null
  return `(SELECT DISTINCT capture_id FROM log.forward_deliveries WHERE state = ${states[state]})`
}

/** A condition on `$id`: no target is worse off. */
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

/** Each once: asked twice, it would be looked for twice. */
function formatAll(matches: readonly Match[]): string[] {
  return [...new Set(matches.map(formatMatch))]
}

function quoted(text: string): string {
  // FTS5 reads a query up to its first NUL, which would cut a quoted word open.
  return `"${text.replaceAll('\0', ' ').replaceAll('"', '""')}"`
}
