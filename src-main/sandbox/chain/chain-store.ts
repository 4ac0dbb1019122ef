import { Cell, loadMessage } from '@ton/core'
import { normalizedMessageHash } from '../../ton/hash.ts'
import { type AccountStore, createAccountStore } from '../store/chain-accounts.ts'
import { type BlockStore, type StoredBlock, createBlockStore } from '../store/chain-blocks.ts'
import { type TransactionStore, createTransactionStore } from '../store/chain-transactions.ts'
import { createWaitingStore } from '../store/chain-waiting.ts'
import type { Database } from '../store/database.ts'
import { type AccountStates, type StoredState, createAccountStates } from './account-states.ts'
import type { Batch, BatchExecution, Waiting } from './batch.ts'
import { type BlockBeginning, endBlock } from './block.ts'
import type { ExecutedBlock } from './chain.ts'
import { toExecuted } from './executed.ts'

/** What a chain keeps on disk, and the states of its accounts. */
type ChainStore = {
  readonly states: AccountStates
  readonly accounts: AccountStore
  readonly blocks: BlockStore
  readonly transactions: TransactionStore
  /** Writes a block and all that is in it; to be called inside a transaction. */
  write(beginning: BlockBeginning, batch: Batch, didWait: boolean): WrittenBlock
  /** What the last block has left over. */
  waiting(): Waiting[]
}

type WrittenBlock = {
  readonly block: StoredBlock
  readonly executed: ExecutedBlock
  /** To be held in memory once it is committed. */
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

/** @param blockSeqno of the block it is in, or would be in */
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

/** Received, or sent to nobody on the chain; an internal one is its receiver's. */
function messageHashesOf({ transaction, inMessageHash, sent }: BatchExecution): string[] {
  const { inMessage } = transaction
  const outside = sent.filter(({ kind }) => kind === 'external-out').map(({ hash }) => hash)
  return [
    inMessageHash,
    inMessage?.info.type === 'external-in' ? normalizedMessageHash(inMessage) : null,
    ...outside,
  ].filter((hash) => hash !== null)
}
