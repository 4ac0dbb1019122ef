import { type Cell, type ShardAccount, Address } from '@ton/core'
import { type Clock, toSeconds } from '../clock.ts'
import { createRecent } from '../recent.ts'
import { type StoredBlock, type StoredTransaction, createChainTables } from '../store/chain.ts'
import { type Database, transaction } from '../store/database.ts'
import {
  type AccountState,
  type StateView,
  createAccountStates,
  layOver,
  neverSeen,
  parseShardAccount,
  serializeShardAccount,
} from './account-states.ts'
import {
  type Batch,
  type RootMessage,
  type Waiting,
  executeBatch,
  fromNowhere,
  readExternal,
  yieldToEventLoop,
} from './batch.ts'
import {
  type BlockBeginning,
  beginBlock,
  beginFirstBlock,
  buildTrace,
  endBlock,
  randomSeedOf,
  readExecuted,
  readWaiting,
  toExecuted,
  writeBatch,
} from './chain-store.ts'
import {
  type BlockObserver,
  type Chain,
  type Emulation,
  type ExecutedBlock,
  type ExecutedTransaction,
  type NetworkName,
  NotAcceptedError,
  traceLimit,
  TraceTooLongError,
} from './chain.ts'
import { type Emulator, createEmulator, globalIds, networkConfig } from './emulator.ts'
import { genesisMessages, genesisStates } from './contracts.ts'
import { createMutex } from '../../../src-preload/domain/mutex.ts'

export type ChainLimits = {
  /** Maximum transactions per block. */
  readonly block: number
  /** Maximum blocks per call; remaining messages are executed between other calls. */
  readonly blocksInTurn: number
}

const defaultLimits: ChainLimits = { block: 1_000, blocksInTurn: 5 }

/** Recent transactions are requested most, and a watched wallet is read more often than it changes. */
const cachedTransactions = 300
const cachedAccounts = 300

/**
 * Opens one network's chain; an empty database gets its first block.
 * @param deps.seed decides all hashes of a new chain and is ignored for an existing one
 */
export async function createChain(deps: {
  readonly database: Database
  readonly network: NetworkName
  readonly clock: Clock
  readonly seed: string
  readonly limits?: ChainLimits
}): Promise<Chain> {
  const { database, network, clock, seed, limits = defaultLimits } = deps
  const emulator = createEmulator(networkConfig(network))
  const tables = createChainTables(database)
  const states = createAccountStates(tables)
  const observers: BlockObserver[] = []
  const turns = createMutex()
  const recent = createRecent<ExecutedTransaction>(cachedTransactions, () => 1)
  const parsed = createRecent<{ readonly state: AccountState; readonly account: ShardAccount }>(
    cachedAccounts,
    () => 1,
  )
  let head: StoredBlock | null = tables.lastBlock()
  let waiting: readonly Waiting[] = readWaiting(tables)
  /** Incremented when the tables are replaced; a batch executed on old tables runs again. */
  let reloads = 0
  let isClosed = false

  const now = () => Math.max(toSeconds(clock.now()), head?.utime ?? 0)

  function beginning(): BlockBeginning {
    return head === null ? beginFirstBlock(network, seed, now()) : beginBlock(head, now())
  }

  async function execute(
    base: { get(address: string): AccountState | null },
    roots: readonly RootMessage[],
    limit: number,
  ) {
    const next = beginning()
    const terms = { now: next.utime, randomSeed: randomSeedOf(next) }
    const { startLt } = next
    const batch = await executeBatch(emulator, terms, base, { startLt, waiting, roots, limit })
    return { next, batch }
  }

  /** @throws NotAcceptedError when all roots were refused; waiting messages still make a block */
  async function makeBlock(roots: readonly RootMessage[]): Promise<ExecutedBlock> {
    for (;;) {
      const before = reloads
      const { next, batch } = await execute(states, roots, limits.block)
      if (before !== reloads) continue
      const [refusal] = batch.refusals
      if (refusal === undefined || batch.refusals.length < roots.length) return keep(next, batch)
      if (batch.executions.length > 0) keep(next, batch)
      throw new NotAcceptedError(refusal.message, refusal.exitCode)
    }
  }

  /** Stored in one transaction, so that a killed start leaves nothing half made. */
  async function makeGenesis(): Promise<void> {
    const first = genesisStates()
    const roots = genesisMessages(network).map(fromNowhere)
    const { next, batch } = await execute(
      { get: (address) => first.get(address) ?? null },
      roots,
      Infinity,
    )
    keep(next, { ...batch, changed: new Map([...first, ...batch.changed]) })
  }

  function keep(next: BlockBeginning, batch: Batch): ExecutedBlock {
    const block = endBlock(next, batch)
    const transactions = batch.executions.map((execution) =>
      toExecuted({ ...execution, blockSeqno: block.seqno }),
    )
    const executed = { block, transactions }
    const accounts = transaction(database, () => {
      const stored = states.store(batch.changed)
      writeBatch(tables, block, batch, stored)
      for (const observer of observers) observer.storing(executed)
      return stored
    })
    states.remember(accounts)
    for (const each of transactions) recent.put(each.hash, each)
    head = block
    waiting = batch.waiting
    for (const observer of observers) observer.stored(executed)
    return executed
  }

  async function takeTurn(roots: readonly RootMessage[]): Promise<ExecutedBlock> {
    const made = await makeBlock(roots)
    await goOn(limits.blocksInTurn - 1)
    return made
  }

  async function goOn(blocks: number): Promise<void> {
    try {
      for (let made = 0; made < blocks && waiting.length > 0 && !isClosed; made += 1) {
        await makeBlock([])
      }
    } catch (error) {
      // Waiting messages are stored; the next block executes them again.
      process.emitWarning(error instanceof Error ? error : String(error))
      return
    }
    if (waiting.length > 0 && !isClosed) goOnLater()
  }

  function take<T>(work: () => Promise<T>): Promise<T> {
    return turns.run(() => yieldToEventLoop().then(work))
  }

  function goOnLater(): void {
    void take(() => goOn(limits.blocksInTurn))
  }

  function read(stored: StoredTransaction): ExecutedTransaction {
    const known = recent.get(stored.hash)
    if (known !== null) return known
    const executed = readExecuted(stored)
    recent.put(stored.hash, executed)
    return executed
  }

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    return take(() => {
      if (isClosed) throw new Error('the chain is closed')
      return work()
    })
  }

  if (head === null) await makeGenesis()
  if (waiting.length > 0) goOnLater()

  return {
    network,
    globalId: globalIds[network],
    head: () => {
      if (head === null) throw new Error('the chain has no block')
      return head
    },
    now,
    send: async (messages) => {
      const roots = messages.map(readExternal)
      return inTurn(() => takeTurn(roots))
    },
    inject: async (messages) => {
      const roots = messages.map(fromNowhere)
      return inTurn(() => takeTurn(roots))
    },
    emulate: async (message: Cell, options = {}) => {
      const root = readExternal(message)
      return inTurn(() => emulateMessage({ emulator, states, beginning }, root, options))
    },
    runMethod: async (address, method, stack) => {
      const state = states.get(address)
      if (state === null) return null
      return await emulator.runMethod({
        address: Address.parseRaw(address),
        state: parseShardAccount(state.boc),
        method,
        stack,
        now: now(),
        randomSeed: randomSeedOf(beginning()),
      })
    },
    account: (address) => {
      const state = states.get(address)
      if (state === null) return null
      const known = parsed.get(address)
      if (known?.state === state) return known.account
      const account = parseShardAccount(state.boc)
      parsed.put(address, { state, account })
      return account
    },
    lastActivity: (address) => states.get(address)?.lastActivity ?? 0,
    transaction: (hash) => {
      const stored = tables.transaction(hash)
      return stored === null ? null : read(stored)
    },
    transactionsByMessage: (hash) => tables.withMessage(hash).map(read),
    history: (address, query) => tables.history(address, query).map(read),
    trace: (traceId) => {
      const stored = tables.trace(traceId, traceLimit + 1)
      if (stored.length > traceLimit) throw new TraceTooLongError('trace is too long')
      return buildTrace(stored.map(read))
    },
    traces: (address, query) => tables.traces(address, query),
    block: (seqno) => tables.block(seqno),
    blockTransactions: (seqno) => {
      const block = tables.block(seqno)
      if (block === null) return []
      return tables.range(block.firstTransaction, block.transactionCount).map(read)
    },
    transactionCount: () => (head === null ? 0 : head.firstTransaction + head.transactionCount - 1),
    accountsByCode: (codeHash) => tables.accountsWithCode(codeHash),
    codeHashes: () => tables.codeHashes(),
    config: () => emulator.config(),
    observe: (observer) => {
      observers.push(observer)
    },
    caughtUp: () => take(() => Promise.resolve()),
    reload: () => {
      reloads += 1
      states.clear()
      recent.clear()
      head = tables.lastBlock()
      waiting = readWaiting(tables)
      if (waiting.length > 0) goOnLater()
    },
    close: async () => {
      isClosed = true
      await turns.settled()
    },
  }
}

