import { type Message, Cell, loadMessage, loadTransaction } from '@ton/core'
import { createHash } from 'node:crypto'
import { normalizedMessageHash } from '../../ton/hash.ts'
import {
  type AccountStore,
  type BlockStore,
  type StoredBlock,
  createAccountStore,
  createBlockStore,
  createWaitingStore,
} from '../store/chain-blocks.ts'
import {
  type StoredTransaction,
  type TransactionStore,
  createTransactionStore,
} from '../store/chain-transactions.ts'
import type { Database } from '../store/database.ts'
import { type AccountStates, type StoredState, createAccountStates } from './account-states.ts'
import type { Batch, BatchExecution, Waiting } from './batch.ts'
import type { ExecutedBlock, ExecutedTransaction, NetworkName, TraceNode } from './chain.ts'
import { inMessageHashOf } from './execute-message.ts'

type ChainStore = {
  readonly states: AccountStates
  readonly accounts: AccountStore
  readonly blocks: BlockStore
  readonly transactions: TransactionStore
  /** Call inside a database transaction. */
  write(beginning: BlockBeginning, batch: Batch, didWait: boolean): WrittenBlock
  waiting(): Waiting[]
}

type WrittenBlock = {
  readonly block: StoredBlock
  readonly executed: ExecutedBlock
  /** Pass to `states.hold` after the commit. */
  readonly states: ReadonlyMap<string, StoredState>
}

export function createChainStore(database: Database): ChainStore {
  const blocks = createBlockStore(database)
  const accounts = createAccountStore(database)
  const transactions = createTransactionStore(database)
  const waiting = createWaitingStore(database)
  const states = createAccountStates(accounts)

  function writeTransactions(
    { seqno, firstTransaction }: StoredBlock,
    executions: readonly BatchExecution[],
    stored: ReadonlyMap<string, StoredState>,
  ): (hash: string) => number {
    const numbers = new Map<string, number>()
    /** A trace may have begun in an earlier block. */
    function numberOf(hash: string): number {
      const number = numbers.get(hash) ?? transactions.numberOf(hash)
      if (number === null) throw new Error(`transaction ${hash} is not stored`)
      return number
    }
    for (const [index, execution] of executions.entries()) {
      const { hash, account, parent } = execution
      const number = firstTransaction + index
      numbers.set(hash, number)
      const state = stored.get(account)
      if (state === undefined) throw new Error(`the account ${account} is not stored`)
      transactions.insert({
        number,
        hash,
        accountId: state.id,
        lt: execution.transaction.lt,
        blockSeqno: seqno,
        trace: numberOf(execution.trace),
        traceLt: execution.traceLt,
        parent: parent === null ? null : numberOf(parent),
        endBalance: execution.endBalance,
        deployed: execution.deployed,
        boc: execution.boc,
        messageHashes: messageHashesOf(execution),
      })
    }
    return numberOf
  }

  return {
    states,
    accounts,
    blocks,
    transactions,
    write(beginning, batch, didWait) {
      const { executions, endLt, changed } = batch
      const hashes = executions.map(({ hash }) => hash)
      const block = endBlock(beginning, endLt, hashes)
      blocks.insert(block)
      const stored = states.store(changed)
      const numberOf = writeTransactions(block, executions, stored)
      if (didWait || batch.waiting.length > 0) {
        waiting.replace(
          batch.waiting.map(({ cell, origin }) => ({
            boc: cell.toBoc(),
            trace: numberOf(origin.trace),
            parent: numberOf(origin.parent),
          })),
        )
      }
      const executed = executions.map((execution) => describe(execution, block.seqno))
      return { block, executed: { block, transactions: executed }, states: stored }
    },
    waiting: () =>
      waiting.all().map(({ boc, traceHash, traceLt, parentHash }) => {
        const [cell] = Cell.fromBoc(Buffer.from(boc))
        if (cell === undefined) throw new Error('a waiting message is stored without its cell')
        const { info } = loadMessage(cell.beginParse())
        if (info.type !== 'internal') throw new Error('only internal messages wait')
        return {
          cell,
          destination: info.dest.toRawString(),
          createdLt: info.createdLt,
          origin: { trace: traceHash, traceLt, parent: parentHash },
        }
      }),
  }
}

export function describe(execution: BatchExecution, blockSeqno: number) {
  const { hash, account, trace, parent, endBalance, deployed, cell, transaction } = execution
  return toExecuted({
    hash,
    account,
    blockSeqno,
    traceId: trace,
    parent,
    endBalance,
    deployed,
    cell,
    transaction,
  })
}

