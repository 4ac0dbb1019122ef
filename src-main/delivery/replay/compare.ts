/** Two requests, or two answers, as lines beside each other. */
import { STATUS_CODES } from 'node:http'
import type { DiffLine } from '../../../src-preload/contract/replay.ts'
import { type Headers, decodeBody, headerValue } from '../../captures/decode-body.ts'
import { maskHeader, maskTarget } from '../../captures/mask.ts'
import { utf8Text } from './body-text.ts'
import { isJson, layOutJson } from '../../captures/json-tokens.ts'
import { diffLines, isAllSame } from './line-diff.ts'

/** One side. What is secret in its head is masked, so that nothing is learnt by comparing. */
export type ComparedSide = {
  /** `request`: method and path; `answer`: status, or why there is none. */
  readonly kind: 'request' | 'answer'
  readonly title: string
  /** Microseconds. */
  readonly at: number
  readonly firstLine: string
  readonly headers: Headers
  /** As received. */
  readonly body: Uint8Array
  /** Of the whole, where `body` is its beginning. */
  readonly bodyBytes: number
}

type Compared = {
  readonly head: DiffLine[]
  readonly body: DiffLine[]
  readonly isSame: boolean
  /** Set when only the beginnings were compared. */
  readonly cut: string | null
}

/** More takes so long that nobody waits for it, and a person reads none of it. */
const maxBytes = 2 * 1024 * 1024
const maxLines = 20_000
const maxInLine = 4_000

export async function compareSides(left: ComparedSide, right: ComparedSide): Promise<Compared> {
  return compareTexts(
    { head: headLines(left), ...(await readBody(left)) },
    { head: headLines(right), ...(await readBody(right)) },
  )
}

type ComparedText = {
  readonly head: readonly string[]
  readonly bytes: Uint8Array
  /** Why `bytes` are not all there is. */
  readonly cut: string | null
}

export function compareTexts(left: ComparedText, right: ComparedText): Compared {
  const head = diffLines(left.head, right.head)
  const [leftBody, rightBody] = layOut(left.bytes, right.bytes, inLines)
  const body = diffLines(leftBody.lines, rightBody.lines)
  const cuts = [left.cut, right.cut, leftBody.cut, rightBody.cut].filter((each) => each !== null)
  // Bytes beyond what is shown may differ.
  const isSameBody = Buffer.compare(left.bytes, right.bytes) === 0
  const isSame = isAllSame(head) && isAllSame(body) && (cuts.length === 0 || isSameBody)
  return { head, body, isSame, cut: cuts[0] ?? null }
}

/** What differs only in how it is laid out is shown, too: it is not the same request. */
export function compareExactly(left: ComparedText, right: ComparedText): Compared {
  const compared = compareTexts(left, right)
  if (Buffer.compare(left.bytes, right.bytes) === 0) return compared
  if (!isAllSame(compared.body)) return { ...compared, isSame: false }
  const [leftBody, rightBody] = layOut(left.bytes, right.bytes, () => null)
  return { ...compared, body: diffLines(leftBody.lines, rightBody.lines), isSame: false }
}

function headLines({ firstLine, headers }: Pick<ComparedSide, 'firstLine' | 'headers'>): string[] {
  const masked = headers.map(([name, value]) => maskHeader([name, value]).join(': '))
  return [maskTarget(firstLine), ...masked]
}

export function statusLine(status: number | null, problem: string | null): string {
  if (status === null) return problem ?? 'No answer'
  const words = STATUS_CODES[status]
  return `HTTP ${status}${words === undefined ? '' : ` ${words}`}${problem === null ? '' : ` (${problem})`}`
}

async function readBody({
  headers,
  body,
  bodyBytes,
}: ComparedSide): Promise<Omit<ComparedText, 'head'>> {
  const encoding = headerValue(headers, 'content-encoding')
  const { bytes } = await decodeBody(body, encoding, maxBytes * 8)
  const cut = bodyBytes > body.byteLength ? 'Of a body only its beginning was kept.' : null
  return { bytes, cut }
}

type LaidOut = { readonly lines: readonly string[]; readonly cut: string | null }

/** Both in the same way: as JSON or text where both are, else by their bytes. */
function layOut(
  left: Uint8Array,
  right: Uint8Array,
  layOutText: (text: string) => string | null,
): [LaidOut, LaidOut] {
  const texts = [utf8Text(beginning(left)), utf8Text(beginning(right))] as const
  if (texts[0] === null || texts[1] === null) return [hexLines(left), hexLines(right)]
  return [textLines(texts[0], left, layOutText), textLines(texts[1], right, layOutText)]
}

/** One member a line; null for what is no JSON, or so deep that its lines would be longer than itself. */
function inLines(text: string): string | null {
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text
  return isJson(bare) ? layOutJson(bare) : null
}

/** Not in the midst of a character of UTF-8, where there is one. */
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
    lines: isLong ? shown.map(shortened) : shown,
    cut: isCut ? 'A body is too long to be compared as a whole: only the beginnings are.' : null,
  }
}

function shortened(line: string): string {
  return line.length > maxInLine ? `${line.slice(0, maxInLine)}…` : line
}

const bytesInRow = 16
const maxRows = 4_096

function hexLines(bytes: Uint8Array): LaidOut {
  const rows = Math.ceil(bytes.byteLength / bytesInRow)
  const lines = Array.from({ length: Math.min(rows, maxRows) }, (_, index) => {
    const row = bytes.subarray(index * bytesInRow, (index + 1) * bytesInRow)
    const hex = Array.from(row, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const letters = Array.from(row, (byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.',
    ).join('')
    return `${hex.padEnd(bytesInRow * 3 - 1)}  ${letters}`
  })
  const cut = rows > maxRows ? 'Bodies that are no text are compared up to 64 KiB.' : null
  return { lines, cut }
}
