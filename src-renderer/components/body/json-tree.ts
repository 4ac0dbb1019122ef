/** The kind of a node. `problem` contains the rest of the text after the first token that is not JSON. */
export const nodeKind = {
  object: 0,
  array: 1,
  string: 2,
  number: 3,
  word: 4,
  problem: 5,
} as const

/**
 * A JSON text as a flat list of nodes in the order of the text. Values are not converted: a node is
 * a range of the text, so a number keeps its digits, a string its escapes, and an object its
 * duplicate keys. Typed arrays are used, because a body of 1 MiB can contain half a million nodes.
 */
export type JsonTree = {
  readonly text: string
  readonly size: number
  readonly kinds: Uint8Array
  /** The literal with its quotes; for a container the range from its bracket to after the closing one. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** The literal of the key, or -1 if there is no key. */
  readonly keyStarts: Int32Array
  readonly keyEnds: Int32Array
  /** Index of the first node that is not inside this one. */
  readonly afters: Int32Array
  readonly parents: Int32Array
  readonly depths: Int32Array
  /** Position among the siblings, from 0. */
  readonly positions: Int32Array
  /** The number of members or items of a container. */
  readonly counts: Int32Array
  readonly flags: Uint8Array
  readonly problem: JsonProblem | null
}

export const nodeFlag = { duplicateKey: 1, unclosed: 2 } as const

/** Columns of a tree's nodes that grow; a node is an index into all of them. */
function createNodes() {
  let size = 0
  let room = 256
  const bytes = () => new Uint8Array(room)
  const ints = () => new Int32Array(room)
  const columns = {
    kinds: bytes(),
    flags: bytes(),
    starts: ints(),
    ends: ints(),
    keyStarts: ints(),
    keyEnds: ints(),
    afters: ints(),
    parents: ints(),
    depths: ints(),
    positions: ints(),
    counts: ints(),
  }

  const names = Object.keys(columns) as (keyof typeof columns)[]

  function widen(): void {
    room *= 2
    for (const name of names) {
      const wider = columns[name] instanceof Uint8Array ? bytes() : ints()
      wider.set(columns[name])
      Object.assign(columns, { [name]: wider })
    }
  }

  return {
    columns,
    size: () => size,
    /** Adds a node after all others, as the last child of `parent`; -1 for the root. */
    add: (kind: number, start: number, end: number, key: NodeKey, parent: number): number => {
      if (size === room) widen()
      const node = size
      size += 1
      columns.kinds[node] = kind
      columns.starts[node] = start
      columns.ends[node] = end
      columns.keyStarts[node] = key.start
      columns.keyEnds[node] = key.end
      columns.flags[node] = key.duplicate ? nodeFlag.duplicateKey : 0
      columns.afters[node] = size
      columns.parents[node] = parent
      if (parent >= 0) {
        const position = columns.counts[parent] ?? 0
        columns.depths[node] = (columns.depths[parent] ?? 0) + 1
        columns.positions[node] = position
        columns.counts[parent] = position + 1
      }
      return node
    },
  }
}

type NodeKey = { readonly start: number; readonly end: number; readonly duplicate: boolean }

const noKey: NodeKey = { start: -1, end: -1, duplicate: false }

/** Parses the whole text at once. Never throws, whatever the text is. */
export function readJsonTree(text: string): JsonTree {
  const scan = new JsonScan(text)
  scan.step(Number.POSITIVE_INFINITY)
  return scan.tree()
}

const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd' | 'nothing'

/** Parses a text in steps, so that a large one does not block the window. */
export class JsonScan {
  readonly #text: string
  readonly #nodes = createNodes()
  /** Containers that are not closed yet, and the keys of each. The parser does not recurse. */
  readonly #open: number[] = []
  readonly #seenKeys: (Set<string> | null)[] = []
  #expected: Expected = 'value'
  #at = 0
  #key = noKey
  #problem: JsonProblem | null = null
  #finished = false

  constructor(text: string) {
    this.#text = text
  }

  /** Parses up to this number of tokens; returns true at the end of the text. */
  step(tokens: number): boolean {
    for (let left = tokens; left > 0 && !this.#finished; left -= 1) this.#readToken()
    return this.#finished
  }

  /** Returns the result once `step` has returned true. */
  tree(): JsonTree {
    const { columns, size } = this.#nodes
    return { text: this.#text, size: size(), ...columns, problem: this.#problem }
  }

  #add(kind: number, start: number, end: number): number {
    const node = this.#nodes.add(kind, start, end, this.#key, this.#open.at(-1) ?? -1)
    this.#key = noKey
    return node
  }

  #enter(kind: number): void {
    const node = this.#add(kind, this.#at, this.#at + 1)
    this.#open.push(node)
    this.#seenKeys.push(kind === nodeKind.object ? new Set() : null)
    this.#expected = kind === nodeKind.object ? 'keyOrEnd' : 'valueOrEnd'
    this.#at += 1
  }

