import type { Chain, ExecutedBlock } from '../chain/chain.ts'
import { usdtBalance } from '../chain/contracts.ts'
import { type DevelopmentWallet, walletSeqno } from '../chain/wallets.ts'
import type { DeliveryQueue, QueuedDelivery } from '../deliver/delivery-queue.ts'
import type { Database } from '../store/database.ts'
import type { Webhooks } from '../webhooks/create-webhooks.ts'
import type { Webhook } from '../store/webhooks.ts'

type Network = {
  readonly database: Database
  readonly chain: Chain
  readonly queue: DeliveryQueue
  readonly webhooks: Webhooks
}

export type Networks = Readonly<Record<'mainnet' | 'testnet', Network>>

/** What the control API shows of a network. Amounts and logical times are decimal strings. */

export function serializeHead({ chain }: Network) {
  const { seqno, utime } = chain.head()
  return { seqno, utime, transactionCount: chain.transactionCount() }
}

export function serializeWallet(wallet: DevelopmentWallet, chain: Chain) {
  const account = chain.account(wallet.address.toRawString())?.account
  return {
    name: wallet.name,
    address: wallet.address.toRawString(),
    friendly: wallet.address.toString({
      bounceable: false,
      testOnly: chain.network === 'testnet',
    }),
    publicKey: wallet.publicKey.toString('hex'),
    balance: (account?.storage.balance.coins ?? 0n).toString(),
    usdt: usdtBalance(chain, wallet.address).toString(),
    seqno: walletSeqno(chain, wallet.address) ?? 0,
  }
}

export function serializeWebhook(webhook: Webhook & { readonly waiting: number }) {
  const { id, endpoint, status, waiting, statusFailedAttempts } = webhook
  return { id, endpoint, status, waiting, failedAttempts: statusFailedAttempts }
}

export function serializeDelivery(delivery: QueuedDelivery, endpoint: string) {
  const { id, target, eventType, accountId, lt, attempts, nextAttemptAt, lastError } = delivery
  return {
    id,
    target,
    endpoint,
    eventType,
    accountId,
    lt: lt?.toString() ?? null,
    attempts,
    nextAttemptAt,
    lastError,
    createdAt: delivery.createdAt,
    body: delivery.body,
  }
}

export function serializeOutcome({ block, transactions }: ExecutedBlock) {
  return {
    transactions: transactions.map(({ hash, account, lt }) => ({
      hash,
      account,
      lt: lt.toString(),
    })),
    block: block.seqno,
  }
}
