/**
 * Parses and formats JSON with int64. The gateway sends int64 as plain numbers, which `JSON.parse`
 * would round beyond 2^53.
 */

import { jsonExcess, stringEnd } from '../../src-preload/domain/json-size.ts'
import { withoutByteOrderMark } from '../../src-preload/domain/read-json.ts'

type RawJson = { rawJSON(text: string): unknown }

const longInteger = /^-?[1-9]\d{15,}$/
/** Matches an integer that may exceed 2^53, or a part of a string that looks like one. */
const maybeLongInteger = /(?:^|[:,[\s])-?\d{16}/
/** An integer of the chain has at most 78 digits; converting numbers with millions of digits takes minutes. */
const maxDigits = 1_000
/** The largest responses of a gateway have a tenth of these values; a TVM list is deeply nested. */
const limits = { values: 500_000, depth: 100_000 }

/** No foreign text can contain this prefix, because the prefix is random. */
const mark = `${crypto.randomUUID()} `

export class JsonLimitError extends SyntaxError {}

/**
 * Parses like `JSON.parse`, but integers beyond 2^53 become bigint.
 * @throws SyntaxError; JsonLimitError, whose message follows "it", before too many values are parsed
 */
export function parseJson(sent: string): unknown {
  const text = withoutByteOrderMark(sent)
  const excess = text.length < limits.depth ? null : jsonExcess(text, limits)
  if (excess !== null) throw new JsonLimitError(excess)
  if (!maybeLongInteger.test(text)) return JSON.parse(text) as unknown
  // A reviver that gets the source of each number would make parsing thirty times as slow.
  const root: unknown[] = [JSON.parse(markLongIntegers(text))]
  const waiting: object[] = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // The indexes are iterated, because a list of them would be larger than the array.
    const places = Array.isArray(next) ? next.keys() : Object.keys(next)
    for (const place of places) {
      const value = (next as Record<string | number, unknown>)[place]
      if (typeof value === 'object' && value !== null) waiting.push(value)
      else if (typeof value === 'string' && value.startsWith(mark)) {
        setOwn(next, place, BigInt(value.slice(mark.length)))
      }
    }
  }
  return root[0]
}

function setOwn(target: object, place: string | number, value: bigint): void {
  // An assignment to "__proto__" would not set a property.
  if (place === '__proto__') Object.defineProperty(target, place, { value })
  else (target as Record<string | number, unknown>)[place] = value
}

/** Turns long integers into marked strings, which `JSON.parse` keeps exactly. */
function markLongIntegers(text: string): string {
  let marked = ''
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = stringEnd(text, at)
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      let end = at + 1
      while (isInNumber(text.charCodeAt(end))) end += 1
      const number = text.slice(at, end)
      if (number.length > maxDigits) throw new JsonLimitError('has a number that is too long')
      if (longInteger.test(number) && !Number.isSafeInteger(Number(number))) {
        marked += `${text.slice(from, at)}"${mark}${number}"`
        from = end
      }
      at = end - 1
    }
  }
  return marked + text.slice(from)
}

/** True for digits, signs, the decimal point and the exponent. */
const isInNumber = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || [0x2b, 0x2d, 0x2e, 0x45, 0x65].includes(code)

/** Like `JSON.stringify`, but a bigint becomes a number with all its digits. */
export function formatJson(value: unknown, indent?: number): string {
  const raw = JSON as unknown as RawJson
  return JSON.stringify(
    value,
    (_key, part: unknown) => (typeof part === 'bigint' ? raw.rawJSON(part.toString()) : part),
    indent,
  )
}
