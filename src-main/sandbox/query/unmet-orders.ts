import type { MessageRelaxed } from '@ton/core'
import { loadMessageRelaxed } from '@ton/core'
import { decodeBody } from '../../ton/decode-body.ts'
import { decodePayload } from '../../ton/decode-payload.ts'
import type { WalletOrder } from '../../ton/wallet-orders.ts'
import { decodeWalletOrders } from '../../ton/wallet-orders.ts'
import { sendMode } from '../../ton/send-mode.ts'
import type { TraceNode } from '../chain/chain.ts'
import type { Action, ActionDetails } from './actions.ts'
import { noAddress } from './actions.ts'
import type { Contracts } from './contracts.ts'

/**
 * What a wallet's owner has ordered and the wallet could not do, say for want of money: it leaves no
 * transaction of its own, and is told as failed.
 */
export async function unmetOrders(
  { transaction }: TraceNode,
  deps: { readonly contracts: Contracts },
): Promise<Action[]> {
  const { inMessage, outMessages } = transaction.transaction
  if (inMessage?.info.type !== 'external-in') return []
  const contract = await deps.contracts.of(transaction.account)
  if (contract.kind !== 'wallet') return []
  const orders = decodeWalletOrders(contract.version, inMessage.body)?.orders ?? []
  const sent = outMessages.values().flatMap(({ info }) => (info.type === 'internal' ? [info] : []))
  const actions: Action[] = []
  for (const order of orders) {
    const message = readOrder(order)
    if (message === null) continue
    const { info } = message
    const index = sent.findIndex(
      ({ dest, value }) =>
        dest.equals(info.dest) &&
        (order.mode >= sendMode.remainingValue || value.coins === info.value.coins),
    )
    if (index >= 0) {
      sent.splice(index, 1)
      continue
    }
    const details = await detailsOf(transaction.account, message, deps.contracts)
    actions.push({
      isOk: false,
      details,
      transactions: [transaction.hash],
      accounts: new Set([transaction.account, info.dest.toRawString()]),
    })
  }
  return actions
}

type Order = MessageRelaxed & { readonly info: { readonly type: 'internal' } }

function readOrder({ message }: WalletOrder): Order | null {
  try {
    const read = loadMessageRelaxed(message.beginParse())
    return read.info.type === 'internal' ? (read as Order) : null
  } catch {
    return null
  }
}

async function detailsOf(
  sender: string,
  { info, body }: Order,
  contracts: Contracts,
): Promise<ActionDetails> {
  const recipient = info.dest.toRawString()
  const decoded = decodeBody(body)
  if (decoded?.name === 'jetton_transfer') {
    const wallet = await contracts.jettonWallet(recipient)
    if (wallet !== null) {
      return {
        type: 'JettonTransfer',
        master: wallet.master,
        sender,
        recipient: decoded.destination?.toRawString() ?? null,
        sendersWallet: recipient,
        recipientsWallet: noAddress,
        amount: decoded.amount,
        content: decoded.forwardPayload.content,
      }
    }
  }
  const content = decodePayload(body)
  return {
    type: 'TonTransfer',
    sender,
    recipient,
    amount: info.value.coins,
    content: content.kind === 'other' ? { kind: 'empty' } : content,
  }
}
