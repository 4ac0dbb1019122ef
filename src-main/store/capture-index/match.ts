/**
 * Full text expressions of FTS5. What a person has typed is always quoted, so nothing in it is taken
 * as syntax; what the tokenizer splits inside a phrase (an address, `order-42`) must then stand
 * together in order.
 *
 * Tokens of facets, of letters and digits only as the tokenizer wants them: `t` and the number of a
 * term; one letter for each property whose values are keys, and the key (`inspector/query/facets.ts`).
 * They are looked for in their own column, so a sender's text cannot pass for one.
 */
export type SearchColumn = 'all' | 'body' | 'comment' | 'note'

const columns: Readonly<Record<SearchColumn, string>> = {
  all: '{target headers body comment note meaning}',
  body: '{body}',
  comment: '{comment}',
  note: '{note}',
}

/** @param prefix the last word may be the beginning of one */
export function matchPhrase(column: SearchColumn, phrase: string, prefix: boolean): string {
  return `(${columns[column]} : ${quoted(phrase)}${prefix ? ' *' : ''})`
}

export function matchFacets(tokens: readonly string[]): string {
  return `({facets} : (${tokens.map(quoted).join(' OR ')}))`
}

export function matchFacetsBeginning(token: string): string {
  return `({facets} : ${quoted(token)} *)`
}

export function termToken(id: number): string {
  return `t${id.toString(36)}`
}

/** Which every capture has. */
export const everyToken = 'every'

export function matchAny(expressions: readonly string[]): string {
  return expressions.length === 1 ? (expressions[0] ?? '') : `(${expressions.join(' OR ')})`
}

/** All of the first, none of the others. */
export function matchAll(wanted: readonly string[], unwanted: readonly string[]): string {
  const base = wanted.length === 0 ? matchFacets([everyToken]) : wanted.join(' AND ')
  return unwanted.length === 0
    ? base
    : `(${base}) ${unwanted.map((each) => `NOT ${each}`).join(' ')}`
}

function quoted(text: string): string {
  // FTS5 reads a query up to its first NUL, which would cut a quoted word open.
  return `"${text.replaceAll('\0', ' ').replaceAll('"', '""')}"`
}
