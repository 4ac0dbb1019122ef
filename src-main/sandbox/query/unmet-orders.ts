import { decodeBody } from '../../ton/decode-body.ts'
import { type InternalOrder, decodeWalletOrders, matchOrders } from '../../ton/wallet.ts'
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
  const actions: Action[] = []
  for (const { order, isSent } of matchOrders(orders, outMessages.values())) {
    if (order === null || isSent) continue
    actions.push({
      ...(await detailsOf(transaction.account, order, contracts)),
      isOk: false,
      transactions: [transaction.hash],
      accounts: new Set([transaction.account, order.info.dest.toRawString()]),
    })
  }
  return actions
}

async function detailsOf(
  from: string,
  { info, body }: InternalOrder,
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
