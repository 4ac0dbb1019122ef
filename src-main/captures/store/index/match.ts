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
