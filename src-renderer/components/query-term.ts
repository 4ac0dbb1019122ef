/** Formats terms of the query language of captures. Only the main process parses them. */

/** Formats `field:value`; the value is quoted if necessary. */
export const queryTerm = (field: string, value: string): string => `${field}:${quoteValue(value)}`

/** The query language refuses longer texts. */
const maxHashes = { whole: 28, short: 100 }

/** Finds captures of these transactions; many are found by the beginning of their hashes, for the first 100. */
export function hashesTerm(hashes: readonly string[]): string {
  const all = [...new Set(hashes)]
  const texts = all.length <= maxHashes.whole ? all : all.map((hash) => `${hash.slice(0, 16)}*`)
  return `hash:${texts.slice(0, maxHashes.short).join(',')}`
}

/** Quotes a value of a term if spaces or other characters would end or change it. */
export function quoteValue(value: string): string {
  if (/^[^\s",:<>()*-][^\s",()*]*$/.test(value) && !value.includes('..')) return value
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}