/** Executes on an overlay; the chain stays unchanged. @throws NotAcceptedError */
async function emulateMessage(
  chain: {
    readonly emulator: Emulator
    readonly states: Pick<StateView, 'get'>
    beginning(): BlockBeginning
  },
  root: RootMessage,
  options: {
    readonly ignoreSignature?: boolean
    readonly balances?: ReadonlyMap<string, bigint>
  },
): Promise<Emulation> {
  const { emulator, states } = chain
  const copy = layOver(states)
  for (const [address, balance] of options.balances ?? []) {
    copy.set(address, withBalance(address, copy.get(address) ?? neverSeen, balance))
  }
  const next = chain.beginning()
  const batch = await executeBatch(
    emulator,
    { now: next.utime, randomSeed: randomSeedOf(next) },
    copy,
    {
      startLt: next.startLt,
      waiting: [],
      roots: [root],
      limit: traceLimit,
      ignoreSignature: options.ignoreSignature === true,
    },
  )
  const [refusal] = batch.refusals
  if (refusal !== undefined) throw new NotAcceptedError(refusal.message, refusal.exitCode)
  const trace = buildTrace(
    batch.executions.map((execution) => toExecuted({ ...execution, blockSeqno: next.seqno })),
  )
  if (trace === null) throw new Error('a message was taken and nothing came of it')
  return {
    root: trace,
    account: (address) => {
      const state = batch.changed.get(address) ?? copy.get(address)
      return state === null ? null : parseShardAccount(state.boc)
    },
  }
}

function withBalance(address: string, state: AccountState, coins: bigint): AccountState {
  const shard = parseShardAccount(state.boc)
  const account = shard.account ?? {
    addr: Address.parseRaw(address),
    storage: { lastTransLt: 0n, balance: { coins: 0n }, state: { type: 'uninit' as const } },
    storageStats: { used: { cells: 0n, bits: 0n }, storageExtra: null, lastPaid: 0 },
  }
  const { storage } = account
  const changed = {
    ...account,
    storage: { ...storage, balance: { ...storage.balance, coins } },
  }
  return { ...state, boc: serializeShardAccount({ ...shard, account: changed }) }
}
