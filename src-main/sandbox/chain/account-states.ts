import {
  type ShardAccount,
  beginCell,
  BitReader,
  BitString,
  Cell,
  loadShardAccount,
  storeShardAccount,
} from '@ton/core'
import { createRecent } from '../recent.ts'
import type { AccountStore } from '../store/chain-blocks.ts'

export type AccountState = {
  /** Row id; null until the state is stored. */
  readonly id: number | null
  /** Base64 BOC of the shard account. */
  readonly boc: string
  readonly codeHash: string | null
  /** Unix seconds; 0 for none. */
  readonly lastActivity: number
}

export type StateView = {
  get(address: string): AccountState | null
  set(address: string, state: AccountState): void
}

/** The stored accounts of a chain; recently used ones are cached. */
export type AccountStates = {
  get(address: string): AccountState | null
  /** Writes rows only; call `hold` after the commit. */
  store(changed: ReadonlyMap<string, AccountState>): Map<string, StoredState>
  hold(stored: ReadonlyMap<string, StoredState>): void
  forget(): void
}

export type StoredState = AccountState & { readonly id: number }

/** Characters of BOC text: about ten thousand wallets. */
const heldAtMost = 16_000_000

export function createAccountStates(accounts: AccountStore): AccountStates {
  const held = createRecent<StoredState>(heldAtMost, ({ boc }) => boc.length)

  function read(address: string): StoredState | null {
    const row = accounts.find(address)
    if (row === null) return null
    const { id, state, codeHash, lastActivity } = row
    return { id, boc: base64(state), codeHash, lastActivity }
  }

  function get(address: string): StoredState | null {
    const known = held.get(address)
    if (known !== null) return known
    const state = read(address)
    if (state !== null) held.put(address, state)
    return state
  }

  return {
    get,
    store(changed) {
      const stored = new Map<string, StoredState>()
      for (const [address, { id, boc, codeHash, lastActivity }] of changed) {
        const row = { state: Buffer.from(boc, 'base64'), codeHash, lastActivity }
        if (id !== null) {
          accounts.update({ id, ...row })
          if (get(address)?.codeHash !== codeHash) accounts.setCode(id, codeHash)
        }
        stored.set(address, {
          id: id ?? accounts.insert(address, row),
          boc,
          codeHash,
          lastActivity,
        })
      }
      return stored
    },
    hold(stored) {
      for (const [address, state] of stored) held.put(address, state)
    },
    forget: () => held.clear(),
  }
}

/** Changes stay in the overlay; the base does not see them. */
export function layOver(base: Pick<StateView, 'get'>): StateView & {
  readonly changed: ReadonlyMap<string, AccountState>
} {
  const changed = new Map<string, AccountState>()
  return {
    get: (address) => changed.get(address) ?? base.get(address),
    set: (address, state) => changed.set(address, state),
    changed,
  }
}

/** What the emulator expects for an account without a state. */
export const neverSeen: AccountState = {
  id: null,
  boc: serializeShardAccount({ account: null, lastTransactionLt: 0n, lastTransactionHash: 0n }),
  codeHash: null,
  lastActivity: 0,
}

export function parseShardAccount(boc: string): ShardAccount {
  return loadShardAccount(Cell.fromBase64(boc).beginParse())
}

export function serializeShardAccount(account: ShardAccount): string {
  return beginCell().store(storeShardAccount(account)).endCell().toBoc().toString('base64')
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/**
 * Reads only the balance from a shard account's BOC: parsing would hash its code and data.
 * @returns null for a layout other than the emulator's, which has to be parsed
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

function readCell(boc: Buffer, at: number) {
  const refs = boc.readUInt8(at)
  if (refs > 4) return null
  const dataAt = at + 2
  const refsAt = dataAt + Math.ceil(boc.readUInt8(at + 1) / 2)
  return { data: boc.subarray(dataAt, refsAt), refs, refsAt }
}

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
