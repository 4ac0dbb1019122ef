import {
  type Cell,
  type CommonMessageInfoInternal,
  type Message,
  type MessageRelaxed,
  loadMessageRelaxed,
} from '@ton/core'
import { decodeBody } from '../../ton/decode-body.ts'
import { decodeWalletOrders, sendMode } from '../../ton/wallet.ts'
import type { TraceNode } from '../chain/chain.ts'
import { type Action, type ActionDetails, noAddress, textOf } from './actions.ts'
import type { Contracts } from './accounts.ts'

/**
 * The orders in a wallet's external message that the wallet could not execute, for example for want
 * of money. Such an order leaves no transaction of its own and becomes a failed action.
 */
export async function unmetOrders(
  { transaction }: TraceNode,
  contracts: Contracts,
): Promise<Action[]> {
  const { inMessage, outMessages } = transaction.transaction
  if (inMessage?.info.type !== 'external-in') return []
  const contract = await contracts.of(transaction.account)
  if (contract.kind !== 'wallet') return []
  const orders = decodeWalletOrders(contract.version, inMessage.body)?.orders ?? []
  // The wallet sends in the order of its orders and leaves out what it cannot send.
  const sent = outMessages.values().filter(isInternal)
  const actions: Action[] = []
  for (const { mode, message } of orders) {
    const order = readOrder(message)
    if (order === null) continue
    const [next] = sent
    if (next !== undefined && isSentBy(order, mode, next)) {
      sent.shift()
      continue
    }
    actions.push({
      ...(await detailsOf(transaction.account, order, contracts)),
      isOk: false,
      transactions: [transaction.hash],
      accounts: new Set([transaction.account, order.info.dest.toRawString()]),
    })
  }
  return actions
}

type Internal = Message & { readonly info: CommonMessageInfoInternal }

function isInternal(message: Message): message is Internal {
  return message.info.type === 'internal'
}

/**
 * Unless the wallet pays fees separately, the forward fee is taken out of the value. The message
 * itself carries only the share of the fee that the validators of its destination get.
 */
function isSentBy(order: Order, mode: number, { info, body }: Internal): boolean {
  if (!info.dest.equals(order.info.dest) || !body.equals(order.body)) return false
  if (mode >= sendMode.remainingValue) return true
  const fee = order.info.value.coins - info.value.coins
  if ((mode & sendMode.feesSeparately) !== 0) return fee === 0n
  return fee - ((fee * firstShare) >> 16n) === info.forwardFee
}

/** `first_frac` of the configuration (parameters 24 and 25), in parts of 65536. */
const firstShare = 21845n

type Order = MessageRelaxed & { readonly info: { readonly type: 'internal' } }

export function readOrder(message: Cell): Order | null {
  try {
    const read = loadMessageRelaxed(message.beginParse())
    return read.info.type === 'internal' ? (read as Order) : null
  } catch {
    return null
  }
}

async function detailsOf(
  from: string,
  { info, body }: Order,
  contracts: Contracts,
): Promise<ActionDetails> {
  const receiver = info.dest.toRawString()
  const decoded = decodeBody(body)
  const wallet = decoded?.name === 'jetton_transfer' ? await contracts.jettonWallet(receiver) : null
  if (decoded?.name !== 'jetton_transfer' || wallet === null) {
    const content = textOf(body)
    return { type: 'TonTransfer', from, to: receiver, amount: info.value.coins, content }
  }
  return {
    type: 'JettonTransfer',
    master: wallet.master,
    from,
    to: decoded.destination?.toRawString() ?? null,
    sendersWallet: receiver,
    recipientsWallet: noAddress,
    amount: decoded.amount,
    content: decoded.forwardPayload.content,
  }
}
