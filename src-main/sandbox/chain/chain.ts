import type { Cell, Message, ShardAccount, Transaction, TupleItem } from '@ton/core'

/** Networks are separate chains; an address has another friendly form on each. */
export type NetworkName = 'mainnet' | 'testnet'

/** A masterchain height of the sandbox: everything one batch has caused. */
export type Block = {
  readonly seqno: number
  /** Seconds, by the sandbox's clock. */
  readonly utime: number
  readonly startLt: bigint
  readonly endLt: bigint
  readonly transactionCount: number
  /** 64 lower-case hex digits; derived from what the block holds, so the same chain has the same. */
  readonly rootHash: string
  readonly fileHash: string
}

/** One execution, with what its cell does not say. Hashes are 64 lower-case hex digits. */
export type ExecutedTransaction = {
  readonly hash: string
  /** `0:<64 hex>` */
  readonly account: string
  readonly lt: bigint
  /** Seconds. */
  readonly utime: number
  readonly blockSeqno: number
  /** Hash of the transaction that began it all; the trace's id. */
  readonly traceId: string
  /** Hash of the transaction whose message this one received; null at the root. */
  readonly parent: string | null
  /** Of the account, after it. */
  readonly endBalance: bigint
  readonly inMessageHash: string | null
  /** First 32 bits of the incoming body (0 for a text comment); null when it is shorter. */
  readonly inOpcode: number | null
  /** The same of the bodies it sent, those that are long enough. */
  readonly outOpcodes: readonly number[]
  /** A contract came into being here: it was not active before and is after. */
  readonly deployed: boolean
  /** The transaction as the chain keeps it; its hash is `hash`. */
  readonly cell: Cell
  /** The same, read. */
  readonly transaction: Transaction
}

/** A tree of executions; `children` in the order of their messages' logical times. */
export type TraceNode = {
  readonly transaction: ExecutedTransaction
  readonly children: readonly TraceNode[]
}

export type ExecutedBlock = {
  readonly block: Block
  /** In order of execution. */
  readonly transactions: readonly ExecutedTransaction[]
}

/** What would happen; nothing of it has. */
export type Emulation = {
  readonly root: TraceNode
  /** State of an account after it, or as it is now when it was not touched. */
  account(address: string): ShardAccount | null
}

/** The contract (or the wallet's signature check) refused an external message. */
export class NotAcceptedError extends Error {
  /** Null when no contract was there to be run. */
  readonly exitCode: number | null
  constructor(message: string, exitCode: number | null) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Cells that are no external message to an account of this chain; nobody was asked. */
export class UnreadableMessageError extends Error {}

/** More transactions than a trace is shown with. */
export class TraceTooLongError extends Error {}

/** Of one trace; the real service stops there too. */
export const traceLimit = 1_100

type HistoryQuery = {
  /** Exclusive bounds. */
  readonly beforeLt?: bigint | undefined
  readonly afterLt?: bigint | undefined
  readonly limit: number
  readonly order?: 'desc' | 'asc'
}

type TraceQuery = HistoryQuery & {
  /** Inclusive bounds in seconds, of the block the trace began in. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Only those that began at this account. */
  readonly initiated?: boolean
}

export type MethodResult = {
  readonly exitCode: number
  readonly gasUsed: bigint
  readonly stack: readonly TupleItem[]
}

/** Called inside the transaction that stores the block: what it writes is committed with it or not at all. */
export type BlockObserver = {
  storing(executed: ExecutedBlock): void
  /** After the commit. */
  stored(executed: ExecutedBlock): void
}

/**
 * One network's chain: executes messages on the real TVM and keeps what came of them. Blocks are
 * made one at a time; calls wait for their turn.
 */
export type Chain = {
  readonly network: NetworkName
  /** −239 or −3. */
  readonly globalId: number
  head(): Block
  /** Seconds: the time a block would have that is made now. */
  now(): number
  /**
   * Executes external messages and all they cause, as one block. What goes beyond the limit of a
   * block is executed in the blocks that follow at once.
   * @throws UnreadableMessageError when one of them is no external message
   * @throws NotAcceptedError when all of the batch were refused; else refused ones are left out
   */
  send(messages: readonly Cell[]): Promise<ExecutedBlock>
  /**
   * Executes internal messages that come from nowhere (the faucet), as one block. Their logical
   * time and date of creation are set here.
   */
  inject(messages: readonly Message[]): Promise<ExecutedBlock>
  /**
   * Stops at `traceLimit` transactions.
   * @throws UnreadableMessageError
   * @throws NotAcceptedError
   */
  emulate(
    message: Cell,
    options?: {
      /** Skips the signature check of the first transaction. */
      readonly ignoreSignature?: boolean
      /** Raw address to balance, nanotons. */
      readonly balances?: ReadonlyMap<string, bigint>
    },
  ): Promise<Emulation>
  /** A get method of the account as it is now. @returns null when the account is not active */
  runMethod(
    address: string,
    method: string | number,
    stack: readonly TupleItem[],
  ): Promise<MethodResult | null>

  /** Null for an address never seen. Addresses are raw. */
  account(address: string): ShardAccount | null
  /** Last activity of an account in seconds; 0 when it never had any. */
  lastActivity(address: string): number
  transaction(hash: string): ExecutedTransaction | null
  /** Those that received or sent this message; an internal one has its receiver only. */
  transactionsByMessage(messageHash: string): readonly ExecutedTransaction[]
  history(address: string, query: HistoryQuery): readonly ExecutedTransaction[]
  /**
   * By its id or by the hash of any transaction in it.
   * @throws TraceTooLongError
   */
  trace(traceId: string): TraceNode | null
  /** Ids, times and logical times of the traces an account took part in. */
  traces(
    address: string,
    query: TraceQuery,
  ): readonly { readonly id: string; readonly utime: number; readonly lt: bigint }[]
  block(seqno: number): Block | null
  blockTransactions(seqno: number): readonly ExecutedTransaction[]
  transactionCount(): number
  /** Raw addresses with a code hash (64 hex); for finding jetton wallets and the like. */
  accountsByCode(codeHash: string): readonly string[]
  /** Of all codes there are accounts with; 64 hex. */
  codeHashes(): readonly string[]
  /** Root cell of the configuration the TVM runs with. */
  config(): Cell

  /** To be told of all blocks to come, in the order in which observers have come. */
  observe(observer: BlockObserver): void
  /** Resolves when the blocks begun by now are stored; those that come after have a later time. */
  caughtUp(): Promise<void>
  /** Forgets what it has in memory: the tables under it were replaced. */
  reload(): void
  /** Lets the block under way end; what is asked for afterwards is refused. */
  close(): Promise<void>
}
