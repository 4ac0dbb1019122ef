import type { Address } from '@ton/core'
import type { AccountRef, Asset, HistoryRow } from '../../src-preload/contract/chain.ts'
import type { TransactionAnswer } from '../gateway/query-answers.ts'
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

export type ReadTransaction = {
  readonly transaction: TransactionAnswer
  readonly incoming: ReadMessage | null
  readonly outgoing: readonly ReadMessage[]
}

export function readTransaction(transaction: TransactionAnswer): ReadTransaction {
  const { in_msg: incoming, out_msgs: outgoing } = transaction
  return {
    transaction,
    incoming: incoming?.msg_type === 'int_msg' ? readMessage(incoming) : null,
    outgoing: outgoing.filter(({ msg_type }) => msg_type === 'int_msg').map(readMessage),
  }
}

function messagesOf({ incoming, outgoing }: ReadTransaction): readonly ReadMessage[] {
  return incoming === null ? outgoing : [incoming, ...outgoing]
}

export function jettonWalletsIn(read: ReadTransaction): string[] {
  return messagesOf(read).flatMap((message) => jettonsIn(message)?.wallet ?? [])
}

export function namedIn(read: ReadTransaction): string[] {
  return messagesOf(read).flatMap(({ body }) => addressesIn(body))
}

export function isFirst({ transaction: { prev_trans_lt: lt } }: ReadTransaction): boolean {
  return lt === null || lt === undefined || lt === '0'
}

export function opcodesIn(read: ReadTransaction): number[] {
  return messagesOf(read).flatMap(({ opcode }) => readOpcode(opcode ?? '') ?? [])
}

/**
 * @param known.assetOf must only know the account's own jetton wallets: any contract can claim a
 * payment
 */
export function historyRow(
  read: ReadTransaction,
  context: { readonly name: Naming; readonly assetOf: AssetOf },
): HistoryRow {
  const { transaction, incoming, outgoing } = read
  const failure = failureOf(transaction)
  return {
    hash: transaction.hash,
    lt: transaction.lt,
    at: transaction.utime * 1000,
    // The service counts a notification without gas as failed although its value arrived.
    success: failure === null,
    ...movement(incoming, outgoing, context),
    fees: transaction.total_fees,
    outMessages: transaction.out_msgs.length,
    failure,
  }
}

type RowContext = Parameters<typeof historyRow>[1]
type Movement = Pick<
  HistoryRow,
  'direction' | 'peer' | 'change' | 'opcode' | 'operation' | 'comment'
>

function movement(
  incoming: ReadMessage | null,
  outgoing: readonly ReadMessage[],
  context: RowContext,
): Movement {
  const [first] = outgoing
  if (incoming !== null) {
    return first === undefined ? received(incoming, context) : passedOn(incoming, outgoing, context)
  }
  return first === undefined ? neither : sent(first, outgoing, context)
}

const neither: Movement = {
  direction: 'other',
  peer: null,
  change: null,
  opcode: null,
  operation: null,
  comment: null,
}

function received(message: ReadMessage, context: RowContext): Movement {
  const { peer, asset, units } = partOf(message, 'source', context)
  return { direction: 'in', peer, change: changeOf(asset, units), ...nameOf(message) }
}

function passedOn(
  incoming: ReadMessage,
  outgoing: readonly ReadMessage[],
  { name }: RowContext,
): Movement {
  const { source } = incoming.answer
  return {
    direction: 'other',
    peer: source ? name(source) : null,
    change: changeOf(tonAsset, valueOf(incoming.answer) - sumOfValues(outgoing)),
    ...nameOf(incoming),
  }
}

function sent(first: ReadMessage, outgoing: readonly ReadMessage[], context: RowContext): Movement {
  const parts = outgoing.map((message) => partOf(message, 'destination', context))
  const { asset, peer } = partOf(first, 'destination', context)
  const isOneAsset = parts.every((part) => part.asset.jetton === asset.jetton)
  const isOnePeer = parts.every((part) => part.peer?.address === peer?.address)
  const { opcode, operation, comment } = nameOf(first)
  const isOneOpcode = outgoing.every((message) => message.opcode === opcode)
  const isOneComment = outgoing.every((message) => message.comment === comment)
  return {
    direction: 'out',
    peer: isOnePeer ? peer : null,
    // With several assets the row shows the TON spent, including the fees for moving jettons.
    change: isOneAsset
      ? changeOf(asset, -sumOf(parts.map(({ units }) => units)))
      : changeOf(tonAsset, -sumOfValues(outgoing)),
    opcode: isOneOpcode ? opcode : null,
    operation: isOneOpcode ? operation : null,
    comment: isOneComment ? comment : null,
  }
}

type Part = { readonly peer: AccountRef | null; readonly asset: Asset; readonly units: bigint }

function partOf(message: ReadMessage, side: 'source' | 'destination', context: RowContext): Part {
  const jettons = jettonsIn(message)
  const asset = jettons === null ? null : (context.assetOf(jettons.wallet) ?? null)
  // The peer of a jetton transfer is the other owner, whom the body names; a mint or a burn has none.
  const owner = asset === null ? null : otherOwner(message.body)
  const peer = asset === null ? message.answer[side] : owner?.toRawString()
  return {
    peer: peer ? context.name(peer) : null,
    asset: asset ?? tonAsset,
    units: asset !== null && jettons !== null ? jettons.units : valueOf(message.answer),
  }
}

function otherOwner(body: DecodedBody | null): Address | null {
  if (body?.name === 'jetton_notify') return body.sender
  return body?.name === 'jetton_transfer' ? body.destination : null
}

function nameOf({ opcode, operation, comment }: ReadMessage) {
  return { opcode, operation, comment }
}

function changeOf(asset: Asset, units: bigint): HistoryRow['change'] {
  return units === 0n ? null : { asset, units: units.toString() }
}

function sumOfValues(messages: readonly ReadMessage[]): bigint {
  return sumOf(messages.map(({ answer }) => valueOf(answer)))
}

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n)
}
