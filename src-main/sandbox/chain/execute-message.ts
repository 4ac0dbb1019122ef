import { type Transaction, Cell, Dictionary, loadTransaction } from '@ton/core'
import {
  readBalance,
  type AccountState,
  type StateView,
  neverSeen,
  parseShardAccount,
} from './account-states.ts'
import type { Emulator } from './emulator.ts'

export type BlockTerms = {
  readonly now: number
  readonly randomSeed: Buffer
}

export type SentMessage = {
  readonly cell: Cell
  readonly hash: string
  readonly kind: 'internal' | 'external-out'
  /** Raw address; empty for an external message. */
  readonly destination: string
  readonly createdLt: bigint
}

export type MessageExecution = {
  readonly hash: string
  readonly cell: Cell
  readonly boc: Uint8Array
  readonly transaction: Transaction
  readonly account: string
  readonly endBalance: bigint
  readonly deployed: boolean
  /** Logical time after the transaction and its messages. */
  readonly endLt: bigint
  readonly inMessageHash: string | null
  readonly sent: readonly SentMessage[]
}

/** Executes one message and writes the new state into `states`. @throws EmulatorRefusal */
export async function executeMessage(
  emulator: Emulator,
  terms: BlockTerms,
  states: StateView,
  order: {
    readonly message: Cell
    readonly destination: string
    readonly lt: bigint
    readonly ignoreSignature: boolean
  },
): Promise<MessageExecution> {
  const { message, destination, lt, ignoreSignature } = order
  const before = states.get(destination) ?? neverSeen
  const result = await emulator.run({ ...terms, state: before.boc, message, lt, ignoreSignature })
  const boc = Buffer.from(result.transaction, 'base64')
  const [cell] = Cell.fromBoc(boc)
  if (cell === undefined) throw new Error('the emulator gave no transaction')
  const transaction = loadTransaction(cell.beginParse())
  states.set(destination, {
    id: before.id,
    boc: result.state,
    codeHash: codeHashAfter(transaction, before, result.state),
    lastActivity: transaction.now,
  })
  return {
    hash: cell.hash().toString('hex'),
    cell,
    boc,
    transaction,
    account: destination,
    endBalance: balanceOf(result.state),
    deployed: transaction.oldStatus !== 'active' && transaction.endStatus === 'active',
    endLt: transaction.lt + 1n + BigInt(transaction.outMessagesCount),
    inMessageHash: inMessageHashOf(cell, transaction),
    sent: readSent(cell, transaction),
  }
}

function balanceOf(state: string): bigint {
  const known = readBalance(Buffer.from(state, 'base64'))
  return known ?? parseShardAccount(state).account?.storage.balance.coins ?? 0n
}

/** Only a deployment or a set-code action changes the code; other hashes are reused. */
function codeHashAfter(
  { oldStatus, endStatus, description }: Transaction,
  before: AccountState,
  after: string,
): string | null {
  if (endStatus !== 'active') return null
  const special =
    description.type === 'generic' ? (description.actionPhase?.specActions ?? 0) > 0 : true
  if (oldStatus === 'active' && !special) return before.codeHash
  const state = parseShardAccount(after).account?.storage.state
  return state?.type === 'active' ? (state.state.code?.hash().toString('hex') ?? null) : null
}

/** Reads the original cells: a serialized copy may have another hash. */
function readSent(cell: Cell, { outMessages, outMessagesCount }: Transaction): SentMessage[] {
  if (outMessagesCount === 0) return []
  const slice = cell.beginParse().loadRef().beginParse()
  slice.loadMaybeRef()
  const cells = slice.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell())
  return outMessages.keys().map((index): SentMessage => {
    const [message, messageCell] = [outMessages.get(index), cells.get(index)]
    if (message === undefined || messageCell === undefined || message.info.type === 'external-in') {
      throw new Error('the emulator gave a transaction that sends what cannot be sent')
    }
    const { info } = message
    return {
      cell: messageCell,
      hash: messageCell.hash().toString('hex'),
      kind: info.type,
      destination: info.type === 'internal' ? info.dest.toRawString() : '',
      createdLt: info.createdLt,
    }
  })
}

/** Hash of the original cell: a serialized copy may have another. */
export function inMessageHashOf(cell: Cell, { inMessage }: Transaction): string | null {
  if (!inMessage) return null
  return cell.beginParse().loadRef().beginParse().loadMaybeRef()?.hash().toString('hex') ?? null
}
