import { BitReader, BitString } from '@ton/core'

/**
 * The balance in a shard account's BOC. Nothing that hangs on the account is read: its code and data
 * would be hashed, cell by cell, to no end. Follows the emulator's own way of writing a BOC (the root
 * comes first, then the account).
 * @returns null when it is written in another way: then it has to be parsed
 */
export function readBalance(boc: Buffer): bigint | null {
  if (boc.length < 16 || boc.readUInt32BE(0) !== 0xb5ee9c72) return null
  const flags = boc.readUInt8(4)
  const refSize = flags & 7
  const offsetSize = boc.readUInt8(5)
  if (refSize < 1 || refSize > 2 || offsetSize < 1 || offsetSize > 4) return null
  const rootAt = 6 + 3 * refSize + offsetSize
  const hasIndex = (flags & 0x80) !== 0
  if (hasIndex || boc.readUIntBE(rootAt, refSize) !== 0) return null
  const shardAt = rootAt + refSize
  const shard = readCell(boc, shardAt)
  if (shard?.refs !== 1 || boc.readUIntBE(shard.refsAt, refSize) !== 1) return null
  const account = readCell(boc, shard.refsAt + refSize)
  return account === null ? null : balanceOf(account.data)
}

/** Null for one that is not ordinary. */
function readCell(boc: Buffer, at: number) {
  const refs = boc.readUInt8(at)
  if (refs > 4) return null
  const dataAt = at + 2
  const refsAt = dataAt + Math.ceil(boc.readUInt8(at + 1) / 2)
  return { data: boc.subarray(dataAt, refsAt), refs, refsAt }
}

/** TL-B `Account`, as far as its balance. */
function balanceOf(data: Buffer): bigint {
  const reader = new BitReader(new BitString(data, 0, data.length * 8))
  if (!reader.loadBit()) return 0n
  reader.loadAddress()
  // Storage used: cells and bits.
  reader.loadVarUint(3)
  reader.loadVarUint(3)
  const hasDictionaryHash = reader.loadUint(3) === 1
  if (hasDictionaryHash) reader.skip(256)
  const lastPaidBits = 32
  reader.skip(lastPaidBits)
  const hasDebt = reader.loadBit()
  if (hasDebt) reader.loadCoins()
  const lastLtBits = 64
  reader.skip(lastLtBits)
  return reader.loadCoins()
}
