/**
 * Words as the index has them (FTS5's unicode61): runs of letters and digits, whatever their case and,
 * of Latin letters, their accents. For what the index has not reached, and for rules.
 */
const separators = /[^\p{L}\p{N}\p{Co}\p{M}]+/u
const accents = /(\p{Script=Latin})\p{M}+/gu

export function wordsOf(text: string): string[] {
  return fold(text)
    .split(separators)
    .filter((word) => word !== '')
}

function fold(text: string): string {
  const lower = text.toLowerCase()
  // Nearly all that arrives is ASCII, which has no marks.
  return /^[\0-\x7f]*$/.test(lower)
    ? lower
    : lower.normalize('NFD').replace(accents, '$1').normalize('NFC')
}

/** A text prepared to be asked for phrases. */
export function wordLine(text: string): string {
  return `\n${wordsOf(text).join('\n')}\n`
}

/** True where the words of the phrase stand next to each other in the line. */
export function hasPhrase(line: string, words: readonly string[], prefix: boolean): boolean {
  if (words.length === 0) return false
  return line.includes(`\n${words.join('\n')}${prefix ? '' : '\n'}`)
}

const joint = '[-_./@#]'
/** Matches single words too, and takes as much as it can: so it never reads a run of letters twice. */
const runs = new RegExp(`[\\p{L}\\p{N}]+(?:${joint}[\\p{L}\\p{N}]+)*`, 'gu')
const oneRun = new RegExp(`^[^\\p{L}\\p{N}]*(${runs.source})$`, 'u')
/** Beginnings longer than this are not told apart: the words themselves do that. */
const longestCompound = 40
const shortestCompound = 3
const maxCompounds = 500
const searchedCharacters = 64 * 1024

/**
 * Words written together, such as `order-4711`, as one: `order4711`. The index keeps these besides the
 * words, because the beginning `order-4` is not the beginning of any word.
 */
export function compoundsOf(text: string): Set<string> {
  const found = new Set<string>()
  const folded = fold(text.slice(0, searchedCharacters))
  for (const { 0: written, index } of folded.matchAll(runs)) {
    const together = joined(written)
    // Names of JSON fields stand in every delivery.
    const isName = folded.startsWith('":', index + written.length)
    if (together.length === written.length || isName) continue
    found.add(together.slice(0, longestCompound))
    if (found.size === maxCompounds) break
  }
  return found
}

/** How the compounds begin that a text is the beginning of; null where it is not written together. */
export function compoundBeginning(text: string): string | null {
  const written = oneRun.exec(fold(text))?.[1] ?? ''
  const beginning = joined(written)
  const isCompound = beginning.length < written.length && written.length <= longestCompound
  return isCompound && beginning.length >= shortestCompound ? beginning : null
}

function joined(written: string): string {
  return written.replaceAll(/[-_./@#]/g, '')
}
