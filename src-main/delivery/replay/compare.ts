import { STATUS_CODES } from 'node:http'
import { diffArrays } from 'diff'
import type { DiffLine } from '../../../src-preload/contract/replay.ts'
import { type Headers, decodeBody, headerValue } from '../../captures/decode-body.ts'
import { exactText, hexRows } from '../../captures/files/exported.ts'
import { maskHeader, maskTarget } from '../../../src-preload/domain/mask.ts'
import { isJson, layOutJson } from '../../captures/json-tokens.ts'

/**
 * Up to this number of edits the shortest difference is computed; beyond that, unique common lines
 * are matched.
 */
const maxEdits = 1_000
/** Larger changed blocks are paired by order alone. */
const maxPaired = 200

export function diffLines(left: readonly string[], right: readonly string[]): DiffLine[] {
  let start = 0
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1
  let leftEnd = left.length
  let rightEnd = right.length
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd -= 1
    rightEnd -= 1
  }
  const [l, r] = [left.slice(start, leftEnd), right.slice(start, rightEnd)]
  const middle = aroundDifferences(l, r, commonLines(l, r), pair, same)
  return [...left.slice(0, start).map(same), ...middle, ...left.slice(leftEnd).map(same)]
}

const isAllSame = (lines: readonly DiffLine[]): boolean =>
  lines.every(({ kind }) => kind === 'same')

const same = (line: string): DiffLine => ({ kind: 'same', left: line, right: line })

/** Maps the lines between the differences by `between`, and the differing lines by `at`. */
function aroundDifferences(
  left: readonly string[],
  right: readonly string[],
  places: readonly Place[],
  between: (left: readonly string[], right: readonly string[]) => DiffLine[],
  at: (left: string, right: string) => DiffLine,
): DiffLine[] {
  const lines: DiffLine[] = []
  let [leftAt, rightAt] = [0, 0]
  for (const [l, r] of [...places, [left.length, right.length] as const]) {
    for (const each of between(left.slice(leftAt, l), right.slice(rightAt, r))) lines.push(each)
    const [one, other] = [left[l], right[r]]
    if (one !== undefined && other !== undefined) lines.push(at(one, other))
    leftAt = l + 1
    rightAt = r + 1
  }
  return lines
}

type Place = readonly [left: number, right: number]

function commonLines(left: readonly string[], right: readonly string[]): Place[] {
  const parts = diffArrays([...left], [...right], { maxEditLength: maxEdits })
  if (parts === undefined) return anchors(left, right)
  let [leftAt, rightAt] = [0, 0]
  return parts.flatMap(({ added, removed, count }) => {
    const [x, y] = [leftAt, rightAt]
    if (!added) leftAt += count
    if (!removed) rightAt += count
    return added || removed ? [] : Array.from({ length: count }, (_, at): Place => [x + at, y + at])
  })
}

function anchors(a: readonly string[], b: readonly string[]): Place[] {
  const inB = positionsOfSingles(b)
  const candidates = [...positionsOfSingles(a)].flatMap(([line, x]): Place[] => {
    const y = inB.get(line)
    return y === undefined ? [] : [[x, y]]
  })
  const ends: number[] = []
  const before = new Int32Array(candidates.length)
  candidates.forEach(([, y], index) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((candidates[ends[middle] ?? 0]?.[1] ?? 0) < y) low = middle + 1
      else high = middle
    }
    before[index] = ends[low - 1] ?? -1
    ends[low] = index
  })
  const row: Place[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const place = candidates[at]
    if (place !== undefined) row.push(place)
  }
  return row.reverse()
}

function positionsOfSingles(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>()
  const seen = new Set<string>()
  lines.forEach((line, at) => {
    if (seen.has(line)) places.delete(line)
    else places.set(line, at)
    seen.add(line)
  })
  return places
}

function pair(left: readonly string[], right: readonly string[]): DiffLine[] {
  if (left.length === 0) return right.map((line) => ({ kind: 'right', left: null, right: line }))
  if (right.length === 0) return left.map((line) => ({ kind: 'left', left: line, right: null }))
  if (left.length === right.length || Math.max(left.length, right.length) > maxPaired) {
    return pairByOrder(left, right)
  }
  const alike = commonLines(left.map(nameOf), right.map(nameOf))
  return aroundDifferences(left, right, alike, pairByOrder, (one, other) => ({
    kind: 'changed',
    left: one,
    right: other,
  }))
}

const pairByOrder = (left: readonly string[], right: readonly string[]): DiffLine[] =>
  Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const l = left[index] ?? null
    const r = right[index] ?? null
    return { kind: r === null ? 'left' : l === null ? 'right' : 'changed', left: l, right: r }
  })

function nameOf(line: string): string {
  const colon = line.indexOf(':')
  return colon === -1 ? line : line.slice(0, colon)
}

