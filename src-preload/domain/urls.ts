export const secondUrlProblem =
  'The path contains a second URL. Two URLs may have been entered one after the other.'

/**
 * True for `https://a.example/hookhttp://b.example/hook`, where a URL was typed or pasted after a
 * prefilled one. A query may contain a URL.
 */
export function hasSecondUrl(text: string): boolean {
  const [beforeQuery = ''] = text.trim().split(/[?#]/)
  const path = beforeQuery.replace(/^[a-z][a-z\d+.-]*:\/\//i, '')
  return /https?(?::|%3a)(?:\/|%2f)/i.test(path)
}
