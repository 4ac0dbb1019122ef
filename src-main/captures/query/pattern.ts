/**
 * A text with wildcards, in lower case, cut at them: one piece is the text itself, `['a', 'b']` is
 * `a*b`. Compared piece by piece, never as a regular expression, so no pattern can take long.
 */
export type Pattern = readonly [string, ...string[]]

export function plain(text: string): Pattern {
  return [text.toLowerCase()]
}

/** The beginning, where nothing but that is told; null for others. */
export function prefixOf(pattern: Pattern): string | null {
  return pattern.length === 2 && pattern[1] === '' ? pattern[0] : null
}

export function matchesPattern(pattern: Pattern, value: string): boolean {
  const text = value.toLowerCase()
  const first = pattern[0]
  if (pattern.length === 1) return text === first
  const last = pattern.at(-1) ?? ''
  if (text.length < first.length + last.length) return false
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  const end = text.length - last.length
  let at = first.length
  for (const piece of pattern.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found === -1 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}
