import type { Database } from '../../../database/database.ts'
import { createSql } from '../../../database/sql.ts'
import {
  type Condition,
  type IndexPlan,
  type Match,
  type Range,
  type Sql,
  conditionSql,
  formatMatch,
  forwardedTable,
  worstStateSql,
  spanBounds,
} from './index-plan.ts'

/** Both ids are exclusive. */
export type Window = { readonly after: number; readonly before: number }

type PreparedPlan = {
  readonly window: Window
  /** The SQL after `SELECT`, which ends with a condition. */
  readonly from: Sql
  readonly id: string
  /** False if a small window takes as long as the whole range. */
  readonly isSeekable: boolean
}

const nowhere: Window = { after: 0, before: 0 }

type Extent = { readonly first: number; readonly last: number; readonly count: number }

export type Finder = ReturnType<typeof createFinder>

/** Executes plans window by window, so that no statement takes long. The log must be attached as `log`. */
export function createFinder(database: Database) {
  const sql = createSql(database)
  const resolve = createBeginnings(database)

  function extent(index: string, isReceived: number, span: Range): Extent[] {
    const found = sql.get<Extent>(
      `SELECT min(id) AS first, max(id) AS last, count(*) AS count FROM traits INDEXED BY ${index}
       WHERE is_received = ${isReceived} AND received_at BETWEEN ? AND ?`,
      ...spanBounds(span),
    )
    return found === null || found.count === 0 ? [] : [found]
  }

  /**
   * Narrows the window to the plan's time span, and drops that condition when every capture in the window
   * is in the span. Ids follow time only as far as clocks do, and imported captures have their own times.
   */
  function narrow(plan: IndexPlan, window: Window): { plan: IndexPlan; window: Window } {
    const condition = plan.conditions.find(isTimeSpan)
    const [span] = condition?.on === 'number' ? condition.spans : []
    if (span === undefined) return { plan, window }
    const found = [...extent('traits_received', 1, span), ...extent('traits_put', 0, span)]
    if (found.length === 0) return { plan, window: nowhere }
    const first = Math.min(...found.map((each) => each.first))
    const last = Math.max(...found.map((each) => each.last))
    const inSpan = found.reduce((sum, { count }) => sum + count, 0)
    const text = 'SELECT count(*) FROM traits WHERE id BETWEEN ? AND ?'
    const isWhole = sql.value<number>(text, first, last) === inSpan
    const conditions = plan.conditions.filter((each) => !isWhole || each !== condition)
    return {
      plan: { ...plan, conditions },
      window: {
        after: Math.max(window.after, first - 1),
        before: Math.min(window.before, last + 1),
      },
    }
  }

  /**
   * Window bounds are bound last and as BigInt, because a number would be bound as REAL, by which
   * FTS5 cannot seek.
   */
  const windowOf = ({ after, before }: Window) => [BigInt(after), BigInt(before)]

  return {
    prepare(requested: IndexPlan, whole: Window): PreparedPlan {
      // Two queries are used, because SQLite seeks for one end but reads all rows for both in one statement.
      const ends = sql.get<Extent>(
        'SELECT (SELECT min(id) FROM traits) AS first, (SELECT max(id) FROM traits) AS last',
      )
      const { plan, window } = narrow(requested, {
        after: Math.max(whole.after, (ends?.first ?? 1) - 1),
        before: Math.min(whole.before, (ends?.last ?? 0) + 1),
      })
      const resolved = plan.match === null ? null : resolve(plan.match)
      const { text, values, id, rest } = source(database, plan, resolved?.match ?? null)
      const conditions = rest.map((each) => conditionSql(database, each))
      const needsTraits = rest.some(({ on }) => on !== 'pinned' && on !== 'forwarded')
      const traits = needsTraits ? `CROSS JOIN traits t ON t.id = ${id}` : ''
      // The unary plus prevents SQLite from running one full-text search per row.
      const rowId = plan.match === null ? id : `+${id}`
      const all = [
        text.replace('$traits', traits),
        ...conditions.map((each) => each.text.replaceAll('$id', rowId)),
        `${id} > ?`,
        `${id} < ?`,
      ]
      const from = {
        text: all.join(' AND '),
        values: [...values, ...conditions.flatMap((each) => each.values)],
      }
      return { window, from, id, isSeekable: resolved?.isSeekable ?? true }
    },
    ids: ({ id, from }: PreparedPlan, window: Window, newestFirst: boolean, limit: number) =>
      sql.column<number>(
        `SELECT ${id} AS id ${from.text} ORDER BY ${id} ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`,
        ...[...from.values, ...windowOf(window), limit],
      ),
    count: ({ from }: PreparedPlan, window: Window) =>
      sql.value<number>(`SELECT count(*) ${from.text}`, ...from.values, ...windowOf(window)) ?? 0,
    firstFrom: (moment: number) =>
      sql.value<number>(
        `SELECT id FROM traits INDEXED BY traits_received
         WHERE is_received = 1 AND received_at >= ? ORDER BY received_at, id LIMIT 1`,
        moment,
      ),
    holdsOthers({ after, before }: Window): boolean {
      const text =
        'SELECT 1 FROM log.capture_origins WHERE capture_id > ? AND capture_id < ? LIMIT 1'
      return sql.value(text, after, before) !== null
    },
  }
}

