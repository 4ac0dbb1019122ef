import { type DictionaryKey, type DictionaryValue, type Slice, Dictionary } from '@ton/core'

/** Readers for cells laid out by block.tlb. */

export class ConfigError extends Error {}

export function expectTag(slice: Slice, ...tags: readonly number[]): number {
  const tag = slice.loadUint(8)
  if (!tags.includes(tag)) throw new ConfigError(`unknown tag ${tag.toString(16)}`)
  return tag
}

/** The service prints uint64 as int64 with the same bits. */
export function int64(slice: Slice): bigint {
  return BigInt.asIntN(64, slice.loadUintBig(64))
}

export function hex256(slice: Slice): string {
  return slice.loadBuffer(32).toString('hex')
}

export function masterAddress(slice: Slice): string {
  return `-1:${hex256(slice)}`
}

/** For sets: keys without values. */
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

/** A dictionary in a reference, possibly empty. */
export function entries<Key extends bigint | number | Buffer, Value>(
  slice: Slice,
  key: DictionaryKey<Key>,
  value: DictionaryValue<Value>,
): [Key, Value][] {
  return [...slice.loadDict(key, value)]
}

/** A non-empty dictionary stored inline. */
export function directEntries<Key extends bigint | number | Buffer, Value>(
  slice: Slice,
  key: DictionaryKey<Key>,
  value: DictionaryValue<Value>,
): [Key, Value][] {
  return [...slice.loadDictDirect(key, value)]
}

export const { Keys: keys, Values: values } = Dictionary
