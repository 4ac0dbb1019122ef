/** Where a text stops being JSON. Line and column count from 1, the column in characters. */
export type JsonProblem = {
  readonly message: string
  readonly offset: number
  readonly line: number
  readonly column: number
}

export function placeOf(text: string, offset: number): Omit<JsonProblem, 'message'> {
  let line = 1
  let lineStart = 0
  for (;;) {
    const newline = text.indexOf('\n', lineStart)
    if (newline === -1 || newline >= offset) break
    line += 1
    lineStart = newline + 1
  }
  let column = 1
  for (let at = lineStart; at < offset; at += 1) {
    const code = text.charCodeAt(at)
    // The second half of a character outside the basic plane.
    if (code < 0xdc00 || code > 0xdfff) column += 1
  }
  return { offset, line, column }
}
