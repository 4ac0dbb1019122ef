/** Decoded bytes, and the position from which they are not UTF-8. */
type DecodedText = {
  readonly text: string
  /** Offset of the first byte that is not UTF-8; null if all bytes are UTF-8. */
  readonly invalidAt: number | null
}

/**
 * Decodes bytes as UTF-8. Invalid bytes become U+FFFD, and their position is reported, because the
 * text then differs from the received bytes. `more` means that bytes follow, so that an incomplete
 * character at the end is valid.
 */
export function decodeUtf8(bytes: Uint8Array<ArrayBuffer>, more = false): DecodedText {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return { text: decoder.decode(bytes, { stream: more }), invalidAt: null }
  } catch {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    return { text: decoder.decode(bytes, { stream: more }), invalidAt: firstInvalid(bytes) }
  }
}

/** Searches binarily: a prefix is valid if a decoder that expects more bytes accepts it. */
function firstInvalid(bytes: Uint8Array<ArrayBuffer>): number {
  let sound = 0
  let broken = bytes.length
  while (sound < broken) {
    const middle = Math.ceil((sound + broken) / 2)
    if (isUtf8(bytes.subarray(0, middle), true)) sound = middle
    else broken = middle - 1
  }
  // The invalid character begins at most three bytes earlier.
  while (!isUtf8(bytes.subarray(0, sound), false)) sound -= 1
  return sound
}

function isUtf8(bytes: Uint8Array<ArrayBuffer>, more: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: more })
    return true
  } catch {
    return false
  }
}

export function bytesFromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** Converts `0x…` or plain hexadecimal to bytes; an odd digit at the end is ignored. */
export function hexToBytes(hex: string): Uint8Array<ArrayBuffer> {
  const digits = hex.replace(/^0x/i, '')
  const bytes = new Uint8Array(Math.floor(digits.length / 2))
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16)
  }
  return bytes
}

/** Converts bytes to base64 with padding, as BOCs are usually written. */
export function bytesToBase64(bytes: Uint8Array): string {
  let text = ''
  // The bytes are converted in chunks, because the number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  }
  return btoa(text)
}
