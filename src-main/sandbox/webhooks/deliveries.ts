import type { Cell } from '@ton/core'
import { formatJson } from '../../ton/lossless-json.ts'
import type { ExecutedBlock, ExecutedTransaction } from '../chain/chain.ts'
import type { Delivery, DeliveryPolicy, DeliveryTargets } from '../deliver/delivery-queue.ts'
import type { AccountSubscriptionStore, WebhookLogStore, WebhookStore } from '../store/webhooks.ts'
import { serializeOpcode, targetOf, webhookIdOf } from './webhook.ts'

/** Ids of subscribed webhooks; each lookup has a constant cost. */
type Subscribers = {
  ofAccount(account: string): readonly number[]
  ofOpcode(opcode: number): readonly number[]
  ofNewContracts(): readonly number[]
  ofMempool(): readonly number[]
}

/** Mempool messages belong to no account and share a lane. */
const mempoolLane = 'mempool'

export function matchBlock({ transactions }: ExecutedBlock, subscribers: Subscribers): Delivery[] {
  const deliveries: Delivery[] = []
  const mempool = subscribers.ofMempool()
  if (mempool.length > 0) {
    // Mempool events come first, as on a real network.
    for (const transaction of transactions) {
      const message = externalMessage(transaction)
      if (message === null) continue
      const body = formatJson({
        event_type: 'mempool_msg',
        boc: message.toBoc().toString('base64'),
      })
      for (const id of mempool) deliveries.push(mempoolDelivery(id, body))
    }
  }
  const newContracts = subscribers.ofNewContracts()
  for (const transaction of transactions) {
    const tell = (ids: readonly number[], eventType: string, topic: string | null = null) => {
      if (ids.length === 0) return
      const body = transactionBody(transaction, eventType)
      for (const id of ids)
        deliveries.push(accountDelivery(id, transaction, eventType, topic, body))
    }
    tell(subscribers.ofAccount(transaction.account), 'account_tx')
    for (const opcode of new Set([transaction.inOpcode ?? [], transaction.outOpcodes].flat())) {
      tell(subscribers.ofOpcode(opcode), 'opcode_msg', serializeOpcode(opcode))
    }
    if (transaction.deployed) tell(newContracts, 'new_contracts')
  }
  return deliveries
}

function transactionBody({ account, lt, hash }: ExecutedTransaction, eventType: string): string {
  return formatJson({ event_type: eventType, account_id: account, lt, tx_hash: hash })
}

/** One lane per account: a receiver gets its events in order of lt. */
function accountDelivery(
  webhookId: number,
  { account, lt }: ExecutedTransaction,
  eventType: string,
  topic: string | null,
  body: string,
): Delivery {
  return {
    target: targetOf(webhookId),
    lane: account,
    eventType,
    accountId: account,
    topic,
    lt,
    body,
  }
}

function mempoolDelivery(webhookId: number, body: string): Delivery {
  return {
    target: targetOf(webhookId),
    lane: mempoolLane,
    eventType: 'mempool_msg',
    accountId: null,
    lt: null,
    body,
  }
}

/** The original cell: a serialized copy may have another hash. */
function externalMessage({ parent, transaction, cell }: ExecutedTransaction): Cell | null {
  if (parent !== null || transaction.inMessage?.info.type !== 'external-in') return null
  const messages = cell.refs[0]?.beginParse()
  return messages?.loadBit() === true ? messages.loadRef() : null
}

export function createWebhookTargets(deps: {
  readonly webhooks: WebhookStore
  readonly accounts: AccountSubscriptionStore
  readonly logs: WebhookLogStore
  readonly policy: () => DeliveryPolicy
}): DeliveryTargets {
  const { webhooks, accounts, logs, policy } = deps
  return {
    describe(target) {
      const address = webhooks.address(webhookIdOf(target))
      return address === null ? null : { url: address.endpoint, bearer: address.token }
    },
    delivered({ target, eventType, accountId, lt }, at) {
      const id = webhookIdOf(target)
      webhooks.setOnline(id, at)
      webhooks.countDelivered()
      if (eventType === 'account_tx' && accountId !== null && lt !== null) {
        accounts.delivered(id, accountId, lt)
      }
    },
    failed({ target, eventType, accountId, lt }, _attempts, message, at, failingSince) {
      const id = webhookIdOf(target)
      webhooks.addFailure(id)
      webhooks.countFailed()
      logs.add(id, { at, eventType, message })
      if (eventType === 'account_tx' && accountId !== null && lt !== null) {
        accounts.failed(id, accountId, lt, at)
      }
      const isOnline = webhooks.status(id) === 'online'
      const isOver = at - failingSince >= policy().offlineAfterMs
      if (isOnline && isOver) webhooks.setStatus(id, 'offline', at)
      return isOnline && !isOver
    },
  }
}
