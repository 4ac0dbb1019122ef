import type { Cell, Message, ShardAccount, Transaction, TupleItem } from '@ton/core'

export type NetworkName = 'mainnet' | 'testnet'

/** One masterchain block of the sandbox, made from one batch of messages. */
export type Block = {
  readonly seqno: number
  /** Unix seconds by the sandbox clock. */
  readonly utime: number
  readonly startLt: bigint
  readonly endLt: bigint
  readonly transactionCount: number
  /** 64 lower-case hex digits, derived from the block's contents. */
  readonly rootHash: string
  readonly fileHash: string
}

/** An executed transaction. Hashes are 64 lower-case hex digits. */
export type ExecutedTransaction = {
  readonly hash: string
  readonly account: string
  readonly lt: bigint
  readonly utime: number
  readonly blockSeqno: number
  readonly traceId: string
  /** Hash of the transaction that sent the incoming message; null at the root. */
  readonly parent: string | null
  readonly endBalance: bigint
  readonly inMessageHash: string | null
  /** First 32 bits of the incoming body (0 for a text comment); null when it is shorter. */
  readonly inOpcode: number | null
  readonly outOpcodes: readonly number[]
  readonly deployed: boolean
  readonly cell: Cell
  readonly transaction: Transaction
}

/** `children` are in the order of their messages' logical times. */
export type TraceNode = {
  readonly transaction: ExecutedTransaction
  readonly children: readonly TraceNode[]
}

export type ExecutedBlock = {
  readonly block: Block
  readonly transactions: readonly ExecutedTransaction[]
}

/** Result of an emulation; the chain is unchanged. */
export type Emulation = {
  readonly root: TraceNode
  account(address: string): ShardAccount | null
}

/** The contract (or the wallet's signature check) refused an external message. */
export class NotAcceptedError extends Error {
  readonly exitCode: number | null
  constructor(message: string, exitCode: number | null) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The cells are not an external message to an account of this chain. */
export class UnreadableMessageError extends Error {}

export class TraceTooLongError extends Error {}

/** Maximum transactions in a trace, as on the real service. */
export const traceLimit = 1_100

export type HistoryQuery = {
  /** Exclusive bounds. */
  readonly beforeLt?: bigint | undefined
  readonly afterLt?: bigint | undefined
  readonly limit: number
  readonly order?: 'desc' | 'asc'
}

export type TraceQuery = HistoryQuery & {
  /** Inclusive bounds of the trace's start, Unix seconds. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly initiated?: boolean
}

export type MethodResult = {
  readonly exitCode: number
  readonly gasUsed: bigint
  readonly stack: readonly TupleItem[]
}

/** `storing` runs inside the database transaction that stores the block, `stored` after it. */
export type BlockObserver = {
  storing(executed: ExecutedBlock): void
  stored(executed: ExecutedBlock): void
}

/** One network's chain: executes messages on the real TVM, one block at a time. */
export type Chain = {
  readonly network: NetworkName
  readonly globalId: number
  head(): Block
  /** Unix seconds that a block made now would have. */
  now(): number
  /**
   * Executes external messages and their consequences; transactions beyond the block limit follow
   * in further blocks.
   * @throws UnreadableMessageError when one is not an external message
   * @throws NotAcceptedError when all were refused; otherwise refused ones are skipped
   */
  send(messages: readonly Cell[]): Promise<ExecutedBlock>
  /**
   * Executes internal messages without a sender on the chain (the faucet) and sets their creation
   * time.
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
  /** Runs a get method. @returns null when the account is not active */
  runMethod(
    address: string,
    method: string | number,
    stack: readonly TupleItem[],
  ): Promise<MethodResult | null>

  /** Null for an address without a state. Addresses are raw. */
  account(address: string): ShardAccount | null
  lastActivity(address: string): number
  transaction(hash: string): ExecutedTransaction | null
  /** Transactions that received or sent the message; for an internal one only the receiver's. */
  transactionsByMessage(messageHash: string): readonly ExecutedTransaction[]
  history(address: string, query: HistoryQuery): readonly ExecutedTransaction[]
  /**
   * By its id or by the hash of any transaction in it.
   * @throws TraceTooLongError
   */
  trace(traceId: string): TraceNode | null
  traces(
    address: string,
    query: TraceQuery,
  ): readonly { readonly id: string; readonly utime: number; readonly lt: bigint }[]
  block(seqno: number): Block | null
  blockTransactions(seqno: number): readonly ExecutedTransaction[]
  transactionCount(): number
  accountsByCode(codeHash: string): readonly string[]
  codeHashes(): readonly string[]
  config(): Cell

  /** Observers run in the order they were added. */
  observe(observer: BlockObserver): void
  /** Resolves when all blocks under way are stored. */
  caughtUp(): Promise<void>
  /** Drops caches after the tables were replaced. */
  reload(): void
  /** Waits for the block under way; later calls fail. */
  close(): Promise<void>
}
