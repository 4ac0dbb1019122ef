const hexForm = /^[0-9a-fA-F]{64}$/
const base64Form = /^(?:[A-Za-z0-9+/]{43}=?|[A-Za-z0-9_-]{43}=?)$/

/** A 32-byte hash in hex, base64 or base64url, as 64 lower-case hex digits. @returns null for anything else */
export function readHash(text: string): string | null {
  if (hexForm.test(text)) return text.toLowerCase()
  return base64Form.test(text) ? Buffer.from(text, 'base64url').toString('hex') : null
}

/** @ton/core gives hashes of states and transactions as numbers. */
export function hashOfBigint(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}
