type JsonLimits = { readonly values: number; readonly depth: number }

/**
 * Counts values and nesting without parsing, because a parsed value needs many times the memory of
 * its text.
 * @returns the exceeded limit as a phrase that follows "it"; null if no limit is exceeded
 */
export function jsonExcess(text: string, limits: JsonLimits): string | null {
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = stringEnd(text, at)
    else if (code === 0x2c) values += 1
    else if (code === 0x7b || code === 0x5b) {
      depth += 1
      values += 1
    } else if (code === 0x7d || code === 0x5d) depth -= 1
    if (depth > limits.depth) return 'is nested too deeply'
    if (values > limits.values) {
      return `has too many values: more than ${limits.values.toLocaleString('en')}`
    }
  }
  return null
}

/** @returns the index of the quote that ends the string, or of the last character if there is none */
export function stringEnd(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf('"', at)
    if (at === -1) return text.length - 1
    let before = at
    while (text.charCodeAt(before - 1) === 0x5c) before -= 1
    if ((at - before) % 2 === 0) return at
  }
}
