import {
  type Scanned,
  decodeJsonString,
  scanJsonNumber,
  scanJsonString,
  scanJsonWord,
} from './json-literals.ts'
import { type JsonTree, createNodes, nodeFlag, nodeKind } from './json-nodes.ts'
import { type JsonProblem, placeOf } from './json-problem.ts'

/** Reads a text step by step, so that a large one need not hold up the window. */
type JsonScan = {
  /** Reads up to this many tokens; true when the text is read. */
  step(tokens: number): boolean
  /** What has been read; call once `step` has returned true. */
  tree(): JsonTree
}

/** Reads the whole text at once. Never throws, whatever the text is. */
export function readJsonTree(text: string): JsonTree {
  const scan = createJsonScan(text)
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

export function createJsonScan(text: string): JsonScan {
  const nodes = createNodes()
  /** Containers not closed yet, and the keys seen in each; the reader itself never recurses. */
  const open: number[] = []
  const seenKeys: (Set<string> | null)[] = []
  let expected: Expected = 'value'
  let at = 0
  let key = { start: -1, end: -1, duplicate: false }
  let problem: JsonProblem | null = null
  let finished = false

  function add(kind: number, start: number, end: number): number {
    const parent = open.at(-1) ?? -1
    const node = nodes.add()
    nodes.kinds[node] = kind
    nodes.starts[node] = start
    nodes.ends[node] = end
    nodes.keyStarts[node] = key.start
    nodes.keyEnds[node] = key.end
    nodes.flags[node] = key.duplicate ? nodeFlag.duplicateKey : 0
    nodes.afters[node] = node + 1
    nodes.parents[node] = parent
    nodes.depths[node] = open.length
    nodes.counts[node] = 0
    nodes.positions[node] = 0
    if (parent >= 0) {
      const position = nodes.counts[parent] ?? 0
      nodes.positions[node] = position
      nodes.counts[parent] = position + 1
    }
    key = { start: -1, end: -1, duplicate: false }
    return node
  }

  function enter(kind: number): void {
    const node = add(kind, at, at + 1)
    open.push(node)
    seenKeys.push(kind === nodeKind.object ? new Set() : null)
    expected = kind === nodeKind.object ? 'keyOrEnd' : 'valueOrEnd'
    at += 1
  }

  function leave(): void {
    const node = open.pop() ?? 0
    seenKeys.pop()
    at += 1
    nodes.ends[node] = at
    nodes.afters[node] = nodes.size()
    expected = open.length === 0 ? 'nothing' : 'commaOrEnd'
  }

  function literal(kind: number, end: number): void {
    add(kind, at, end)
    at = end
    expected = open.length === 0 ? 'nothing' : 'commaOrEnd'
  }

  function stop(message: string, offset = at): void {
    problem = { message, ...placeOf(text, offset) }
    add(nodeKind.problem, at, text.length)
    finish()
  }

  function finish(): void {
    for (const node of open) {
      nodes.ends[node] = text.length
      nodes.afters[node] = nodes.size()
      nodes.flags[node] = (nodes.flags[node] ?? 0) | nodeFlag.unclosed
    }
    finished = true
  }

  function readKey(): void {
    const read = scanJsonString(text, at)
    if (!read.ok) {
      stop(read.message, read.offset)
      return
    }
    const name = decodeJsonString(text.slice(at, read.end))
    const seen = seenKeys.at(-1)
    key = { start: at, end: read.end, duplicate: seen?.has(name) ?? false }
    seen?.add(name)
    at = read.end
    expected = 'colon'
  }

  function readLiteral(kind: number, read: Scanned): void {
    if (read.ok) literal(kind, read.end)
    else stop(read.message, read.offset)
  }

  function readValue(code: number): void {
    if (code === openBrace) enter(nodeKind.object)
    else if (code === openBracket) enter(nodeKind.array)
    else if (code === quote) readLiteral(nodeKind.string, scanJsonString(text, at))
    else if (code === minus || (code >= zero && code <= nine)) {
      readLiteral(nodeKind.number, scanJsonNumber(text, at))
    } else {
      const end = scanJsonWord(text, at)
      if (end > at) literal(nodeKind.word, end)
      else stop('A value is expected here.')
    }
  }

  function readAfterValue(code: number): void {
    const inObject = nodes.kinds[open.at(-1) ?? 0] === nodeKind.object
    if (code === (inObject ? closeBrace : closeBracket)) leave()
    else if (code === comma) {
      at += 1
      expected = inObject ? 'key' : 'value'
    } else stop(`A comma or ${inObject ? '}' : ']'} is expected here.`)
  }

  function readAtEnd(): void {
    if (expected === 'nothing') finish()
    else stop(nodes.size() === 0 ? 'There is no value.' : 'The text ends too early.')
  }

  function readToken(): void {
    at = skipSpace(text, at)
    if (at >= text.length) {
      readAtEnd()
      return
    }
    const code = text.charCodeAt(at)
    switch (expected) {
      case 'nothing':
        stop('The value has ended; nothing is expected after it.')
        break
      case 'keyOrEnd':
        if (code === closeBrace) leave()
        else if (code === quote) readKey()
        else stop('A key in quotes or } is expected here.')
        break
      case 'key':
        if (code === quote) readKey()
        else stop('A key in quotes is expected here.')
        break
      case 'colon':
        if (code === colon) {
          at += 1
          expected = 'value'
        } else stop('A colon is expected here.')
        break
      case 'valueOrEnd':
        if (code === closeBracket) leave()
        else readValue(code)
        break
      case 'value':
        readValue(code)
        break
      case 'commaOrEnd':
        readAfterValue(code)
        break
    }
  }

  return {
    step(tokens) {
      for (let left = tokens; left > 0 && !finished; left -= 1) readToken()
      return finished
    },
    tree: () => ({ text, ...nodes.take(), problem }),
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const space = code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
    // A byte order mark is no part of JSON, yet some senders begin with one.
    if (!space && !(code === 0xfeff && at === 0)) break
  }
  return at
}
