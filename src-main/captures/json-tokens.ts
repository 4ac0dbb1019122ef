/**
 * Tokenizes JSON so that a text can be formatted or edited in parts while every other character and digit
 * stays. No recursion: only memory limits the nesting.
 */

type JsonToken = {
  readonly kind: 'key' | 'string' | 'number' | 'word' | 'mark'
  readonly raw: string
  readonly space: string
  /** Names of the enclosing members, outermost first; arrays add nothing. */
  readonly path: readonly string[]
}

/** No body of the gateway is nested deeper, and the cost grows with the square of the depth. */
const deepest = 500

/** A parsed value needs many times its characters in memory. */
const maxValues = 200_000

export function isJson(text: string): boolean {
  try {
    if (isTooMuch(text)) return false
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isTooMuch(text: string): boolean {
  let depth = 0
  let values = 1
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === 0x5c) at += 1
      else if (code === 0x22) isInString = false
    } else if (code === 0x22) isInString = true
    else if (code === 0x2c) values += 1
    else if (code === 0x7b || code === 0x5b) {
      depth += 1
      values += 1
      if (depth > deepest || values > maxValues) return true
    } else if (code === 0x7d || code === 0x5d) depth -= 1
  }
  return values > maxValues
}

const space = /[\s]*/y
const plainToken = /[{}[\],:]|[^\s{}[\],:"]+/y

/** @param text valid JSON (`isJson`) */
export function* jsonTokens(text: string): Generator<JsonToken> {
  // Per open container: the current member of an object, null for an array.
  const open: (string | null)[] = []
  let path: readonly string[] = []
  let at = 0
  let isKeyNext = false
  const enter = (name: string | null) => {
    open.push(name)
  }
  const rename = (name: string) => {
    open[open.length - 1] = name
    path = open.filter((each) => each !== null)
  }
  for (;;) {
    space.lastIndex = at
    const before = space.exec(text)?.[0] ?? ''
    at += before.length
    if (at >= text.length) {
      if (before !== '') yield { kind: 'mark', raw: '', space: before, path }
      return
    }
    const raw = text[at] === '"' ? stringAt(text, at) : plainAt(text, at)
    at += raw.length
    if (raw[0] === '"') {
      if (isKeyNext) {
        rename(JSON.parse(raw) as string)
        isKeyNext = false
        yield { kind: 'key', raw, space: before, path }
      } else yield { kind: 'string', raw, space: before, path }
      continue
    }
    switch (raw) {
      case '{':
        yield { kind: 'mark', raw, space: before, path }
        enter('')
        isKeyNext = true
        continue
      case '[':
        yield { kind: 'mark', raw, space: before, path }
        enter(null)
        continue
      case '}':
      case ']':
        open.pop()
        path = open.filter((each) => each !== null)
        isKeyNext = false
        break
      case ',':
        isKeyNext = open.at(-1) !== null
        break
      case ':':
        break
      default:
        yield { kind: /^[-\d]/.test(raw) ? 'number' : 'word', raw, space: before, path }
        continue
    }
    yield { kind: 'mark', raw, space: before, path }
  }
}

function stringAt(text: string, from: number): string {
  let at = from + 1
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at += 1
    else if (code === 0x22) break
  }
  return text.slice(from, at + 1)
}

function plainAt(text: string, from: number): string {
  plainToken.lastIndex = from
  return plainToken.exec(text)?.[0] ?? text.slice(from)
}

/** Indents by two spaces and copies every value unchanged. */
export function layOutJson(text: string): string {
  const parts: string[] = []
  let depth = 0
  let before = ''
  const line = () => parts.push('\n', '  '.repeat(depth))
  for (const { raw } of jsonTokens(text)) {
    const isOpening = before === '{' || before === '['
    const isClosing = raw === '}' || raw === ']'
    if (isClosing) {
      depth -= 1
      if (!isOpening) line()
    } else if (isOpening || before === ',') line()
    parts.push(raw === ':' ? ': ' : raw)
    if (raw === '{' || raw === '[') depth += 1
    before = raw
  }
  return parts.join('')
}