/** `text` ends with a condition, and `$traits` stands for the join with traits. */
function source(database: Database, { conditions }: IndexPlan, match: Match | null) {
  if (match !== null) {
    const text = 'FROM search s $traits WHERE s.search MATCH ?'
    return { text, values: [formatMatch(match)], id: 's.rowid', rest: conditions }
  }
  const without = (condition: Condition) => conditions.filter((each) => each !== condition)
  const pinned = conditions.find(({ on, negated }) => on === 'pinned' && !negated)
  if (pinned !== undefined) {
    const text = 'FROM log.capture_marks m $traits WHERE m.pinned = 1'
    return { text, values: [], id: 'm.capture_id', rest: without(pinned) }
  }
  const forwarded = conditions.find(({ on, negated }) => on === 'forwarded' && !negated)
  const states = forwarded?.on === 'forwarded' ? forwarded.states : []
  const [table, state] = [forwardedTable(states), states[0]]
  if (forwarded !== undefined && table !== null && state !== undefined && state !== 'no') {
    const id = 'd.capture_id'
    const noWorse = worstStateSql(database, state).replaceAll('$id', id)
    const text = `FROM ${table} d $traits WHERE ${noWorse}`
    return { text, values: [], id, rest: without(forwarded) }
  }
  return { text: 'FROM traits t WHERE TRUE', values: [], id: 't.id', rest: conditions }
}

const isTimeSpan = (condition: Condition): boolean =>
  condition.on === 'number' &&
  condition.column === 'received_at' &&
  !condition.negated &&
  condition.spans.length === 1

type Resolved = { readonly match: Match; readonly isSeekable: boolean }

/** Up to this number of words with a common beginning are queried one by one. */
const maxWords = 100
const noToken = 'none'
const plainWord = /^(?<before>(?:.*[^a-z0-9])?)(?<last>[a-z0-9]+)$/is
const ascii = /^[\0-\x7f]*$/

/**
 * Replaces a prefix by the existing words. FTS5 would collect all rows of a prefix before the first
 * result, and again in each window, but can seek by whole words.
 */
function createBeginnings(database: Database): (match: Match) => Resolved {
  const sql = createSql(database)
  database.exec('CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, search, row)')
  const range = 'SELECT term FROM temp.vocabulary WHERE term >= ? AND term < ?'
  const endOf = (beginning: string) => `${beginning}\u{10ffff}`

  /** Null if there are too many words. */
  function wordsBeginning(beginning: string): string[] | null {
    const text = `${range} LIMIT ${maxWords + 1}`
    const found = sql.column<string>(text, beginning, endOf(beginning))
    return found.length > maxWords ? null : found
  }

  /** Only the first tokens are read, because six characters and an ending leave few. */
  function tokensBetween(token: string, ending: string): string[] {
    const text = `${range} AND substr(term, -length(?3)) = ?3 LIMIT ${maxWords}`
    const found = sql.column<string>(text, token, endOf(token), ending)
    return found.length === 0 ? [noToken] : found
  }

  function resolve(match: Match): Resolved {
    switch (match.is) {
      case 'facets':
        return { match, isSeekable: true }
      case 'facets beginning': {
        if (match.ending !== '') {
          const tokens = tokensBetween(match.token, match.ending)
          return { match: { is: 'facets', tokens }, isSeekable: true }
        }
        const tokens = wordsBeginning(match.token)
        return tokens === null || tokens.length === 0
          ? { match, isSeekable: tokens !== null }
          : { match: { is: 'facets', tokens }, isSeekable: true }
      }
      case 'phrase':
        return match.prefix ? resolvePhrase(match) : { match, isSeekable: true }
      case 'any': {
        const of = match.of.map(resolve)
        return { match: { ...match, of: matchesOf(of) }, isSeekable: areSeekable(of) }
      }
      case 'all': {
        const [of, but] = [match.of.map(resolve), match.but.map(resolve)]
        const all = { ...match, of: matchesOf(of), but: matchesOf(but) }
        return { match: all, isSeekable: areSeekable([...of, ...but]) }
      }
    }
  }

  function resolvePhrase(match: Extract<Match, { is: 'phrase' }>): Resolved {
    const { before = '', last = '' } = plainWord.exec(match.text)?.groups ?? {}
    const words = last !== '' && ascii.test(match.text) ? wordsBeginning(last.toLowerCase()) : null
    if (words === null || words.length === 0) return { match, isSeekable: words !== null }
    const of = words.map((word) => ({ ...match, text: before + word, prefix: false }))
    return { match: { is: 'any', of }, isSeekable: true }
  }

  return resolve
}

const matchesOf = (resolved: readonly Resolved[]): Match[] => resolved.map(({ match }) => match)

const areSeekable = (resolved: readonly Resolved[]): boolean =>
  resolved.every(({ isSeekable }) => isSeekable)
