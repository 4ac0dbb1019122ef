/**
 * Parses an opcode as users enter it: `0x` and up to 8 hexadecimal digits, or a decimal number.
 * Null for other text.
 */
export function parseOpcode(text: string): number | null {
  const plain = text.trim()
  if (!/^(?:0x[0-9a-f]{1,8}|\d{1,10})$/i.test(plain)) return null
  const opcode = Number(plain)
  return opcode <= 0xffff_ffff ? opcode : null
}

export const badOpcode =
  'Enter an opcode as 0x and up to 8 hexadecimal digits, or as a decimal number below 4294967296.'

/** Formats an opcode as `0x` and 8 lower-case hexadecimal digits. */
export const formatOpcode = (opcode: number): string => `0x${opcode.toString(16).padStart(8, '0')}`
