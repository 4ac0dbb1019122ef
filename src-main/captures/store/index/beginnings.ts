import type { Database } from '../../../database/database.ts'
import type { Match } from './index-plan.ts'

/** A match, and whether a window of it is found without going through all of it. */
type Resolved = { readonly match: Match; readonly isSeekable: boolean }

/** So many words with one beginning are asked for one by one. */
const maxWords = 100
/** What no capture has. */
const noToken = 'none'
/** What the tokenizer leaves as it is. */
const plainWord = /^(?<before>(?:.*[^a-z0-9])?)(?<last>[a-z0-9]+)$/is
const ascii = /^[\0-\x7f]*$/

/**
 * Puts the words there are in the place of a beginning: FTS5 gathers all that a beginning finds before
 * it gives the first of it, and again for each window; of words it knows where each stands.
 */
export function createBeginnings(database: Database): (match: Match) => Resolved {
  database.exec('CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, search, row)')
  const beginningWith = database.prepare(
    `SELECT term FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT ${maxWords + 1}`,
  )

  const beginningAndEnding = database.prepare(
    `SELECT term FROM temp.vocabulary
     WHERE term >= ? AND term < ? AND substr(term, -length(?3)) = ?3 LIMIT ${maxWords}`,
  )

  /** Null where they are too many. */
  function wordsBeginning(beginning: string): string[] | null {
    const rows = beginningWith.all(beginning, `${beginning}\u{10ffff}`)
    return rows.length > maxWords ? null : rows.map((row) => row['term'] as string)
  }

  /** The first of them: half a dozen characters and an ending leave few. */
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
