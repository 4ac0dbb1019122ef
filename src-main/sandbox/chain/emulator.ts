import {
  type Address,
  type ShardAccount,
  type TupleItem,
  beginCell,
  Cell,
  Dictionary,
  getMethodId,
  parseTuple,
  type Transaction,
  loadTransaction,
} from '@ton/core'
import { defaultConfig } from '@ton/sandbox/dist/config/defaultConfig.js'
import { Executor } from '@ton/sandbox/dist/executor/Executor.js'
import { ExitError, type NetworkName } from './chain.ts'
import {
  readBalance,
  type AccountState,
  type StateView,
  absentAccount,
  parseShardAccount,
} from './account-states.ts'

type MethodCall = {
  readonly address: Address
  readonly method: string | number
  readonly stack: readonly TupleItem[]
  readonly balance?: bigint
  readonly now?: number
  readonly randomSeed?: Buffer
}

/** Gas limit of get methods, as on the service. */
const methodGasLimit = 1_000_000n

export type Emulator = ReturnType<typeof createEmulator>

/**
 * Runs the TVM with one configuration, independently of a chain. The TVM is loaded at its first
 * use, because a restart may not need it.
 * @param config base64 BOC of the root cell
 */
export function createEmulator(config: string) {
  let executor: Promise<Executor> | undefined
  /**
   * Calls the TVM. A stack of several hundred values ends its WebAssembly module with an exception,
   * which is thrown as a bare number and leaves the module's memory in an unknown state, so the
   * next call creates a new module.
   */
  async function invoke<T>(call: (running: Executor) => Promise<T>): Promise<T> {
    const loading = (executor ??= Executor.create())
    try {
      return await call(await loading)
    } catch (error) {
      if (executor === loading) executor = undefined
      const reason = error instanceof Error ? error.message : 'it has no response that fits'
      throw new EmulatorRefusal(`the virtual machine stopped: ${reason}`, null)
    }
  }
  let configCell: Cell | null = null
  let methodConfig: string | null = null
  const wholeConfig = () => (configCell ??= Cell.fromBase64(config))

  /** Runs a get method of code and data without an account. @throws EmulatorRefusal */
  async function runMethodOf(call: MethodCall & { readonly code: Cell; readonly data: Cell }) {
    const { method, stack, now, balance = 0n, randomSeed = Buffer.alloc(32), ...contract } = call
    const { output } = await invoke((running) =>
      running.runGetMethod({
        ...contract,
        balance,
        methodId: typeof method === 'string' ? getMethodId(method) : method,
        stack: [...stack],
        config: (methodConfig ??= withoutValidators(wholeConfig())),
        verbosity: 'short',
        unixTime: now ?? Math.floor(Date.now() / 1000),
        randomSeed,
        gasLimit: methodGasLimit,
        debugEnabled: false,
      }),
    )
    if (!output.success) {
      // For example, the stack is too deep for cells, and so for a response of any gateway.
      throw new EmulatorRefusal(`the get method could not be run: ${output.error}`, null)
    }
    return {
      exitCode: output.vm_exit_code,
      gasUsed: BigInt(output.gas_used),
      stack: parseTuple(Cell.fromBase64(output.stack)),
    }
  }

  return {
    /** @throws EmulatorRefusal */
    async run(request: {
      readonly state: string
      readonly message: Cell
      readonly lt: bigint
      readonly now: number
      /** The 32 bytes of the block, from which each account's seed is derived. */
      readonly randomSeed: Buffer
      readonly ignoreSignature: boolean
    }) {
      const { state, ignoreSignature, ...rest } = request
      const { result } = await invoke((running) =>
        running.runTransaction({
          ...rest,
          config,
          libs: null,
          verbosity: 'short',
          shardAccount: state,
          ignoreChksig: ignoreSignature,
          debugEnabled: false,
        }),
      )
      if (!result.success) {
        throw new EmulatorRefusal(result.error, result.vmResults?.vmExitCode ?? null)
      }
      return { transaction: result.transaction, state: result.shardAccount }
    },
    async runMethod({ state, ...rest }: MethodCall & { readonly state: ShardAccount }) {
      const storage = state.account?.storage
      if (storage?.state.type !== 'active') return null
      const { code, data } = storage.state.state
      if (!code || !data) return null
      return runMethodOf({ ...rest, code, data, balance: storage.balance.coins })
    },
    runMethodOf,
    config: wholeConfig,
  }
}

/** The TVM refused the message, and nothing has changed. */
export class EmulatorRefusal extends ExitError {}

