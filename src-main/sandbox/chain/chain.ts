import type { Cell, ShardAccount, Transaction } from '@ton/core'

export type NetworkName = 'mainnet' | 'testnet'

/** A masterchain block of the sandbox, created from one batch of messages. */
export type Block = {
  readonly seqno: number
  /** Unix seconds of the sandbox's clock. */
  readonly utime: number
  readonly startLt: bigint
  readonly endLt: bigint
  readonly transactionCount: number
  /** 64 lower-case hex digits that are derived from the block's contents. */
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
  /** Hash of the transaction that sent the incoming message; null for a root. */
  readonly parent: string | null
  readonly endBalance: bigint
  readonly inMessageHash: string | null
  /** The first 32 bits of the incoming body (0 for a text comment); null if the body is shorter. */
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

export class ExitError extends Error {
  readonly exitCode: number | null
  constructor(message: string, exitCode: number | null) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The contract, or the wallet's signature check, refused an external message. */
export class NotAcceptedError extends ExitError {}

/** The cells are not an external message to an account of this chain. */
export class UnreadableMessageError extends Error {}

/** Maximum number of transactions in a trace, as on the real service. */
export const traceLimit = 1_100

export type HistoryQuery = {
  /** The bounds are exclusive. */
  readonly beforeLt?: bigint | undefined
  readonly afterLt?: bigint | undefined
  readonly limit: number
  readonly order?: 'desc' | 'asc'
}

export type TraceQuery = HistoryQuery & {
  /** Inclusive bounds of the trace's start in Unix seconds. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly initiated?: boolean
}

/** `storing` runs in the database transaction that stores the block, `stored` runs after it. */
export type BlockObserver = {
  storing(executed: ExecutedBlock): void
  stored(executed: ExecutedBlock): void
}

export type TraceStart = { readonly id: string; readonly utime: number; readonly lt: bigint }

/** The state of the chain that wallets and contracts can read. */
export type ChainState = {
  readonly network: NetworkName
  now(): number
  account(address: string): ShardAccount | null
}