/** An internal message is found by its receiver only. */
function messageHashesOf({ transaction, inMessageHash, sent }: BatchExecution): string[] {
  const { inMessage } = transaction
  const outside = sent.filter(({ kind }) => kind === 'external-out').map(({ hash }) => hash)
  return [
    inMessageHash,
    inMessage?.info.type === 'external-in' ? normalizedMessageHash(inMessage) : null,
    ...outside,
  ].filter((hash) => hash !== null)
}

type Known = Omit<ExecutedTransaction, 'inMessageHash' | 'inOpcode' | 'outOpcodes' | 'lt' | 'utime'>

function toExecuted(known: Known): ExecutedTransaction {
  const { transaction, cell } = known
  const { inMessage, outMessages } = transaction
  return {
    ...known,
    lt: transaction.lt,
    utime: transaction.now,
    inMessageHash: inMessageHashOf(cell, transaction),
    inOpcode: inMessage ? opcodeOf(inMessage) : null,
    outOpcodes: outMessages.values().flatMap((message) => opcodeOf(message) ?? []),
  }
}

export function readExecuted(stored: StoredTransaction): ExecutedTransaction {
  const { buffer, byteOffset, byteLength } = stored.boc
  const [cell] = Cell.fromBoc(Buffer.from(buffer, byteOffset, byteLength))
  if (cell === undefined) throw new Error(`transaction ${stored.hash} is stored without its cell`)
  return toExecuted({
    hash: stored.hash,
    account: stored.account,
    blockSeqno: stored.blockSeqno,
    traceId: stored.traceHash,
    parent: stored.parentHash,
    endBalance: stored.endBalance,
    deployed: stored.deployed,
    cell,
    transaction: loadTransaction(cell.beginParse()),
  })
}

function opcodeOf({ body }: Message): number | null {
  const slice = body.beginParse()
  return slice.remainingBits < 32 ? null : slice.preloadUint(32)
}

/** Blocks start at multiples of this logical time, as on the real chain. */
const ltAlign = 1_000_000n

export type BlockBeginning = {
  readonly seqno: number
  readonly utime: number
  readonly startLt: bigint
  readonly firstTransaction: number
  /** Root hash of the previous block; for the first block a digest of the seed. */
  readonly previous: string
}

/** The seed and the network decide the logical times of all that follows, and so all hashes. */
export function beginFirstBlock(network: NetworkName, seed: string, utime: number): BlockBeginning {
  const previous = digest('seed', network, seed)
  // About as large as logical times on the real chain.
  const startLt = (40_000_000n + BigInt(`0x${previous.slice(0, 6)}`)) * ltAlign
  return { seqno: 1, utime, startLt, firstTransaction: 1, previous }
}

export function beginBlock(previous: StoredBlock, utime: number): BlockBeginning {
  return {
    seqno: previous.seqno + 1,
    utime: Math.max(utime, previous.utime),
    startLt: (previous.endLt / ltAlign + 1n) * ltAlign,
    firstTransaction: previous.firstTransaction + previous.transactionCount,
    previous: previous.rootHash,
  }
}

export function randomSeedOf({ previous, seqno }: BlockBeginning): Buffer {
  return Buffer.from(digest('random', previous, seqno), 'hex')
}

function endBlock(
  { previous, ...beginning }: BlockBeginning,
  endLt: bigint,
  transactions: readonly string[],
): StoredBlock {
  const { seqno, utime, startLt } = beginning
  const rootHash = digest('block', previous, seqno, utime, startLt, endLt, ...transactions)
  return {
    ...beginning,
    endLt,
    transactionCount: transactions.length,
    rootHash,
    fileHash: digest('file', rootHash),
  }
}

function digest(...parts: readonly (string | number | bigint)[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex')
}

/** @param transactions of one trace; parents come before their children */
export function buildTrace(transactions: readonly ExecutedTransaction[]): TraceNode | null {
  const [first] = transactions
  if (first === undefined) return null
  const children = new Map<string, TraceNode[]>()
  const root = toNode(first)
  for (const transaction of transactions.slice(1)) {
    const node = toNode(transaction)
    children.get(transaction.parent ?? first.hash)?.push(node)
  }
  return root

  function toNode(transaction: ExecutedTransaction): TraceNode {
    const below: TraceNode[] = []
    children.set(transaction.hash, below)
    return { transaction, children: below }
  }
}
