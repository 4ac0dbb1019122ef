import type { Chain } from '../chain/create-chain.ts'
import type { ExecutedBlock, ExecutedTransaction } from '../chain/chain.ts'
import { usdtBalance } from '../chain/contracts.ts'
import { type DevelopmentWallet, tonBalance, walletSeqno } from '../chain/wallets.ts'
import type { DeliveryQueue } from '../deliver/create-delivery-queue.ts'
import type { QueuedDelivery } from '../deliver/delivery-queue.ts'
import type { Actions, Activity } from '../actions.ts'
import type { Webhooks } from '../webhooks/create-webhooks.ts'
import type { Webhook } from '../store/webhooks.ts'

type Network = {
  readonly chain: Chain
  readonly queue: DeliveryQueue
  readonly webhooks: Webhooks
  readonly actions: Actions
  readonly activity: Activity
}

export type Networks = Readonly<Record<'mainnet' | 'testnet', Network>>

/** Serializes a network for the control API. Amounts and logical times are decimal strings. */

export function serializeHead({ chain }: Network) {
  const { seqno, utime } = chain.head()
  return { seqno, utime, transactionCount: chain.transactionCount() }
}

export const serializeWallet = (wallet: DevelopmentWallet, chain: Chain) => ({
  name: wallet.name,
  address: wallet.address.toRawString(),
  friendly: wallet.address.toString({
    bounceable: false,
    testOnly: chain.network === 'testnet',
  }),
  publicKey: wallet.publicKey.toString('hex'),
  balance: tonBalance(chain, wallet.address).toString(),
  usdt: usdtBalance(chain, wallet.address).toString(),
  seqno: walletSeqno(chain, wallet.address) ?? 0,
})

export function serializeWebhook(
  webhook: Webhook & {
    readonly waiting: number
    readonly retry: ReturnType<DeliveryQueue['retryOf']>
  },
) {
  const { id, endpoint, status, waiting, statusFailedAttempts: failedAttempts, retry } = webhook
  return { id, endpoint, status, waiting, failedAttempts, retry }
}

export function serializeDelivery(delivery: QueuedDelivery, endpoint: string) {
  const { lane: _, topic: __, lt, ...fields } = delivery
  return { ...fields, endpoint, lt: lt?.toString() ?? null }
}

export const serializeOutcome = ({ block, transactions }: ExecutedBlock) => ({
  transactions: transactions.map(serializeTransaction),
  block: block.seqno,
})

export const serializeTransaction = ({ hash, account, lt }: ExecutedTransaction) => ({
  hash,
  account,
  lt: lt.toString(),
})
