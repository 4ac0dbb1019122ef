/** Parses parts of an address, as users type them and as the window shows them: `EQB3ag`, `EQB3ag…pFQO`. */

export type AddressRange = {
  readonly from: string
  readonly to: string
  /** The last hexadecimal digits; empty if the end is open. */
  readonly ending: string
}

const shortened = /(.+?)(?:…|\.\.\.)(.*)/s
const rawBeginning = /^(-1|0):([0-9a-f]{0,64})$/i
/**
 * The number of bits before the hash in a friendly address: a tag and a workchain. The checksum
 * follows the hash.
 */
const hashFrom = 16
const hashBits = 256
const checksumBits = 16
const tags: ReadonlySet<number> = new Set([0x11, 0x51, 0x91, 0xd1])
const workchains: ReadonlyMap<string, number> = new Map([
  ['00000000', 0],
  ['11111111', -1],
])
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * Finds the accounts that a text can stand for: a whole address in any form, its beginning, or its
 * beginning and its end with `…` between them. Null for other text, and for text without a part of
 * the hash.
 */
export function readAddressRange(text: string): AddressRange | null {
  const [, head = text, tail = ''] = shortened.exec(text) ?? []
  const raw = rawBeginning.exec(head)
  if (raw !== null) {
    const [, workchain = '', hash = ''] = raw
    const ending = tail.toLowerCase()
    if (hash === '' || !/^[0-9a-f]*$/.test(ending)) return null
    const digits = hash.toLowerCase()
    return {
      from: `${workchain}:${digits.padEnd(64, '0')}`,
      to: `${workchain}:${digits.padEnd(64, 'f')}`,
      ending,
    }
  }
  return readFriendlyRange(head, tail)
}

function readFriendlyRange(head: string, tail: string): AddressRange | null {
  if (!/^[A-Za-z0-9+/_-]{3,48}$/.test(head) || !/^[A-Za-z0-9+/_-]{0,45}$/.test(tail)) return null
  const bits = toBits(head)
  if (!tags.has(parseInt(bits.slice(0, 8), 2))) return null
  const workchain = workchains.get(bits.slice(8, hashFrom))
  if (workchain === undefined) return null
  const hash = bits.slice(hashFrom, hashFrom + hashBits)
  const endingBits = toBits(tail).slice(0, -checksumBits)
  const ending = endingBits.slice(endingBits.length % 4)
  return {
    from: `${workchain}:${toHex(hash.padEnd(hashBits, '0'))}`,
    to: `${workchain}:${toHex(hash.padEnd(hashBits, '1'))}`,
    ending: ending === '' ? '' : toHex(ending),
  }
}

/** The same accounts as prefixes of raw addresses: at most 16 prefixes, of which one must match. */
export function beginningsOf({ from, to }: AddressRange): string[] {
  let at = 0
  while (at < from.length && from[at] === to[at]) at += 1
  const common = from.slice(0, at)
  if (at === from.length) return [common]
  const first = parseInt(from.charAt(at), 16)
  const last = parseInt(to.charAt(at), 16)
  if (first === 0 && last === 15) return [common]
  const count = last - first + 1
  return Array.from({ length: count }, (_, index) => common + (first + index).toString(16))
}

function toBits(base64: string): string {
  const plain = base64.replaceAll('-', '+').replaceAll('_', '/')
  return Array.from(plain, (each) => alphabet.indexOf(each).toString(2).padStart(6, '0')).join('')
}

const toHex = (bits: string): string =>
  BigInt(`0b${bits}`)
    .toString(16)
    .padStart(bits.length / 4, '0')