/** The configuration is parsed for each get method, and most of it is validators, so these are removed. */
function withoutValidators(config: Cell): string {
  const parameters = config
    .beginParse()
    .loadDictDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell())
  for (const validatorSet of [32, 33, 34, 35, 36, 37]) parameters.delete(validatorSet)
  return beginCell().storeDictDirect(parameters).endCell().toBoc().toString('base64')
}

export const globalIds: Readonly<Record<NetworkName, number>> = { mainnet: -239, testnet: -3 }

/** The base64 BOC of the Mainnet configuration of @ton/sandbox; for Testnet with another global id. */
export const networkConfig = (network: NetworkName): string =>
  network === 'mainnet' ? defaultConfig : withGlobalId(globalIds[network])

/**
 * Changes parameter 19 in the BOC itself: a cell of 4 bytes without references. Writing all 600
 * cells again would take longer than the rest of a start.
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
  // The checksum no longer matches, but it is optional.
  const flagsAt = 4
  const hasChecksum = 0x40
  const flags = boc.readUInt8(flagsAt)
  boc.writeUInt8(flags & ~hasChecksum, flagsAt)
  return boc.subarray(0, flags & hasChecksum ? -4 : undefined).toString('base64')
}

export type BlockTerms = {
  readonly now: number
  readonly randomSeed: Buffer
}

export type SentMessage = {
  readonly cell: Cell
  readonly hash: string
  readonly kind: 'internal' | 'external-out'
  /** The raw address; empty for an external message. */
  readonly destination: string
  readonly createdLt: bigint
}

export type MessageExecution = Awaited<ReturnType<typeof executeMessage>>

/** Executes one message and writes the new state into `states`. @throws EmulatorRefusal */
export async function executeMessage(
  emulator: Emulator,
  terms: BlockTerms,
  states: StateView,
  order: {
    readonly message: Cell
    readonly destination: string
    readonly lt: bigint
    readonly ignoreSignature: boolean
  },
) {
  const { message, destination, lt, ignoreSignature } = order
  const before = states.get(destination) ?? absentAccount
  const result = await emulator.run({ ...terms, state: before.boc, message, lt, ignoreSignature })
  const boc = Buffer.from(result.transaction, 'base64')
  const [cell] = Cell.fromBoc(boc)
  if (cell === undefined) throw new Error('the emulator returned no transaction')
  const transaction = loadTransaction(cell.beginParse())
  states.set(destination, {
    id: before.id,
    boc: result.state,
    codeHash: codeHashAfter(transaction, before, result.state),
    lastActivity: transaction.now,
  })
  return {
    hash: cell.hash().toString('hex'),
    cell,
    boc,
    transaction,
    account: destination,
    endBalance: balanceOf(result.state),
    deployed: transaction.oldStatus !== 'active' && transaction.endStatus === 'active',
    endLt: transaction.lt + 1n + BigInt(transaction.outMessagesCount),
    inMessageHash: inMessageHashOf(cell, transaction),
    sent: readSent(cell, transaction),
  }
}

function balanceOf(state: string): bigint {
  const known = readBalance(Buffer.from(state, 'base64'))
  return known ?? parseShardAccount(state).account?.storage.balance.coins ?? 0n
}

/** Only a deployment or a set-code action changes the code, so other hashes are reused. */
function codeHashAfter(
  { oldStatus, endStatus, description }: Transaction,
  before: AccountState,
  after: string,
): string | null {
  if (endStatus !== 'active') return null
  const special =
    description.type === 'generic' ? (description.actionPhase?.specActions ?? 0) > 0 : true
  if (oldStatus === 'active' && !special) return before.codeHash
  const state = parseShardAccount(after).account?.storage.state
  return state?.type === 'active' ? (state.state.code?.hash().toString('hex') ?? null) : null
}

/** Reads the original cells, because a serialized copy may have another hash. */
function readSent(cell: Cell, { outMessages, outMessagesCount }: Transaction): SentMessage[] {
  if (outMessagesCount === 0) return []
  const slice = cell.beginParse().loadRef().beginParse()
  slice.loadMaybeRef()
  const cells = slice.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell())
  return outMessages.keys().map((index): SentMessage => {
    const [message, messageCell] = [outMessages.get(index), cells.get(index)]
    if (message === undefined || messageCell === undefined || message.info.type === 'external-in') {
      throw new Error('the emulator returned a transaction with an invalid message')
    }
    const { info } = message
    return {
      cell: messageCell,
      hash: messageCell.hash().toString('hex'),
      kind: info.type,
      destination: info.type === 'internal' ? info.dest.toRawString() : '',
      createdLt: info.createdLt,
    }
  })
}

export function inMessageHashOf(cell: Cell, { inMessage }: Transaction): string | null {
  if (!inMessage) return null
  return cell.beginParse().loadRef().beginParse().loadMaybeRef()?.hash().toString('hex') ?? null
}
