import { type Address, type TupleItem, Cell, Dictionary, beginCell, parseTuple } from '@ton/core'
import { Executor } from '@ton/sandbox/dist/executor/Executor.js'
import type { MethodResult } from './chain.ts'

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
