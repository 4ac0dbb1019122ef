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
