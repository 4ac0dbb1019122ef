/** `0x…` or plain hexadecimal as bytes; an odd digit at the end is left out. */
export function hexToBytes(hex: string): Uint8Array<ArrayBuffer> {
  const digits = hex.replace(/^0x/i, '')
  const bytes = new Uint8Array(Math.floor(digits.length / 2))
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16)
  }
  return bytes
}

/** Base64 with padding, as BOCs are passed about. */
export function bytesToBase64(bytes: Uint8Array): string {
  let text = ''
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  }
  return btoa(text)
}
