/** The bits of a friendly address: a tag, a workchain and the hash; its checksum follows. */
const hashFrom = 16
const hashTo = 16 + 256
const tags: ReadonlySet<number> = new Set([0x11, 0x51, 0x91, 0xd1])

export type RawRange = { readonly from: string; readonly to: string }

/**
 * What raw addresses a beginning of a friendly one can stand for: those from one to another, both
 * included. Null where the text is no such beginning, or too short to say anything of the hash.
 */
export function readFriendlyPrefix(text: string): RawRange | null {
  if (!/^[A-Za-z0-9+/_-]{3,48}$/.test(text)) return null
  const sixes = Array.from(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bits = sixes.map((each) => alphabet.indexOf(each).toString(2).padStart(6, '0')).join('')
  if (!tags.has(parseInt(bits.slice(0, 8), 2))) return null
  const workchain = workchains.get(bits.slice(8, hashFrom))
  if (workchain === undefined) return null
  const hash = bits.slice(hashFrom, hashTo)
  return {
    from: `${workchain}:${toHex(hash.padEnd(256, '0'))}`,
    to: `${workchain}:${toHex(hash.padEnd(256, '1'))}`,
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const workchains: ReadonlyMap<string, number> = new Map([
  ['00000000', 0],
  ['11111111', -1],
])

function toHex(bits: string): string {
  return BigInt(`0b${bits}`).toString(16).padStart(64, '0')
}
