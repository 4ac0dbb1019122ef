import {
  type ShardAccount,
  beginCell,
  BitReader,
  BitString,
  Cell,
  loadShardAccount,
  storeShardAccount,
} from '@ton/core'
import { LimitedMap } from '../../../src-preload/domain/limited-map.ts'
import type { ChainTables, StoredAccount } from '../store/chain.ts'

/** `id` is null until the state is stored. */
export type AccountState = Omit<StoredAccount, 'id'> & { readonly id: number | null }

export type StateView = {
  get(address: string): AccountState | null
  set(address: string, state: AccountState): void
}

const maxCached = 10_000

const maxParsed = 300

export type AccountStates = ReturnType<typeof createAccountStates>

/** Reads the stored accounts of a chain; recently used ones are cached. */
export function createAccountStates(tables: ChainTables) {
  const cache = new LimitedMap<string, StoredAccount>(maxCached)
  const parsed = new LimitedMap<string, { state: StoredAccount; account: ShardAccount }>(maxParsed)

  function get(address: string): StoredAccount | null {
    const cached = cache.get(address)
    if (cached !== undefined) return cached
    const state = tables.account(address)
    if (state !== null) cache.set(address, state)
    return state
  }

  function account(address: string): ShardAccount | null {
    const state = get(address)
    if (state === null) return null
    const cached = parsed.get(address)
    if (cached?.state === state) return cached.account
    const parsedAccount = parseShardAccount(state.boc)
    parsed.set(address, { state, account: parsedAccount })
    return parsedAccount
  }

  function store(address: string, state: AccountState): StoredAccount {
    const { id } = state
    if (id === null) {
      const { boc, codeHash, lastActivity } = state
      const account = { boc, codeHash, lastActivity }
      return { id: tables.insertAccount(address, account), ...account }
    }
    tables.updateAccount({ ...state, id })
    if (get(address)?.codeHash !== state.codeHash) tables.setCode(id, state.codeHash)
    return { ...state, id }
  }

  return {
    get,
    account,
    /** Only writes rows; call `remember` after the commit. */
    store: (changed: ReadonlyMap<string, AccountState>) =>
      new Map(changed.entries().map(([address, state]) => [address, store(address, state)])),
    remember(stored: ReadonlyMap<string, StoredAccount>): void {
      for (const [address, state] of stored) cache.set(address, state)
    },
    clear: () => cache.clear(),
  }
}

/** Changes stay in the overlay and do not change the base. */
export function createOverlay(base: Pick<StateView, 'get'>): StateView & {
  readonly changed: ReadonlyMap<string, AccountState>
} {
  const changed = new Map<string, AccountState>()
  return {
    get: (address) => changed.get(address) ?? base.get(address),
    set: (address, state) => changed.set(address, state),
    changed,
  }
}

/** The state that the emulator expects for an account that does not exist. */
export const absentAccount: AccountState = {
  id: null,
  boc: serializeShardAccount({ account: null, lastTransactionLt: 0n, lastTransactionHash: 0n }),
  codeHash: null,
  lastActivity: 0,
}

export const parseShardAccount = (boc: string): ShardAccount =>
  loadShardAccount(Cell.fromBase64(boc).beginParse())

export function serializeShardAccount(account: ShardAccount): string {
  return beginCell().store(storeShardAccount(account)).endCell().toBoc().toString('base64')
}

/**
 * Reads only the balance from a shard account's BOC, because parsing would hash its code and data.
 * @returns null for a layout other than the emulator's, which must be parsed
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
