import type {
  MessageResponse,
  TraceNodeResponse,
  TransactionResponse,
  ExtraCurrencyResponse,
} from '../gateway/query-responses.ts'
import { exitCodeOf, failureOf } from './failure.ts'
import { readBoc } from '../ton/boc.ts'
import { type DecodedBody, decodeBody, fieldsOf } from '../ton/decode-body.ts'
import { operationName, readOpcode } from '../ton/opcodes.ts'
import { type InternalOrder, type SignedOrders, readSignedOrders } from '../ton/wallet.ts'
import type { Asset } from '../../src-preload/contract/chain/references.ts'

export type ReadNode = {
  readonly transaction: TransactionResponse
  readonly interfaces: readonly string[]
  /**
   * True for a transaction that is not on the chain yet: the gateway also emulates the effects of
   * pending messages.
   */
  readonly isEmulated: boolean
  readonly index: number
  readonly depth: number
  readonly parent: ReadNode | null
  readonly children: readonly ReadNode[]
  /** The incoming message; null for a tick-tock transaction. */
  readonly message: ReadMessage | null
  readonly underWay: readonly ReadMessage[]
  readonly exitCode: number | null
  readonly failure: string | null
}

type GrowingNode = ReadNode & { readonly children: ReadNode[] }

export function readTrace(response: readonly TraceNodeResponse[]): ReadNode[] {
  const arrived = new Set(response.map(({ transaction }) => transaction.in_msg?.hash))
  const isUnderWay = (message: MessageResponse) =>
    message.msg_type === 'int_msg' && !arrived.has(message.hash)
  const nodes: GrowingNode[] = []
  for (const [index, { transaction, emulated, ...place }] of response.entries()) {
    const parent = place.parent === null ? null : (nodes[place.parent] ?? null)
    const node: GrowingNode = {
      transaction,
      interfaces: place.interfaces,
      depth: place.depth,
      isEmulated: emulated,
      index,
      parent,
      children: [],
      message: transaction.in_msg ? readMessage(transaction.in_msg) : null,
      underWay: transaction.out_msgs.filter(isUnderWay).map(readMessage),
      exitCode: exitCodeOf(transaction),
      failure: failureOf(transaction),
    }
    nodes.push(node)
    if (parent !== null) nodes[parent.index]?.children.push(node)
  }
  return nodes
}

export const messagesOf = ({ message, underWay }: ReadNode): readonly ReadMessage[] =>
  message === null ? underWay : [message, ...underWay]

export const namedIn = (nodes: readonly ReadNode[]): string[] =>
  nodes.flatMap(messagesOf).flatMap(({ body }) => addressesIn(body))

export type ReadMessage = ReturnType<typeof readMessage>

/**
 * The body is decoded here if possible, else the gateway's decoding is used. The opcode is `0x` and
 * eight digits.
 */
export function readMessage(response: MessageResponse) {
  // The body of an external message begins with a signature, not with an opcode.
  const isInternal = response.msg_type === 'int_msg'
  // An invalid body does not invalidate the rest of the response.
  const cell = isInternal ? readBoc(response.raw_body) : null
  const body = cell === null ? null : decodeBody(cell)
  const opcode = isInternal ? (response.op_code ?? null) : null
  const opcodeNumber = readOpcode(opcode ?? '')
  const name = opcodeNumber === null ? null : operationName(opcodeNumber)
  const operation: string | null = body?.name ?? response.decoded_op_name ?? name
  const comment = body === null ? gatewayComment(response) : commentOf(body)
  return { answer: response, body, opcode, operation, comment }
}

/**
 * Returns the nanotons that reach the receiver. No network uses hypercube routing (IHR), so a fee
 * reserved for IHR is credited; if a message forbids IHR, the field has another meaning.
 */
export const valueOf = ({ value, ihr_fee, ihr_disabled }: MessageResponse): bigint =>
  BigInt(value) + (ihr_disabled ? 0n : BigInt(ihr_fee))

function commentOf(body: DecodedBody): string | null {
  if (body.name === 'text_comment') return body.text
  const content = 'forwardPayload' in body ? body.forwardPayload.content : null
  return content?.kind === 'comment' ? content.text : null
}

/** The gateway may omit the raw body of a comment it decoded. */
function gatewayComment({ decoded_op_name, decoded_body }: MessageResponse): string | null {
  if (decoded_op_name !== 'text_comment') return null
  const { text } = (decoded_body ?? {}) as { readonly text?: unknown }
  return typeof text === 'string' ? text : null
}

