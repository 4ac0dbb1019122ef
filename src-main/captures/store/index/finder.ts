import type { Database } from '../../../database/database.ts'
import {
  type Condition,
  type IndexPlan,
  type Match,
  type Sql,
  conditionSql,
  formatMatch,
  forwardedTable,
  noneWorse,
  spanBounds,
} from './index-plan.ts'

/** Both ids are excluded. */
export type Window = { readonly after: number; readonly before: number }

type PreparedPlan = {
  readonly window: Window
  /** The SQL after `SELECT`; ends in a condition. */
  readonly from: Sql
  readonly id: string
  /** False when a small window takes as long as the whole range. */
  readonly isSeekable: boolean
}

/** Executes plans window by window, so that no statement takes long. The log must be attached as `log`. */
export type Finder = {
  prepare(plan: IndexPlan, window: Window): PreparedPlan
  ids(plan: PreparedPlan, window: Window, newestFirst: boolean, limit: number): number[]
  count(plan: PreparedPlan, window: Window): number
  firstFrom(moment: number): number | null
  holdsOthers(window: Window): boolean
}

type Source = {
  /** Ends in a condition; `$traits` stands for the join with traits. */
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
   * Narrows the window to the plan's time span, and drops that condition when every capture in the window
   * is in the span. Ids follow time only as far as clocks do, and imported captures have their own times.
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

  /** Window bounds come last, as BigInt: a number would be bound as REAL, which FTS5 cannot seek by. */
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
        // The unary plus stops SQLite from one full text search per row.
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

type Resolved = { readonly match: Match; readonly isSeekable: boolean }

/** Up to this many words with a common beginning are queried one by one. */
const maxWords = 100
const noToken = 'none'
const plainWord = /^(?<before>(?:.*[^a-z0-9])?)(?<last>[a-z0-9]+)$/is
const ascii = /^[\0-\x7f]*$/

/**
 * Replaces a prefix by the existing words: FTS5 collects all rows of a prefix before the first result and
 * again per window, but seeks by whole words.
 */
function createBeginnings(database: Database): (match: Match) => Resolved {
  database.exec('CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, search, row)')
  const beginningWith = database.prepare(
    `SELECT term FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT ${maxWords + 1}`,
  )

  const beginningAndEnding = database.prepare(
    `SELECT term FROM temp.vocabulary
     WHERE term >= ? AND term < ? AND substr(term, -length(?3)) = ?3 LIMIT ${maxWords}`,
  )

  /** Null when there are too many. */
  function wordsBeginning(beginning: string): string[] | null {
    const rows = beginningWith.all(beginning, `${beginning}\u{10ffff}`)
    return rows.length > maxWords ? null : rows.map((row) => row['term'] as string)
  }

  /** Only the first are read: six characters and an ending leave few. */
  function tokensBetween(token: string, ending: string): string[] {
    const rows = beginningAndEnding.all(token, `${token}\u{10ffff}`, ending)
    return rows.length === 0 ? [noToken] : rows.map((row) => row['term'] as string)
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

function matchesOf(resolved: readonly Resolved[]): Match[] {
  return resolved.map(({ match }) => match)
}

function areSeekable(resolved: readonly Resolved[]): boolean {
  return resolved.every(({ isSeekable }) => isSeekable)
}