  #leave(): void {
    const node = this.#open.pop() ?? 0
    this.#seenKeys.pop()
    this.#at += 1
    this.#nodes.columns.ends[node] = this.#at
    this.#nodes.columns.afters[node] = this.#nodes.size()
    this.#expected = this.#open.length === 0 ? 'nothing' : 'commaOrEnd'
  }

  #literal(kind: number, end: number): void {
    this.#add(kind, this.#at, end)
    this.#at = end
    this.#expected = this.#open.length === 0 ? 'nothing' : 'commaOrEnd'
  }

  #stop(message: string, offset = this.#at): void {
    this.#problem = { message, ...placeOf(this.#text, offset) }
    this.#add(nodeKind.problem, this.#at, this.#text.length)
    this.#finish()
  }

  #finish(): void {
    for (const node of this.#open) {
      this.#nodes.columns.ends[node] = this.#text.length
      this.#nodes.columns.afters[node] = this.#nodes.size()
      this.#nodes.columns.flags[node] = (this.#nodes.columns.flags[node] ?? 0) | nodeFlag.unclosed
    }
    this.#finished = true
  }

  #readKey(): void {
    const read = scanJsonString(this.#text, this.#at)
    if (!read.ok) {
      this.#stop(read.message, read.offset)
      return
    }
    const name = decodeJsonString(this.#text.slice(this.#at, read.end))
    const seen = this.#seenKeys.at(-1)
    this.#key = { start: this.#at, end: read.end, duplicate: seen?.has(name) ?? false }
    seen?.add(name)
    this.#at = read.end
    this.#expected = 'colon'
  }

  #readLiteral(kind: number, read: Scanned): void {
    if (read.ok) this.#literal(kind, read.end)
    else this.#stop(read.message, read.offset)
  }

  #readValue(code: number): void {
    if (code === openBrace) this.#enter(nodeKind.object)
    else if (code === openBracket) this.#enter(nodeKind.array)
    else if (code === quote)
      this.#readLiteral(nodeKind.string, scanJsonString(this.#text, this.#at))
    else if (code === minus || (code >= zero && code <= nine)) {
      this.#readLiteral(nodeKind.number, scanJsonNumber(this.#text, this.#at))
    } else {
      const end = scanJsonWord(this.#text, this.#at)
      if (end > this.#at) this.#literal(nodeKind.word, end)
      else this.#stop('A value is expected here.')
    }
  }

  #readAfterValue(code: number): void {
    const inObject = this.#nodes.columns.kinds[this.#open.at(-1) ?? 0] === nodeKind.object
    if (code === (inObject ? closeBrace : closeBracket)) this.#leave()
    else if (code === comma) {
      this.#at += 1
      this.#expected = inObject ? 'key' : 'value'
    } else this.#stop(`A comma or ${inObject ? '}' : ']'} is expected here.`)
  }

  #readAtEnd(): void {
    if (this.#expected === 'nothing') this.#finish()
    else this.#stop(this.#nodes.size() === 0 ? 'There is no value.' : 'The text ends too early.')
  }

  #readToken(): void {
    this.#at = skipSpace(this.#text, this.#at)
    if (this.#at >= this.#text.length) {
      this.#readAtEnd()
      return
    }
    const code = this.#text.charCodeAt(this.#at)
    switch (this.#expected) {
      case 'nothing':
        this.#stop('The value has ended; nothing is expected after it.')
        break
      case 'keyOrEnd':
        if (code === closeBrace) this.#leave()
        else if (code === quote) this.#readKey()
        else this.#stop('A key in quotes or } is expected here.')
        break
      case 'key':
        if (code === quote) this.#readKey()
        else this.#stop('A key in quotes is expected here.')
        break
      case 'colon':
        if (code === colon) {
          this.#at += 1
          this.#expected = 'value'
        } else this.#stop('A colon is expected here.')
        break
      case 'valueOrEnd':
        if (code === closeBracket) this.#leave()
        else this.#readValue(code)
        break
      case 'value':
        this.#readValue(code)
        break
      case 'commaOrEnd':
        this.#readAfterValue(code)
        break
    }
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const space = code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
    // JSON has no byte order mark, but some senders begin with one.
    if (!space && !(code === 0xfeff && at === 0)) break
  }
  return at
}

/** The end of a literal, or its problem and position. */
type Scanned =
  | { readonly ok: true; readonly end: number }
  | { readonly ok: false; readonly message: string; readonly offset: number }

const wrong = (message: string, offset: number): Scanned => ({ ok: false, message, offset })

/** Scans a string from its opening quote. */
function scanJsonString(text: string, start: number): Scanned {
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

/**
 * Scans a number by the grammar of JSON: no leading zero, and digits around a point. The value is
 * not computed.
 */
function scanJsonNumber(text: string, start: number): Scanned {
  numberShape.lastIndex = start
  const end = numberShape.test(text) ? numberShape.lastIndex : start
  const next = text[end]
  if (end === start || (next !== undefined && /[0-9.eE+\-\w]/.test(next))) {
    return wrong('This is not a number of JSON.', start)
  }
  return { ok: true, end }
}

/** Scans `true`, `false` or `null`; returns `start` for anything else. */
function scanJsonWord(text: string, start: number): number {
  for (const word of ['true', 'false', 'null']) {
    const end = start + word.length
    if (text.startsWith(word, start) && !/\w/.test(text[end] ?? '')) return end
  }
  return start
}

/** The value of a string literal that `scanJsonString` has accepted. */
export const decodeJsonString = (literal: string): string =>
  literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1)

/** The position at which a text stops being JSON. Line and column start at 1; the column counts characters. */
type JsonProblem = {
  readonly message: string
  readonly offset: number
  readonly line: number
  readonly column: number
}

function placeOf(text: string, offset: number): Omit<JsonProblem, 'message'> {
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
    // This is the second half of a surrogate pair.
    if (code < 0xdc00 || code > 0xdfff) column += 1
  }
  return { offset, line, column }
}
