/**
 * JSON with int64. The gateway sends int64 as plain numbers, which `JSON.parse` would round beyond 2^53.
 */

type RawJson = { rawJSON(text: string): unknown }
type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown

const integer = /^-?\d+$/
/** An integer that may exceed 2^53, or text in a string that looks like one. */
const longInteger = /(?:^|[:,[\s])-?\d{16,}(?:[,}\]\s]|$)/

/** Like `JSON.parse`, but integers beyond 2^53 become bigint. @throws SyntaxError */
export function parseJson(text: string): unknown {
  // A reviver makes parsing ten times as slow.
  if (!longInteger.test(text)) return JSON.parse(text) as unknown
  const revive: Reviver = (_key, value, { source }) =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    source !== undefined &&
    integer.test(source)
      ? BigInt(source)
      : value
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]) as unknown
}

/** Like `JSON.stringify`, but a bigint becomes a number with all its digits. */
export function formatJson(value: unknown, indent?: number): string {
  const raw = JSON as unknown as RawJson
  return JSON.stringify(
    value,
    (_key, part: unknown) => (typeof part === 'bigint' ? raw.rawJSON(part.toString()) : part),
    indent,
  )
}
