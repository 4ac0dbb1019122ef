import {
  type Address,
  type ShardAccount,
  type TupleItem,
  beginCell,
  Cell,
  Dictionary,
  parseTuple,
} from '@ton/core'
import { defaultConfig } from '@ton/sandbox/dist/config/defaultConfig.js'
import { Executor } from '@ton/sandbox/dist/executor/Executor.js'
import type { MethodResult, NetworkName } from './chain.ts'

type RunRequest = {
  /** Base64 BOC of the shard account. */
  readonly state: string
  readonly message: Cell
  /** The transaction has this logical time or, where the account or the message demand it, a later one. */
  readonly lt: bigint
  /** Seconds. */
  readonly now: number
  /** 32 bytes, the block's; each account's own is derived from it. */
  readonly randomSeed: Buffer
  readonly ignoreSignature: boolean
}

type RunResult =
  | { readonly ok: true; readonly transaction: string; readonly state: string }
  | { readonly ok: false; readonly message: string; readonly exitCode: number | null }

/** The TVM, with the configuration it runs by; knows no chain. */
export type Emulator = {
  run(request: RunRequest): Promise<RunResult>
  runMethod(request: {
    readonly address: Address
    readonly code: Cell
    readonly data: Cell
    readonly balance: bigint
    readonly methodId: number
    readonly stack: readonly TupleItem[]
    readonly now: number
    readonly randomSeed: Buffer
  }): Promise<MethodResult>
  config(): Cell
}

/** What the service's own get methods may spend. */
const methodGasLimit = 1_000_000n

/**
 * The TVM is loaded by its first execution: a sandbox that starts on data it has may need none.
 * @param config base64 BOC of its root cell
 */
export function createEmulator(config: string): Emulator {
  let executor: Promise<Executor> | undefined
  let configCell: Cell | null = null
  let methodConfig: string | null = null
  const wholeConfig = () => (configCell ??= Cell.fromBase64(config))
  return {
    async run({ state, message, lt, now, randomSeed, ignoreSignature }) {
      executor ??= Executor.create()
      const { result } = await (
        await executor
      ).runTransaction({
        config,
        libs: null,
        verbosity: 'short',
        shardAccount: state,
        message,
        now,
        lt,
        randomSeed,
        ignoreChksig: ignoreSignature,
        debugEnabled: false,
      })
      return result.success
        ? { ok: true, transaction: result.transaction, state: result.shardAccount }
        : {
            ok: false,
            message: result.error,
            exitCode: result.vmResults?.vmExitCode ?? null,
          }
    },
    async runMethod({ now, stack, ...request }) {
      executor ??= Executor.create()
      const { output } = await (
        await executor
      ).runGetMethod({
        ...request,
        stack: [...stack],
        config: (methodConfig ??= withoutValidators(wholeConfig())),
        verbosity: 'short',
        unixTime: now,
        gasLimit: methodGasLimit,
        debugEnabled: false,
      })
      if (!output.success) throw new Error(`the get method could not be run: ${output.error}`)
      return {
        exitCode: output.vm_exit_code,
        gasUsed: BigInt(output.gas_used),
        stack: parseTuple(Cell.fromBase64(output.stack)),
      }
    },
    config: wholeConfig,
  }
}

/** It is read anew for each get method, and hundreds of validators are most of it. */
function withoutValidators(config: Cell): string {
  const parameters = config
    .beginParse()
    .loadDictDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell())
  for (const validatorSet of [32, 33, 34, 35, 36, 37]) parameters.delete(validatorSet)
  return beginCell().storeDictDirect(parameters).endCell().toBoc().toString('base64')
}

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

/** Parameter 19, which contracts see as GLOBALID. */
export const globalIds: Readonly<Record<NetworkName, number>> = { mainnet: -239, testnet: -3 }

/**
 * The configuration the TVM runs with, a BOC in base64: the main network's as @ton/sandbox has it, and
 * for the test network the same with its own global id.
 */
export function networkConfig(network: NetworkName): string {
  return network === 'mainnet' ? defaultConfig : withGlobalId(globalIds[network])
}

/**
 * Parsing and writing its 600 cells anew would take longer than all the rest of a start, so the one
 * number is changed where it stands: in a cell without references, of 4 bytes.
 */
function withGlobalId(globalId: number): string {
  const boc = Buffer.from(defaultConfig, 'base64')
  const cellOf = (id: number) => {
    const cell = Buffer.from([0, 8, 0, 0, 0, 0])
    cell.writeInt32BE(id, 2)
    return cell
  }
  const at = boc.indexOf(cellOf(globalIds.mainnet))
  if (at < 0) throw new Error('the configuration has no global id')
  cellOf(globalId).copy(boc, at)
  // Its checksum is of another text; it may be left out.
  const flagsAt = 4
  const hasChecksum = 0x40
  const flags = boc.readUInt8(flagsAt)
  boc.writeUInt8(flags & ~hasChecksum, flagsAt)
  return boc.subarray(0, flags & hasChecksum ? -4 : undefined).toString('base64')
}
