import { type Cell, type Message, type ShardAccount, type TupleItem, Address } from '@ton/core'
import { type Clock, toSeconds } from '../clock.ts'
import { type ChainTables, type StoredBlock, createChainTables } from '../store/chain.ts'
import { type Database, transaction } from '../store/database.ts'
import {
  type AccountState,
  type AccountStates,
  type StateView,
  createAccountStates,
  createOverlay,
  absentAccount,
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
  createChainReader,
  endBlock,
  randomSeedOf,
  readWaitingMessages,
  toExecuted,
  writeBatch,
} from './chain-store.ts'
import {
  type Block,
  type BlockObserver,
  type ExecutedBlock,
  type NetworkName,
  NotAcceptedError,
  traceLimit,
} from './chain.ts'
import { type Emulator, createEmulator, globalIds, networkConfig } from './emulator.ts'
import { genesisMessages, genesisStates } from './contracts.ts'
import { createMutex } from '../../../src-preload/domain/mutex.ts'

export type ChainLimits = {
  /** Maximum number of transactions per block. */
  readonly block: number
  /** Maximum number of blocks per call; remaining messages are executed between other calls. */
  readonly blocksInTurn: number
}

const defaultLimits: ChainLimits = { block: 1_000, blocksInTurn: 5 }

type ChainDeps = {
  readonly database: Database
  readonly network: NetworkName
  readonly clock: Clock
  /** Determines all hashes of a new chain, and is ignored for an existing one. */
  readonly seed: string
  readonly limits?: ChainLimits
}

/** One network's chain: executes messages on the real TVM, one block at a time. */
export type Chain = Awaited<ReturnType<typeof createChain>>

/** Opens one network's chain; an empty database gets its first block. */
export async function createChain(deps: ChainDeps) {
  const { network, limits = defaultLimits } = deps
  const emulator = createEmulator(networkConfig(network))
  const tables = createChainTables(deps.database)
  const states = createAccountStates(tables)
  const reader = createChainReader(tables)
  const blocks = createBlocks(deps, emulator, tables, states)
  const turns = createMutex()
  let isClosed = false

  blocks.observe({
    storing: () => undefined,
    stored: ({ transactions }) => reader.remember(transactions),
  })

  const hasWork = () => blocks.areWaiting() && !isClosed

  async function makeBlocks(roots: readonly RootMessage[]): Promise<ExecutedBlock> {
    const made = await blocks.make(roots, limits.block)
    await goOn(limits.blocksInTurn - 1)
    return made
  }

  async function goOn(count: number): Promise<void> {
    try {
      for (let made = 0; made < count && hasWork(); made += 1) await blocks.make([], limits.block)
    } catch (error) {
      // Waiting messages are stored, and the next block executes them again.
      process.emitWarning(error instanceof Error ? error : String(error))
      return
    }
    goOnLater()
  }

  const take = <T>(work: () => Promise<T>): Promise<T> =>
    turns.run(() => yieldToEventLoop().then(work))

  function goOnLater(): void {
    if (hasWork()) void take(() => goOn(limits.blocksInTurn))
  }

  const inTurn = async <T>(work: () => Promise<T>): Promise<T> =>
    take(() => {
      if (isClosed) throw new Error('the chain is closed')
      return work()
    })

  if (blocks.head() === null) await blocks.makeGenesis()
  goOnLater()

  return {
    network,
    globalId: globalIds[network],
    head(): Block {
      const head = blocks.head()
      if (head === null) throw new Error('the chain has no block')
      return head
    },
    /** Unix seconds that a block would have if it were created now. */
    now: blocks.now,
    /**
     * Executes external messages and their consequences; transactions beyond the limit of a block
     * follow in further blocks.
     * @throws UnreadableMessageError if a message is not an external message
     * @throws NotAcceptedError if all were refused; otherwise refused messages are skipped
     */
    async send(messages: readonly Cell[]): Promise<ExecutedBlock> {
      const roots = messages.map(readExternal)
      return inTurn(() => makeBlocks(roots))
    },
    /**
     * Executes internal messages without a sender on the chain (the faucet) and sets their creation
     * time.
     */
    async inject(messages: readonly Message[]): Promise<ExecutedBlock> {
      const roots = messages.map(fromNowhere)
      return inTurn(() => makeBlocks(roots))
    },
    /**
     * Emulates a message without changing the chain, and stops at `traceLimit` transactions.
     * @throws UnreadableMessageError
     * @throws NotAcceptedError
     */
    async emulate(message: Cell, options: EmulationOptions = {}) {
      const root = readExternal(message)
      return inTurn(() => emulate(blocks, states, root, options))
    },
    /** Runs a get method. @returns null if the account is not active */
    async runMethod(address: string, method: string | number, stack: readonly TupleItem[]) {
      const state = states.get(address)
      if (state === null) return null
      return await emulator.runMethod({
        address: Address.parseRaw(address),
        state: parseShardAccount(state.boc),
        method,
        stack,
        now: blocks.now(),
        randomSeed: randomSeedOf(blocks.beginning()),
      })
    },
    /** Returns the state of a raw address; null if it has none. */
    account: states.account,
    lastActivity: (address: string) => states.get(address)?.lastActivity ?? 0,
    ...reader.queries,
    transactionCount() {
      const head = blocks.head()
      return head === null ? 0 : head.firstTransaction + head.transactionCount - 1
    },
    config: emulator.config,
    /** Observers run in the order in which they were added. */
    observe: blocks.observe,
    /** Resolves when all pending blocks are stored. */
    caughtUp: () => take(() => Promise.resolve()),
    /** Drops caches. Call this after the tables were replaced. */
    reload(): void {
      states.clear()
      reader.clear()
      blocks.reload()
      goOnLater()
    },
    /** Waits for the pending block; later calls fail. */
    async close(): Promise<void> {
      isClosed = true
      await turns.settled()
    },
  }
}