/** Secrets in the head are masked. */
export type ComparedSide = {
  readonly kind: 'request' | 'answer'
  readonly title: string
  /** The time in microseconds since the epoch. */
  readonly at: number
  readonly firstLine: string
  readonly headers: Headers
  readonly body: Uint8Array
  readonly bodyBytes: number
}

type Compared = {
  readonly head: DiffLine[]
  readonly body: DiffLine[]
  readonly isSame: boolean
  readonly cut: string | null
}

/** Larger bodies take too long to compare. */
const maxBytes = 2 * 1024 * 1024
const maxLines = 20_000
const maxInLine = 4_000

export const compareSides = async (left: ComparedSide, right: ComparedSide): Promise<Compared> =>
  compareTexts(await readSide(left), await readSide(right))

type ComparedText = {
  readonly head: readonly string[]
  readonly bytes: Uint8Array
  readonly cut: string | null
}

export function compareTexts(left: ComparedText, right: ComparedText): Compared {
  const head = diffLines(left.head, right.head)
  const [leftBody, rightBody] = layOut(left.bytes, right.bytes, inLines)
  const body = diffLines(leftBody.lines, rightBody.lines)
  const cuts = [left.cut, right.cut, leftBody.cut, rightBody.cut].filter((each) => each !== null)
  const isSameBody = Buffer.compare(left.bytes, right.bytes) === 0
  const isSame = isAllSame(head) && isAllSame(body) && (cuts.length === 0 || isSameBody)
  return { head, body, isSame, cut: cuts[0] ?? null }
}

/** Compares the exact texts, because differences in layout change the request too. */
export function compareExactly(left: ComparedText, right: ComparedText): Compared {
  const compared = compareTexts(left, right)
  if (Buffer.compare(left.bytes, right.bytes) === 0) return compared
  if (!isAllSame(compared.body)) return { ...compared, isSame: false }
  const [leftBody, rightBody] = layOut(left.bytes, right.bytes, () => null)
  return { ...compared, body: diffLines(leftBody.lines, rightBody.lines), isSame: false }
}

export function statusLine(status: number | null, problem: string | null): string {
  if (status === null) return problem ?? 'No response'
  const words = STATUS_CODES[status]
  return `HTTP ${status}${words === undefined ? '' : ` ${words}`}${problem === null ? '' : ` (${problem})`}`
}

async function readSide(side: ComparedSide): Promise<ComparedText> {
  const { firstLine, headers, body, bodyBytes } = side
  const masked = headers.map(([name, value]) => maskHeader([name, value]).join(': '))
  const encoding = headerValue(headers, 'content-encoding')
  const { bytes } = await decodeBody(body, encoding, maxBytes * 8)
  const cut = bodyBytes > body.byteLength ? 'Only the first part of a body is stored.' : null
  return { head: [maskTarget(firstLine), ...masked], bytes, cut }
}

type LaidOut = { readonly lines: readonly string[]; readonly cut: string | null }

function layOut(
  left: Uint8Array,
  right: Uint8Array,
  layOutText: (text: string) => string | null,
): [LaidOut, LaidOut] {
  const texts = [exactText(beginning(left)), exactText(beginning(right))] as const
  if (texts[0] === null || texts[1] === null) return [hexLines(left), hexLines(right)]
  return [textLines(texts[0], left, layOutText), textLines(texts[1], right, layOutText)]
}

/** Null if the text is not JSON, or is nested so deeply that indentation would exceed the text. */
function inLines(text: string): string | null {
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text
  return isJson(bare) ? layOutJson(bare) : null
}

function beginning(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength <= maxBytes) return bytes
  let end = maxBytes
  while (end > maxBytes - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end)
}

function textLines(
  text: string,
  bytes: Uint8Array,
  layOutText: (text: string) => string | null,
): LaidOut {
  if (text === '') return { lines: [], cut: null }
  const laidOut = bytes.byteLength <= maxBytes ? layOutText(text) : null
  const lines = (laidOut ?? text).split('\n')
  const isLong = lines.some((line) => line.length > maxInLine)
  const isCut = isLong || lines.length > maxLines || bytes.byteLength > maxBytes
  const shown = lines.slice(0, maxLines)
  return {
    lines: shown.map((line) => (line.length > maxInLine ? `${line.slice(0, maxInLine)}…` : line)),
    cut: isCut ? 'A body is too long: only the first parts are compared.' : null,
  }
}

const maxHexBytes = 64 * 1024

function hexLines(bytes: Uint8Array): LaidOut {
  const rows = hexRows(bytes.subarray(0, maxHexBytes))
  const isCut = bytes.byteLength > maxHexBytes
  return {
    lines: rows.map(({ hex, text }) => `${hex}  ${text}`),
    cut: isCut ? 'Binary bodies are compared up to 64 KiB.' : null,
  }
}
