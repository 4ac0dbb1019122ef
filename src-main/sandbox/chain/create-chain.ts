import { type Cell, type Message, type ShardAccount, type TupleItem, Address } from '@ton/core'
import { type Clock, toSeconds } from '../clock.ts'
import { LimitedMap } from '../../../src-preload/domain/limited-map.ts'
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
  type BatchWork,
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
  type Block,
  type BlockObserver,
  type ExecutedBlock,
  type ExecutedTransaction,
  type HistoryQuery,
  type NetworkName,
  NotAcceptedError,
  type TraceNode,
  traceLimit,
} from './chain.ts'
import { createEmulator, globalIds, networkConfig } from './emulator.ts'
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
const maxCached = 300

/** One network's chain: executes messages on the real TVM, one block at a time. */
export type Chain = Awaited<ReturnType<typeof createChain>>

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
}) {
  const { database, network, clock, seed, limits = defaultLimits } = deps
  const emulator = createEmulator(networkConfig(network))
  const tables = createChainTables(database)
  const states = createAccountStates(tables)
  const observers: BlockObserver[] = []
  const turns = createMutex()
  const recent = new LimitedMap<string, ExecutedTransaction>(maxCached)
  const parsed = new LimitedMap<
    string,
    { readonly state: AccountState; readonly account: ShardAccount }
  >(maxCached)
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
    base: Pick<StateView, 'get'>,
    work: Omit<BatchWork, 'startLt' | 'waiting'> & Partial<BatchWork>,
  ) {
    const next = beginning()
    const terms = { now: next.utime, randomSeed: randomSeedOf(next) }
    const { startLt } = next
    const batch = await executeBatch(emulator, terms, base, { startLt, waiting, ...work })
    return { next, batch }
  }

  /** @throws NotAcceptedError when all roots were refused; waiting messages still make a block */
  async function makeBlock(roots: readonly RootMessage[]): Promise<ExecutedBlock> {
    for (;;) {
      const before = reloads
      const { next, batch } = await execute(states, { roots, limit: limits.block })
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
    const roots = genesisMessages().map(fromNowhere)
    const base = { get: (address: string) => first.get(address) ?? null }
    const { next, batch } = await execute(base, { roots, limit: Infinity })
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
    for (const each of transactions) recent.set(each.hash, each)
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
    const cached = recent.get(stored.hash)
    if (cached !== undefined) return cached
    const executed = readExecuted(stored)
    recent.set(stored.hash, executed)
    return executed
  }

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    return take(() => {
      if (isClosed) throw new Error('the chain is closed')
      return work()
    })
  }

  /** Executes on an overlay. */
  async function emulate(root: RootMessage, { balances, ignoreSignature }: EmulationOptions) {
    const copy = layOver(states)
    for (const [address, balance] of balances ?? []) {
      copy.set(address, withBalance(address, copy.get(address) ?? neverSeen, balance))
    }
    const work = { waiting: [], roots: [root], limit: traceLimit, ignoreSignature }
    const { next, batch } = await execute(copy, work)
    const [refusal] = batch.refusals
    if (refusal !== undefined) throw new NotAcceptedError(refusal.message, refusal.exitCode)
    const trace = buildTrace(
      batch.executions.map((execution) => toExecuted({ ...execution, blockSeqno: next.seqno })),
    )
    if (trace === null) throw new Error('a message was accepted but had no effect')
    return {
      root: trace,
      account(address: string): ShardAccount | null {
        const state = batch.changed.get(address) ?? copy.get(address)
        return state === null ? null : parseShardAccount(state.boc)
      },
    }
  }

  if (head === null) await makeGenesis()
  if (waiting.length > 0) goOnLater()

  return {
    network,
    globalId: globalIds[network],
    head(): Block {
      if (head === null) throw new Error('the chain has no block')
      return head
    },
    /** Unix seconds that a block made now would have. */
    now,
    /**
     * Executes external messages and their consequences; transactions beyond the block limit follow
     * in further blocks.
     * @throws UnreadableMessageError when one is not an external message
     * @throws NotAcceptedError when all were refused; otherwise refused ones are skipped
     */
    async send(messages: readonly Cell[]): Promise<ExecutedBlock> {
      const roots = messages.map(readExternal)
      return inTurn(() => takeTurn(roots))
    },
    /**
     * Executes internal messages without a sender on the chain (the faucet) and sets their creation
     * time.
     */
    async inject(messages: readonly Message[]): Promise<ExecutedBlock> {
      const roots = messages.map(fromNowhere)
      return inTurn(() => takeTurn(roots))
    },
    /**
     * Leaves the chain unchanged and stops at `traceLimit` transactions.
     * @throws UnreadableMessageError
     * @throws NotAcceptedError
     */
    async emulate(message: Cell, options: EmulationOptions = {}) {
      const root = readExternal(message)
      return inTurn(() => emulate(root, options))
    },
    /** Runs a get method. @returns null when the account is not active */
    async runMethod(address: string, method: string | number, stack: readonly TupleItem[]) {
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
    /** Null for an address without a state. Addresses are raw. */
    account(address: string): ShardAccount | null {
      const state = states.get(address)
      if (state === null) return null
      const known = parsed.get(address)
      if (known?.state === state) return known.account
      const account = parseShardAccount(state.boc)
      parsed.set(address, { state, account })
      return account
    },
    lastActivity: (address: string) => states.get(address)?.lastActivity ?? 0,
    transaction(hash: string): ExecutedTransaction | null {
      const stored = tables.transaction(hash)
      return stored === null ? null : read(stored)
    },
    /** Transactions that received or sent the message; for an internal one only the receiver's. */
    transactionsByMessage: (hash: string) => tables.withMessage(hash).map(read),
    history: (address: string, query: HistoryQuery) => tables.history(address, query).map(read),
    /** By its id or by the hash of any transaction in it. */
    trace(traceId: string): TraceNode | null | 'too long' {
      const stored = tables.trace(traceId, traceLimit + 1)
      return stored.length > traceLimit ? 'too long' : buildTrace(stored.map(read))
    },
    traces: tables.traces,
    block: (seqno: number): Block | null => tables.block(seqno),
    blockTransactions(seqno: number): ExecutedTransaction[] {
      const block = tables.block(seqno)
      if (block === null) return []
      return tables.range(block.firstTransaction, block.transactionCount).map(read)
    },
    transactionCount: () => (head === null ? 0 : head.firstTransaction + head.transactionCount - 1),
    accountsByCode: tables.accountsWithCode,
    codeHashes: tables.codeHashes,
    config: emulator.config,
    /** Observers run in the order they were added. */
    observe(observer: BlockObserver): void {
      observers.push(observer)
    },
    /** Resolves when all blocks under way are stored. */
    caughtUp: () => take(() => Promise.resolve()),
    /** Drops caches after the tables were replaced. */
    reload(): void {
      reloads += 1
      states.clear()
      recent.clear()
      head = tables.lastBlock()
      waiting = readWaiting(tables)
      if (waiting.length > 0) goOnLater()
    },
    /** Waits for the block under way; later calls fail. */
    async close(): Promise<void> {
      isClosed = true
      await turns.settled()
    },
  }
}

type EmulationOptions = {
  /** Skips the signature check of the first transaction. */
  readonly ignoreSignature?: boolean
  /** Raw address to balance, nanotons. */
  readonly balances?: ReadonlyMap<string, bigint>
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
