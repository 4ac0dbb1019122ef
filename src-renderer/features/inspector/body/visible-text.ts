/** A piece of text as it can be shown: as it is, or a character that would not be seen. */
export type VisibleRun = {
  readonly text: string
  /** Name of the character this stands for; null for text shown as it is. */
  readonly stands: string | null
}

// Controls, what moves or hides text (zero width, direction), the replacement character.
const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\ufff9-\ufffb]/g

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

function standIn(code: number): VisibleRun {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  if (code < 0x20) return { text: String.fromCharCode(0x2400 + code), stands: name }
  if (code === 0x7f) return { text: '\u2421', stands: name }
  return { text: `[${name}]`, stands: name }
}

/** Columns a character takes in a monospace face, as it is shown here. */
export function columnsOf(code: number): number {
  if (code < 0x7f) return code === 0x09 ? 4 : 1
  if (code < 0xa0 || code === 0xad || code === 0x61c || code === 0x180e) return 8
  if (code < 0x1100) return 1
  if (code >= 0x200b && code <= 0x2069) return isUnseen(code) ? 8 : 1
  if (code < 0x2e80) return 1
  return isUnseen(code) ? 8 : 2
}

function isUnseen(code: number): boolean {
  unseen.lastIndex = 0
  return unseen.test(String.fromCharCode(code))
}