type Blocks = ReturnType<typeof createBlocks>

/** Creates blocks from the head of the chain and the messages that wait for the next block. */
function createBlocks(
  { database, network, clock, seed }: ChainDeps,
  emulator: Emulator,
  tables: ChainTables,
  states: AccountStates,
) {
  const observers: BlockObserver[] = []
  let head: StoredBlock | null = tables.lastBlock()
  let waiting: readonly Waiting[] = readWaitingMessages(tables)
  /** Incremented when the tables are replaced; a batch that was executed on the old tables runs again. */
  let reloads = 0

  const now = () => Math.max(toSeconds(clock.now()), head?.utime ?? 0)

  const beginning = (): BlockBeginning =>
    head === null ? beginFirstBlock(network, seed, now()) : beginBlock(head, now())

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

  function keep(next: BlockBeginning, batch: Batch): ExecutedBlock {
    const block = endBlock(next, batch)
    const executed = { block, transactions: transactionsOf(batch, block) }
    const accounts = transaction(database, () => {
      const stored = states.store(batch.changed)
      writeBatch(tables, block, batch, stored)
      for (const observer of observers) observer.storing(executed)
      return stored
    })
    states.remember(accounts)
    head = block
    waiting = batch.waiting
    for (const observer of observers) observer.stored(executed)
    return executed
  }

  return {
    head: () => head,
    areWaiting: () => waiting.length > 0,
    now,
    beginning,
    execute,
    /** @throws NotAcceptedError if all roots were refused; waiting messages still create a block */
    async make(roots: readonly RootMessage[], limit: number): Promise<ExecutedBlock> {
      for (;;) {
        const before = reloads
        const { next, batch } = await execute(states, { roots, limit })
        if (before !== reloads) continue
        const [refusal] = batch.refusals
        if (refusal === undefined || batch.refusals.length < roots.length) return keep(next, batch)
        if (batch.executions.length > 0) keep(next, batch)
        throw new NotAcceptedError(refusal.message, refusal.exitCode)
      }
    },
    /** Genesis is stored in one transaction, so that a killed start leaves nothing. */
    async makeGenesis(): Promise<void> {
      const first = genesisStates()
      const roots = genesisMessages().map(fromNowhere)
      const base = { get: (address: string) => first.get(address) ?? null }
      const { next, batch } = await execute(base, { roots, limit: Infinity })
      keep(next, { ...batch, changed: new Map([...first, ...batch.changed]) })
    },
    observe: (observer: BlockObserver): void => {
      observers.push(observer)
    },
    reload(): void {
      reloads += 1
      head = tables.lastBlock()
      waiting = readWaitingMessages(tables)
    },
  }
}

const transactionsOf = ({ executions }: Batch, { seqno }: Pick<Block, 'seqno'>) =>
  executions.map((execution) => toExecuted({ ...execution, blockSeqno: seqno }))

/** Executes a message on an overlay of the state. */
async function emulate(
  { execute }: Pick<Blocks, 'execute'>,
  states: AccountStates,
  root: RootMessage,
  { balances, ignoreSignature }: EmulationOptions,
) {
  const copy = createOverlay(states)
  for (const [address, balance] of balances ?? []) {
    copy.set(address, withBalance(address, copy.get(address) ?? absentAccount, balance))
  }
  const work = { waiting: [], roots: [root], limit: traceLimit, ignoreSignature }
  const { next, batch } = await execute(copy, work)
  const [refusal] = batch.refusals
  if (refusal !== undefined) throw new NotAcceptedError(refusal.message, refusal.exitCode)
  const trace = buildTrace(transactionsOf(batch, next))
  if (trace === null) throw new Error('a message was accepted but had no effect')
  return {
    root: trace,
    account(address: string): ShardAccount | null {
      const state = batch.changed.get(address) ?? copy.get(address)
      return state === null ? null : parseShardAccount(state.boc)
    },
  }
}

type EmulationOptions = {
  /** Skips verifying the signature in the first transaction. */
  readonly ignoreSignature?: boolean
  /** Balances in nanotons by raw address. */
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
