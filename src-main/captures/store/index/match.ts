import type { Match, MatchColumn } from './index-plan.ts'

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
export function printMatch(match: Match): string {
  switch (match.is) {
    case 'phrase':
      return `(${columns[match.column]} : ${quoted(match.text)}${match.prefix ? ' *' : ''})`
    case 'facets':
      return `({facets} : (${match.tokens.map(quoted).join(' OR ')}))`
    case 'facets beginning':
      return `({facets} : ${quoted(match.token)} *)`
    case 'any':
      return `(${printAll(match.of).join(' OR ')})`
    case 'all': {
      const wanted = printAll(match.of).join(' AND ')
      return `(${[`(${wanted})`, ...printAll(match.but)].join(' NOT ')})`
    }
  }
}

/** Each once: asked twice, it would be looked for twice. */
function printAll(matches: readonly Match[]): string[] {
  return [...new Set(matches.map(printMatch))]
}

function quoted(text: string): string {
  // FTS5 reads a query up to its first NUL, which would cut a quoted word open.
  return `"${text.replaceAll('\0', ' ').replaceAll('"', '""')}"`
}
