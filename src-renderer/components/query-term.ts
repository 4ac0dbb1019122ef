/** Terms of the query language of captures, as the window writes them. The main process reads them. */

/** `field:value`, the value quoted where it would not be read as one. */
export function queryTerm(field: string, value: string): string {
  return `${field}:${quoted(value)}`
}

/** Longer texts are refused by the query language. */
const maxHashes = { whole: 28, short: 100 }

/** Captures of any of these transactions; of many by the beginning of their hashes, of the first 100. */
export function hashesTerm(hashes: readonly string[]): string {
  const all = [...new Set(hashes)]
  const texts = all.length <= maxHashes.whole ? all : all.map((hash) => `${hash.slice(0, 16)}*`)
  return `hash:${texts.slice(0, maxHashes.short).join(',')}`
}

/** A value as it is to be written in a term: quoted where blanks or signs would end or change it. */
export function quoted(value: string): string {
  if (/^[^\s",:<>()*-][^\s",()*]*$/.test(value) && !value.includes('..')) return value
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}
