/** Where a literal ends, or what is wrong with it and where. */
export type Scanned =
  | { readonly ok: true; readonly end: number }
  | { readonly ok: false; readonly message: string; readonly offset: number }

const wrong = (message: string, offset: number): Scanned => ({ ok: false, message, offset })

/** A string from its opening quote. */
export function scanJsonString(text: string, start: number): Scanned {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return { ok: true, end: at + 1 }
    if (code < 0x20) return wrong('A control character in a string must be escaped.', at)
    if (code !== 0x5c) continue
    const escape = text[at + 1]
    if (escape === undefined) break
    if (escape === 'u') {
      if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6))) {
        return wrong('Four hexadecimal digits are expected after \\u.', at)
      }
      at += 5
    } else if ('"\\/bfnrt'.includes(escape)) {
      at += 1
    } else {
      return wrong(`There is no escape \\${escape} in JSON.`, at)
    }
  }
  return wrong('The string that begins here does not end.', start)
}

const numberShape = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

/** A number by the grammar of JSON: no leading zero, no bare point. Its digits are not read. */
export function scanJsonNumber(text: string, start: number): Scanned {
  numberShape.lastIndex = start
  const end = numberShape.test(text) ? numberShape.lastIndex : start
  const next = text[end]
  if (end === start || (next !== undefined && /[0-9.eE+\-\w]/.test(next))) {
    return wrong('This is not a number of JSON.', start)
  }
  return { ok: true, end }
}

/** `true`, `false` or `null`; where it is none of them, `start` again. */
export function scanJsonWord(text: string, start: number): number {
  for (const word of ['true', 'false', 'null']) {
    const end = start + word.length
    if (text.startsWith(word, start) && !/\w/.test(text[end] ?? '')) return end
  }
  return start
}

/** What a string literal means. The literal must be one that `scanJsonString` has accepted. */
export function decodeJsonString(literal: string): string {
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1)
}
