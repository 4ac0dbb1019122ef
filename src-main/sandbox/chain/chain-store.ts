import { Cell, loadMessage, loadTransaction } from '@ton/core'
import { createHash } from 'node:crypto'
import { LimitedMap } from '../../../src-preload/domain/limited-map.ts'
import { readOperation } from '../../ton/decode-body.ts'
import { normalizedMessageHash } from '../../ton/hash.ts'
import type { ChainTables, StoredAccount, StoredBlock, StoredTransaction } from '../store/chain.ts'
import type { Batch, BatchExecution, Waiting } from './batch.ts'
import {
  type Block,
  type ExecutedTransaction,
  type HistoryQuery,
  type NetworkName,
  type TraceNode,
  traceLimit,
} from './chain.ts'
import { inMessageHashOf } from './emulator.ts'

/** Call this in a database transaction. @param accounts the accounts of the batch, as they are stored */
export function writeBatch(
  tables: ChainTables,
  block: StoredBlock,
  batch: Batch,
  accounts: ReadonlyMap<string, StoredAccount>,
): void {
  const numbers = new Map<string, number>()
  function numberOf(hash: string): number {
    const number = numbers.get(hash) ?? tables.transactionNumber(hash)
    if (number === null) throw new Error(`transaction ${hash} is not stored`)
    return number
  }

  tables.insertBlock(block)
  for (const [index, execution] of batch.executions.entries()) {
    const { hash, traceId, parent, endBalance, deployed, boc, transaction } = execution
    const number = block.firstTransaction + index
    numbers.set(hash, number)
    const account = accounts.get(execution.account)
    if (account === undefined) throw new Error(`the account ${execution.account} is not stored`)
    tables.insertTransaction(
      {
        number,
        hash,
        account: account.id,
        lt: transaction.lt,
        blockSeqno: block.seqno,
        trace: numberOf(traceId),
        parent: parent === null ? null : numberOf(parent),
        endBalance,
        deployed,
        boc,
      },
      execution.traceLt,
      messageHashesOf(execution),
    )
  }
  tables.replaceWaitingMessages(
    batch.waiting.map(({ cell, origin }) => ({
      boc: cell.toBoc(),
      trace: numberOf(origin.traceId),
      parent: numberOf(origin.parent),
    })),
  )
}

export const readWaitingMessages = (tables: ChainTables): Waiting[] =>
  tables.waitingMessages().map(({ boc, traceId, lt, parentHash }) => {
    const cell = cellOf(boc)
    const { info } = loadMessage(cell.beginParse())
    if (info.type !== 'internal') throw new Error('only internal messages wait')
    return {
      cell,
      destination: info.dest.toRawString(),
      createdLt: info.createdLt,
      origin: { traceId, traceLt: lt, parent: parentHash },
    }
  })

function messageHashesOf({ transaction, inMessageHash, sent }: BatchExecution): string[] {
  const { inMessage } = transaction
  const outside = sent.filter(({ kind }) => kind === 'external-out').map(({ hash }) => hash)
  return [
    inMessageHash,
    inMessage?.info.type === 'external-in' ? normalizedMessageHash(inMessage) : null,
    ...outside,
  ].filter((hash) => hash !== null)
}

export function toExecuted(
  facts: Omit<ExecutedTransaction, 'lt' | 'utime' | 'inMessageHash' | 'inOpcode' | 'outOpcodes'>,
): ExecutedTransaction {
  const { hash, account, blockSeqno, traceId, parent, endBalance, deployed, cell } = facts
  const { transaction } = facts
  const { inMessage, outMessages } = transaction
  return {
    hash,
    account,
    blockSeqno,
    traceId,
    parent,
    endBalance,
    deployed,
    cell,
    transaction,
    lt: transaction.lt,
    utime: transaction.now,
    inMessageHash: inMessageHashOf(cell, transaction),
    inOpcode: inMessage ? readOperation(inMessage.body) : null,
    outOpcodes: outMessages.values().flatMap(({ body }) => readOperation(body) ?? []),
  }
}

/** Recent transactions are requested most often, and a watched wallet is read more often than it changes. */
const maxCached = 300

/** Reads the stored transactions of a chain; recently used ones are cached. */
export function createChainReader(tables: ChainTables) {
  const recent = new LimitedMap<string, ExecutedTransaction>(maxCached)

  function read(stored: StoredTransaction): ExecutedTransaction {
    const cached = recent.get(stored.hash)
    if (cached !== undefined) return cached
    const cell = cellOf(stored.boc)
    const transaction = loadTransaction(cell.beginParse())
    const executed = toExecuted({ ...stored, parent: stored.parentHash, cell, transaction })
    recent.set(stored.hash, executed)
    return executed
  }

  return {
    remember(made: readonly ExecutedTransaction[]): void {
      for (const each of made) recent.set(each.hash, each)
    },
    clear: () => recent.clear(),
    queries: {
      transaction(hash: string): ExecutedTransaction | null {
        const stored = tables.transaction(hash)
        return stored === null ? null : read(stored)
      },
      /**
       * Returns transactions that received or sent the message; for an internal message only the
       * receiver's.
       */
      transactionsByMessage: (hash: string) => tables.withMessage(hash).map(read),
      history: (address: string, query: HistoryQuery) => tables.history(address, query).map(read),
      /** Finds a trace by its id or by the hash of any of its transactions. */
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
      accountsByCode: tables.accountsWithCode,
      codeHashes: tables.codeHashes,
    },
  }
}

function cellOf({ buffer, byteOffset, byteLength }: Uint8Array): Cell {
  const [cell] = Cell.fromBoc(Buffer.from(buffer, byteOffset, byteLength))
  if (cell === undefined) throw new Error('a BOC is stored without its cell')
  return cell
}

/** Blocks start at multiples of this logical time, as on the real chain. */
const ltAlign = 1_000_000n

export type BlockBeginning = ReturnType<typeof beginBlock>

/** The seed and the network determine the logical times of all later transactions, and so all hashes. */
export function beginFirstBlock(network: NetworkName, seed: string, utime: number): BlockBeginning {
  const previous = digest('seed', network, seed)
  // The value is about as large as logical times on the real chain.
  const startLt = (40_000_000n + BigInt(`0x${previous.slice(0, 6)}`)) * ltAlign
  return { seqno: 1, utime, startLt, firstTransaction: 1, previous }
}

export function beginBlock(previous: StoredBlock, utime: number) {
  return {
    seqno: previous.seqno + 1,
    utime: Math.max(utime, previous.utime),
    startLt: (previous.endLt / ltAlign + 1n) * ltAlign,
    firstTransaction: previous.firstTransaction + previous.transactionCount,
    /** For the first block, this is a digest of the seed. */
    previous: previous.rootHash,
  }
}

export const randomSeedOf = ({ previous, seqno }: BlockBeginning): Buffer =>
  Buffer.from(digest('random', previous, seqno), 'hex')

export function endBlock(
  { previous, ...beginning }: BlockBeginning,
  { executions, endLt }: Batch,
): StoredBlock {
  const { seqno, utime, startLt } = beginning
  const hashes = executions.map(({ hash }) => hash)
  const rootHash = digest('block', previous, seqno, utime, startLt, endLt, ...hashes)
  return {
    ...beginning,
    endLt,
    transactionCount: hashes.length,
    rootHash,
    fileHash: digest('file', rootHash),
  }
}

const digest = (...parts: readonly (string | number | bigint)[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex')

/** @param transactions the transactions of one trace, parents before their children */
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
