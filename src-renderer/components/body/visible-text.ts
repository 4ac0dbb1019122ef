/** A piece of text as it can be shown: as it is, or a character that would not be seen. */
type VisibleRun = {
  readonly text: string
  /** Name of the character this stands for; null for text shown as it is. */
  readonly stands: string | null
}

// Controls, what moves or hides text (zero width, direction), the replacement character.
const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\ufff9-\ufffb]/g

// Without the flag that makes an expression remember where it was.
const oneUnseen = new RegExp(unseen.source)

/**
 * Cuts a text so that each unseen character stands out. Text of strangers must not hide or reorder
 * what is read: a direction override would show one account for another.
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

/** Short names of the ASCII controls, in their order. Pictures of them are not in every font. */
const controls =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

function standIn(code: number): VisibleRun {
  const point = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  return { text: nameOf(code) ?? `[${point}]`, stands: point }
}

function nameOf(code: number): string | undefined {
  return code === 0x7f ? 'DEL' : controls[code]
}

/** Columns a character takes in a monospace face, as it is shown here. */
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

function isUnseen(code: number): boolean {
  return oneUnseen.test(String.fromCharCode(code))
}
