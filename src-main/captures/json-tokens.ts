/**
 * Tokenizes JSON so that a text can be formatted or edited in parts while all other characters and
 * digits stay. There is no recursion, so only memory limits the nesting.
 */

import { jsonExcess } from '../../src-preload/domain/json-size.ts'

type JsonToken = {
  readonly kind: 'key' | 'string' | 'number' | 'word' | 'mark'
  readonly raw: string
  readonly space: string
  /** Names of the enclosing members, outermost first; arrays have no name. */
  readonly path: readonly string[]
}

/** Bodies of the gateway are less deeply nested, and the cost grows with the square of the depth. */
const deepest = 500

/** The limit exists because a parsed value needs many times the memory of its text. */
const maxValues = 200_000

export function isJson(text: string): boolean {
  try {
    readJson(text)
    return true
  } catch {
    return false
  }
}

/** @throws Error whose message continues a remark such as "it is not JSON" */
export function readJson(text: string): unknown {
  const excess = jsonExcess(text, { values: maxValues, depth: deepest })
  if (excess !== null) throw new Error(`it ${excess}`)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error('it is not JSON', { cause })
  }
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
  for (;;) {
    space.lastIndex = at
    const before = space.exec(text)?.[0] ?? ''
    at += before.length
    if (at >= text.length) {
      if (before !== '') yield { kind: 'mark', raw: '', space: before, path }
      return
    }
    const isString = text[at] === '"'
    const raw = isString ? stringAt(text, at) : plainAt(text, at)
    at += raw.length
    if (isKeyNext && isString) open[open.length - 1] = JSON.parse(raw) as string
    if (raw === '}' || raw === ']') open.pop()
    const kind = isString ? (isKeyNext ? 'key' : 'string') : plainKind(raw)
    if (kind === 'key' || raw === '}' || raw === ']') path = open.filter((each) => each !== null)
    yield { kind, raw, space: before, path }
    if (raw === '{') open.push('')
    else if (raw === '[') open.push(null)
    isKeyNext = raw === '{' || (raw === ',' && open.at(-1) !== null)
  }
}

function plainKind(raw: string): JsonToken['kind'] {
  if (/^[{}[\],:]$/.test(raw)) return 'mark'
  return /^[-\d]/.test(raw) ? 'number' : 'word'
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
