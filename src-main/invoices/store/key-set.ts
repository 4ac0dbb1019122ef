/** Keys of rows as bits: a million take 125 KB, and to find what is in two of them takes microseconds. */
export type KeySet = {
  readonly bits: Uint32Array
  readonly count: number
}

const bitsInWord = 32

export function keySetOf(keys: Iterable<number> & { readonly length: number }): KeySet {
  let largest = 0
  for (const key of keys) if (key > largest) largest = key
  const bits = new Uint32Array(Math.floor(largest / bitsInWord) + 1)
  for (const key of keys) bits[key >>> 5] = (bits[key >>> 5] ?? 0) | (1 << (key & 31))
  return { bits, count: countBits(bits) }
}

export function hasKey({ bits }: KeySet, key: number): boolean {
  return (((bits[key >>> 5] ?? 0) >>> (key & 31)) & 1) === 1
}

/** How many of these are in it. */
export function countIn(set: KeySet, keys: Iterable<number>): number {
  let count = 0
  for (const key of keys) if (hasKey(set, key)) count += 1
  return count
}

/** What is in all of them. */
export function intersect(sets: readonly [KeySet, ...KeySet[]]): KeySet {
  const [first, ...rest] = sets
  if (rest.length === 0) return first
  const size = Math.min(...sets.map(({ bits }) => bits.length))
  const bits = first.bits.slice(0, size)
  for (const other of rest) {
    for (let at = 0; at < size; at += 1) bits[at] = (bits[at] ?? 0) & (other.bits[at] ?? 0)
  }
  return { bits, count: countBits(bits) }
}

/** What is in the one and not among these keys. */
export function without(set: KeySet, keys: Iterable<number>): KeySet {
  const bits = set.bits.slice()
  for (const key of keys) {
    const at = key >>> 5
    if (at < bits.length) bits[at] = (bits[at] ?? 0) & ~(1 << (key & 31))
  }
  return { bits, count: countBits(bits) }
}

/** The one, but for these keys, of which those of the other are in it. */
export function renew(set: KeySet, keys: readonly number[], found: readonly number[]): KeySet {
  const left = without(set, keys)
  if (found.length === 0) return left
  const added = keySetOf(found)
  const bits = new Uint32Array(Math.max(left.bits.length, added.bits.length))
  bits.set(left.bits)
  for (const [at, word] of added.bits.entries()) bits[at] = (bits[at] ?? 0) | word
  return { bits, count: countBits(bits) }
}

/** In their order. */
export function keysOf({ bits, count }: KeySet): number[] {
  const keys: number[] = []
  for (let at = 0; at < bits.length && keys.length < count; at += 1) {
    for (let word = bits[at] ?? 0; word !== 0; word &= word - 1) {
      keys.push(at * bitsInWord + 31 - Math.clz32(word & -word))
    }
  }
  return keys
}

function countBits(bits: Uint32Array): number {
  let count = 0
  for (const word of bits) {
    let left = word - ((word >>> 1) & 0x55555555)
    left = (left & 0x33333333) + ((left >>> 2) & 0x33333333)
    count += Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}
