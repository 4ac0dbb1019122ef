import type { Address } from '@ton/core'
import type { HistoryRow } from '../../src-preload/contract/chain/account.ts'
import type { Asset } from '../../src-preload/contract/chain/references.ts'
import type { TransactionResponse } from '../gateway/query-responses.ts'
import type { DecodedBody } from '../ton/decode-body.ts'
import { readOpcode } from '../ton/opcodes.ts'
import type { Naming } from './addresses.ts'
import { failureOf } from './failure.ts'
import {
  type AssetOf,
  jettonsIn,
  type ReadMessage,
  addressesIn,
  readMessage,
  valueOf,
  tonAsset,
} from './read-trace.ts'

export type ReadTransaction = ReturnType<typeof readTransaction>

export function readTransaction(transaction: TransactionResponse) {
  const { in_msg: incoming, out_msgs: outgoing } = transaction
  return {
    transaction,
    incoming: incoming?.msg_type === 'int_msg' ? readMessage(incoming) : null,
    outgoing: outgoing.filter(({ msg_type }) => msg_type === 'int_msg').map(readMessage),
  }
}

const messagesOf = ({ incoming, outgoing }: ReadTransaction): readonly ReadMessage[] =>
  incoming === null ? outgoing : [incoming, ...outgoing]

export const jettonWalletsIn = (read: ReadTransaction): string[] =>
  messagesOf(read).flatMap((message) => jettonsIn(message)?.wallet ?? [])

export const namedIn = (read: ReadTransaction): string[] =>
  messagesOf(read).flatMap(({ body }) => addressesIn(body))

export const isFirst = ({ transaction: { prev_trans_lt: lt } }: ReadTransaction): boolean =>
  lt === null || lt === undefined || lt === '0'

export const opcodesIn = (read: ReadTransaction): number[] =>
  messagesOf(read).flatMap(({ opcode }) => readOpcode(opcode ?? '') ?? [])

/**
 * @param known.assetOf must only know the account's own jetton wallets: any contract can claim a
 * payment
 */
export function historyRow(
  read: ReadTransaction,
  context: { readonly name: Naming; readonly assetOf: AssetOf },
): HistoryRow {
  const { transaction } = read
  const failure = failureOf(transaction)
  return {
    hash: transaction.hash,
    lt: transaction.lt,
    at: transaction.utime * 1000,
    // The service counts a notification without gas as failed although its value arrived.
    success: failure === null,
    ...movement(read, context),
    fees: feesOf(transaction).toString(),
    outMessages: transaction.out_msgs.length,
    failure,
    event: null,
  }
}

/**
 * The fees that the account paid. Total fees do not contain the part of the forward fees that travels in the messages:
 * the next validators earn it.
 */
export const feesOf = ({ total_fees: total, out_msgs: outgoing }: TransactionResponse): bigint =>
  outgoing.reduce((sum, { fwd_fee: fee }) => sum + BigInt(fee), BigInt(total))

type RowContext = Parameters<typeof historyRow>[1]
type Movement = Pick<
  HistoryRow,
  'direction' | 'peer' | 'change' | 'opcode' | 'operation' | 'comment'
>

function movement({ incoming, outgoing }: ReadTransaction, context: RowContext): Movement {
  if (incoming === null) return moved('out', outgoing, context)
  if (outgoing.length === 0) return moved('in', [incoming], context)
  const { source } = incoming.answer
  const { opcode, operation, comment } = incoming
  const change = changeOf(tonAsset, valueOf(incoming.answer) - sumOfValues(outgoing))
  const peer = source ? context.name(source) : null
  return { direction: 'other', peer, change, opcode, operation, comment }
}

const neither: Movement = {
  direction: 'other',
  peer: null,
  change: null,
  opcode: null,
  operation: null,
  comment: null,
}

/** A value in which the messages differ is null. */
function moved(
  direction: 'in' | 'out',
  messages: readonly ReadMessage[],
  context: RowContext,
): Movement {
  const [first] = messages
  if (first === undefined) return neither
  const side = direction === 'in' ? 'source' : 'destination'
  const sign = direction === 'in' ? 1n : -1n
  const parts = messages.map((message) => partOf(message, side, context))
  const { asset, peer } = partOf(first, side, context)
  const isOneAsset = parts.every((part) => part.asset.jetton === asset.jetton)
  const isOnePeer = parts.every((part) => part.peer?.address === peer?.address)
  const isOneOpcode = messages.every(({ opcode }) => opcode === first.opcode)
  const isOneComment = messages.every(({ comment }) => comment === first.comment)
  return {
    direction,
    peer: isOnePeer ? peer : null,
    // If several assets moved, the row shows the TON spent, including the fees for moving jettons.
    change: isOneAsset
      ? changeOf(asset, sign * sumOf(parts.map(({ units }) => units)))
      : changeOf(tonAsset, sign * sumOfValues(messages)),
    opcode: isOneOpcode ? first.opcode : null,
    operation: isOneOpcode ? first.operation : null,
    comment: isOneComment ? first.comment : null,
  }
}

function partOf(message: ReadMessage, side: 'source' | 'destination', context: RowContext) {
  const jettons = jettonsIn(message)
  const asset = jettons && context.assetOf(jettons.wallet)
  if (!jettons || !asset) {
    const peer = message.answer[side]
    return {
      peer: peer ? context.name(peer) : null,
      asset: tonAsset,
      units: valueOf(message.answer),
    }
  }
  // The peer of a jetton transfer is the other owner, whom the body names; a mint or a burn has none.
  const owner = otherOwner(message.body)
  return { peer: owner && context.name(owner.toRawString()), asset, units: jettons.units }
}

function otherOwner(body: DecodedBody | null): Address | null {
  if (body?.name === 'jetton_notify') return body.sender
  return body?.name === 'jetton_transfer' ? body.destination : null
}

const changeOf = (asset: Asset, units: bigint): HistoryRow['change'] =>
  units === 0n ? null : { asset, units: units.toString() }

const sumOfValues = (messages: readonly ReadMessage[]): bigint =>
  sumOf(messages.map(({ answer }) => valueOf(answer)))

const sumOf = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n)

/** A row, with the values that only the filters and the paging need. */
export type HistoryEntry = {
  readonly row: HistoryRow
  readonly opcodes: readonly number[]
  /** True for the first transaction of an account. */
  readonly isFirst: boolean
}
