import type { Address, ShardAccount, TupleItem } from '@ton/core'
import type { MethodResult } from './chain.ts'
import type { Emulator } from './emulator.ts'

/** @returns null when the account is not active */
export async function runMethod(
  emulator: Emulator,
  call: {
    readonly address: Address
    readonly state: ShardAccount
    readonly method: string | number
    readonly stack: readonly TupleItem[]
    readonly now: number
    readonly randomSeed: Buffer
  },
): Promise<MethodResult | null> {
  const { state, method, ...rest } = call
  const storage = state.account?.storage
  if (storage?.state.type !== 'active') return null
  const { code, data } = storage.state.state
  if (!code || !data) return null
  return emulator.runMethod({
    ...rest,
    code,
    data,
    balance: storage.balance.coins,
    methodId: typeof method === 'string' ? methodId(method) : method,
  })
}

/** CRC-16/XMODEM of the name, with the bit that marks get methods. */
function methodId(name: string): number {
  let crc = 0
  for (const byte of Buffer.from(name)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff
    }
  }
  return crc | 0x10000
}
