/** A piece of text: unchanged, or the name of an invisible character. */
type VisibleRun = {
  readonly text: string
  /** The code point of the invisible character; null for unchanged text. */
  readonly stands: string | null
}

// Control characters, characters that move or hide text (zero width, direction), and the replacement character.
const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\ufff9-\ufffb]/g

// The expression has no flag that would make it remember its last position.
const oneUnseen = new RegExp(unseen.source)

/**
 * Splits a text so that each invisible character can be marked, because text from outside must not
 * hide or reorder other text: a direction override could show another account.
 */
export function visibleRuns(text: string): VisibleRun[] {
  const runs: VisibleRun[] = []
  let from = 0
  for (const match of text.matchAll(unseen)) {
    if (match.index > from) runs.push({ text: text.slice(from, match.index), stands: null })
    runs.push(standIn(match[0].charCodeAt(0)))
    from = match.index + 1
  }
  if (from < text.length) runs.push({ text: text.slice(from), stands: null })
  return runs
}

/** Short names of the ASCII control characters in order, because not every font has symbols for them. */
const controls =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

function standIn(code: number): VisibleRun {
  const point = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  return { text: nameOf(code) ?? `[${point}]`, stands: point }
}

const nameOf = (code: number): string | undefined => (code === 0x7f ? 'DEL' : controls[code])

/** Returns the number of columns that a displayed character takes in a monospace font. */
export function columnsOf(code: number): number {
  if (code === 0x09) return 4
  const name = nameOf(code)
  if (name !== undefined) return name.length
  if (code < 0x7f) return 1
  if (code < 0xa0 || code === 0xad || code === 0x61c || code === 0x180e) return 8
  if (code < 0x1100) return 1
  if (code >= 0x200b && code <= 0x2069) return isUnseen(code) ? 8 : 1
  if (code < 0x2e80) return 1
  return isUnseen(code) ? 8 : 2
}

const isUnseen = (code: number): boolean => oneUnseen.test(String.fromCharCode(code))
