/** RFC 8259 lets parsers ignore a byte order mark, which .NET and some editors write. */
export const withoutByteOrderMark = (text: string): string =>
  text.startsWith('\uFEFF') ? text.slice(1) : text

/** Names the encoding of JSON that is not UTF-8, as RFC 8259 requires. @returns null for UTF-8 and for other data */
export function describeJsonEncoding(bytes: Uint8Array): string | null {
  // The first character of JSON is ASCII, so the places of its zero bytes state the encoding (RFC 4627, section 3).
  const [a = 1, b = 1, c = 1, d = 1] = bytes
  const isLong = (a === 0 && b === 0 && (c === 0 || c === 0xfe)) || (b === 0 && c === 0 && d === 0)
  const isLongMarked = a === 0xff && b === 0xfe && c === 0 && d === 0
  const isMarked = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)
  const isShort = isMarked || (a === 0 && isAscii(b)) || (b === 0 && isAscii(a))
  if (!isLong && !isLongMarked && !isShort) return null
  const size = isLong || isLongMarked ? 32 : 16
  return `JSON in UTF-${size}, which the JSON standard does not allow`
}

/** True for the printable characters and white space with which JSON can begin. */
const isAscii = (byte: number): boolean =>
  [0x09, 0x0a, 0x0d, 0x20].includes(byte) || (byte > 0x20 && byte < 0x7f)

export function readJson(text: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(text))
  } catch {
    return undefined
  }
}
