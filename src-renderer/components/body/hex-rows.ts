/** Bytes fetched at once, and how many of these chunks stay in memory. */
export const chunkBytes = 65_536
export const maxChunks = 64
/** A scroll area cannot be higher than about 33 million pixels, so a larger body is shown in parts. */
export const partBytes = 16_777_216

type HexRow = { readonly offset: string; readonly hex: string; readonly ascii: string }

/** One line of a hex view; `bytes` are those of the row, in groups of eight. */
export function hexRow(bytes: Uint8Array, offset: number, digits: number): HexRow {
  let hex = ''
  let ascii = ''
  bytes.forEach((byte, at) => {
    hex += `${at === 0 ? '' : at % 8 === 0 ? '  ' : ' '}${byte.toString(16).padStart(2, '0')}`
    ascii += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'
  })
  return { offset: offset.toString(16).padStart(digits, '0'), hex, ascii }
}

/** Digits an offset needs: eight, as everywhere, until a body is larger than that shows. */
export function offsetDigits(totalBytes: number): number {
  return Math.max(8, totalBytes.toString(16).length)
}

/** Starts of the chunks that hold the bytes from `start` to before `end`. */
export function chunksFor(start: number, end: number): number[] {
  const from = Math.floor(start / chunkBytes)
  const to = Math.floor(Math.max(start, end - 1) / chunkBytes)
  return Array.from({ length: to - from + 1 }, (_, index) => (from + index) * chunkBytes)
}

/** Parses an offset: `0x1f40`, `1f40h` or decimal. Null when it is not an offset. */
export function readOffset(text: string): number | null {
  const clean = text.trim().toLowerCase()
  const hex = /^0x([0-9a-f]{1,12})$/.exec(clean) ?? /^([0-9a-f]{1,12})h$/.exec(clean)
  if (hex?.[1] !== undefined) return Number.parseInt(hex[1], 16)
  return /^[0-9]{1,12}$/.test(clean) ? Number.parseInt(clean, 10) : null
}
