import { type DictionaryKey, type DictionaryValue, type Slice, Dictionary } from '@ton/core'

/** Small readers for the configuration's cells, which are laid out by block.tlb. */

/** A cell that is not what its number promises. */
export class ConfigError extends Error {}

/** @throws ConfigError when the tag is another */
export function expectTag(slice: Slice, ...tags: readonly number[]): number {
  const tag = slice.loadUint(8)
  if (!tags.includes(tag)) throw new ConfigError(`unknown tag ${tag.toString(16)}`)
  return tag
}

/** The service's int64 of an uint64: the same bits. */
export function int64(slice: Slice): bigint {
  return BigInt.asIntN(64, slice.loadUintBig(64))
}

export function hex256(slice: Slice): string {
  return slice.loadBuffer(32).toString('hex')
}

/** An account of the masterchain, of which its hash is stored only. */
export function masterAddress(slice: Slice): string {
  return `-1:${hex256(slice)}`
}

/** Unit values: a key is there or not. */
export const nothing: DictionaryValue<null> = {
  serialize: () => undefined,
  parse: () => null,
}

export function read<Value>(parse: (slice: Slice) => Value): DictionaryValue<Value> {
  return {
    serialize: () => {
      throw new ConfigError('the configuration is only read')
    },
    parse,
  }
}

/** Entries of a dictionary that stands in a reference, if there is any. */
export function entries<Key extends bigint | number | Buffer, Value>(
  slice: Slice,
  key: DictionaryKey<Key>,
  value: DictionaryValue<Value>,
): [Key, Value][] {
  return [...slice.loadDict(key, value)]
}

/** The same where a dictionary is never empty and stands in place. */
export function directEntries<Key extends bigint | number | Buffer, Value>(
  slice: Slice,
  key: DictionaryKey<Key>,
  value: DictionaryValue<Value>,
): [Key, Value][] {
  return [...slice.loadDictDirect(key, value)]
}

export const { Keys: keys, Values: values } = Dictionary
