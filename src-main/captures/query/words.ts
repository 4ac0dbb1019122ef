/**
 * Splits text into words as FTS5's unicode61 does: runs of letters and digits without case and, for
 * Latin letters, without accents. Used for rules and for captures that are not indexed yet.
 */
const separators = /[^\p{L}\p{N}\p{Co}\p{M}]+/u
const accents = /(\p{Script=Latin})\p{M}+/gu

export const wordsOf = (text: string): string[] =>
  fold(text)
    .split(separators)
    .filter((word) => word !== '')

function fold(text: string): string {
  const lower = text.toLowerCase()
  // Most text is ASCII, which has no accents.
  return /^[\0-\x7f]*$/.test(lower)
    ? lower
    : lower.normalize('NFD').replace(accents, '$1').normalize('NFC')
}

export const wordLine = (text: string): string => `\n${wordsOf(text).join('\n')}\n`

export function hasPhrase(line: string, words: readonly string[], prefix: boolean): boolean {
  if (words.length === 0) return false
  return line.includes(`\n${words.join('\n')}${prefix ? '' : '\n'}`)
}

const joint = '[-_./@#]'
/** The pattern also matches single words, so that no run of letters is read twice. */
const runs = new RegExp(`[\\p{L}\\p{N}]+(?:${joint}[\\p{L}\\p{N}]+)*`, 'gu')
const oneRun = new RegExp(`^[^\\p{L}\\p{N}]*(${runs.source})$`, 'u')
/** Longer beginnings are not distinguished, because the single words do that. */
const longestCompound = 40
const shortestCompound = 3
const maxCompounds = 500
const searchedCharacters = 64 * 1024

/**
 * Compound words such as `order-4711` become one word, `order4711`. The index stores them too, because the
 * beginning `order-4` is not the beginning of any single word.
 */
export function compoundsOf(text: string): Set<string> {
  const found = new Set<string>()
  const folded = fold(text.slice(0, searchedCharacters))
  for (const { 0: written, index } of folded.matchAll(runs)) {
    const together = joined(written)
    // JSON field names are in every delivery.
    const isName = folded.startsWith('":', index + written.length)
    if (together.length === written.length || isName) continue
    found.add(together.slice(0, longestCompound))
    if (found.size === maxCompounds) break
  }
  return found
}

/** @returns the beginning of the compounds that match; null if the text is not a compound */
export function compoundBeginning(text: string): string | null {
  const written = oneRun.exec(fold(text))?.[1] ?? ''
  const beginning = joined(written)
  const isCompound = beginning.length < written.length && written.length <= longestCompound
  return isCompound && beginning.length >= shortestCompound ? beginning : null
}

const joined = (written: string): string => written.replaceAll(/[-_./@#]/g, '')
