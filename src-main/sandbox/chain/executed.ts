import { type Message, type Transaction, Cell, loadTransaction } from '@ton/core'
import type { StoredTransaction } from '../store/chain-transactions.ts'
import type { ExecutedTransaction } from './chain.ts'

type Known = Omit<ExecutedTransaction, 'inMessageHash' | 'inOpcode' | 'outOpcodes' | 'lt' | 'utime'>

/** Completes what is known of a transaction by what its cell says. */
export function toExecuted(known: Known): ExecutedTransaction {
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

/** Of the message's own cell: written anew it might have another. */
export function inMessageHashOf(cell: Cell, { inMessage }: Transaction): string | null {
  if (!inMessage) return null
  return cell.beginParse().loadRef().beginParse().loadMaybeRef()?.hash().toString('hex') ?? null
}

function opcodeOf({ body }: Message): number | null {
  const slice = body.beginParse()
  return slice.remainingBits < 32 ? null : slice.preloadUint(32)
}