export function addressesIn(body: DecodedBody | null): string[] {
  if (body === null) return []
  return fieldsOf(body).flatMap(({ kind, value }) =>
    kind === 'address' && value !== null ? [value.toRawString()] : [],
  )
}

/** Null if the contract is no jetton wallet, undefined if that is unknown. */
export type AssetOf = (wallet: string) => Asset | null | undefined

export function jettonsIn({ body, answer }: ReadMessage) {
  if (body === null || !('amount' in body)) return null
  const fromWallet = body.name === 'jetton_notify' || body.name === 'jetton_burn_notification'
  const wallet = fromWallet ? answer.source : answer.destination
  return wallet ? { wallet: wallet.address, units: body.amount } : null
}

/**
 * True if a message really moves or orders jettons. Its body proves nothing, because anyone can
 * send such a body to any contract. A wallet that is not verified counts if the gateway names it or
 * if it carried out the message.
 */
export function isJettonMessage(
  message: ReadMessage,
  nodes: { readonly node: ReadNode | null; readonly parent: ReadNode | null },
  assetOf: AssetOf,
): boolean {
  const moved = jettonsIn(message)
  if (moved === null) return false
  const asset = assetOf(moved.wallet)
  if (asset !== undefined) return asset !== null
  const { node, parent } = nodes
  const wallet = moved.wallet === message.answer.destination?.address ? node : parent
  if (wallet?.interfaces.includes('jetton_wallet') === true) return true
  const name = message.body?.name
  if (name === 'jetton_internal_transfer' || name === 'jetton_burn_notification') {
    return node?.failure === null && isObeyed(parent, moved.units)
  }
  const isOrder = name === 'jetton_transfer' || name === 'jetton_burn'
  return isOrder && isObeyed(node, moved.units)
}

/** True if a contract carried out the order in its message by passing on the same number of jettons. */
function isObeyed(node: ReadNode | null, units: bigint): boolean {
  const order = node?.message?.body
  if (!node || node.failure !== null || !order) return false
  const passed = (name: string) =>
    node.children.some(({ message, failure }) => {
      const body = message?.body
      return failure === null && body?.name === name && 'amount' in body && body.amount === units
    })
  if (order.name === 'jetton_burn') return passed('jetton_burn_notification')
  const isOrder = order.name === 'jetton_transfer' || order.name === 'jetton_mint'
  return isOrder && passed('jetton_internal_transfer')
}

/**
 * True if the receiver is an NFT that was transferred: it notified the new or the old owner, or the
 * gateway names it as an NFT.
 */
export function isNftTransfer(node: ReadNode | null): boolean {
  if (node === null) return false
  const order = node.message?.body
  const isNft = node.interfaces.some((name) => name.startsWith('nft_item'))
  const owner = node.message?.answer.source?.address
  return (
    isNft ||
    (node.failure === null &&
      order?.name === 'nft_transfer' &&
      node.children.some(({ message, transaction }) => {
        const told = message?.body
        return (
          told?.name === 'nft_ownership_assigned' &&
          told.prevOwner?.toRawString() === owner &&
          transaction.account.address === order.newOwner?.toRawString()
        )
      }))
  )
}

/** The actions that an external message orders its wallet to send. */
export function ordersIn(
  { msg_type, raw_body }: MessageResponse,
  interfaces: readonly string[],
): SignedOrders | null {
  const body = msg_type === 'ext_in_msg' ? readBoc(raw_body) : null
  return body && readSignedOrders(interfaces, body)
}

export function orderedJettons(order: InternalOrder | null) {
  if (order === null) return null
  const body = decodeBody(order.body)
  if (body?.name !== 'jetton_transfer') return null
  const { amount, destination } = body
  return { wallet: order.info.dest.toRawString(), amount, destination }
}

export const tonAsset: Asset = { jetton: null, symbol: 'TON', decimals: 9 }

export function assetOfExtra({ preview }: ExtraCurrencyResponse): Asset {
  const { id, symbol, decimals } = preview
  return { jetton: null, extraCurrency: id, symbol, decimals }
}

export const extraBalances = (currencies: readonly ExtraCurrencyResponse[]) =>
  currencies.map((each) => ({ asset: assetOfExtra(each), units: each.amount }))
