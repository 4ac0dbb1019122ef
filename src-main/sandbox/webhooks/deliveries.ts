import type { Cell } from '@ton/core'
import { formatJson } from '../../ton/lossless-json.ts'
import type { ExecutedBlock, ExecutedTransaction } from '../chain/chain.ts'
import type { Delivery, DeliveryPolicy, DeliveryTargets } from '../deliver/delivery-queue.ts'
import type { WebhookStore } from '../store/webhooks.ts'

const prefix = 'webhook:'

export function targetOf(webhookId: number): string {
  return `${prefix}${webhookId}`
}

function webhookIdOf(target: string): number {
  return Number(target.slice(prefix.length))
}

/** Eight lower-case hex digits, as in the query API. */
export function serializeOpcode(opcode: number): string {
  return `0x${opcode.toString(16).padStart(8, '0')}`
}

/** Mempool messages belong to no account and share a lane. */
const mempoolLane = 'mempool'

export function matchBlock({ transactions }: ExecutedBlock, webhooks: WebhookStore): Delivery[] {
  const deliveries: Delivery[] = []
  const mempool = webhooks.forMempool()
  if (mempool.length > 0) {
    // Mempool events come first, as on a real network.
    for (const transaction of transactions) {
      const message = externalMessage(transaction)
      if (message === null) continue
      const eventType = 'mempool_msg'
      const body = formatJson({ event_type: eventType, boc: message.toBoc().toString('base64') })
      for (const id of mempool) {
        deliveries.push({
          target: targetOf(id),
          lane: mempoolLane,
          eventType,
          accountId: null,
          lt: null,
          body,
        })
      }
    }
  }
  const newContracts = webhooks.forNewContracts()
  for (const transaction of transactions) {
    const { account, lt, hash } = transaction
    const add = (ids: readonly number[], eventType: string, topic: string | null = null) => {
      if (ids.length === 0) return
      const body = formatJson({ event_type: eventType, account_id: account, lt, tx_hash: hash })
      // One lane per account: a receiver gets its events in order of lt.
      const delivery = { lane: account, eventType, accountId: account, topic, lt, body }
      for (const id of ids) deliveries.push({ target: targetOf(id), ...delivery })
    }
    add(webhooks.forAccount(account), 'account_tx')
    for (const opcode of new Set([transaction.inOpcode ?? [], transaction.outOpcodes].flat())) {
      add(webhooks.forOpcode(opcode), 'opcode_msg', serializeOpcode(opcode))
    }
    if (transaction.deployed) add(newContracts, 'new_contracts')
  }
  return deliveries
}

/** The original cell: a serialized copy may have another hash. */
function externalMessage({ parent, transaction, cell }: ExecutedTransaction): Cell | null {
  if (parent !== null || transaction.inMessage?.info.type !== 'external-in') return null
  const messages = cell.refs[0]?.beginParse()
  return messages?.loadBit() === true ? messages.loadRef() : null
}

export function createWebhookTargets(
  webhooks: WebhookStore,
  policy: () => DeliveryPolicy,
): DeliveryTargets {
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
        webhooks.accountDelivered(id, accountId, lt)
      }
    },
    failed({ target, eventType, accountId, lt }, _attempts, message, at, failingSince) {
      const id = webhookIdOf(target)
      webhooks.addFailure(id)
      webhooks.countFailed()
      webhooks.addLog(id, { at, eventType, message })
      if (eventType === 'account_tx' && accountId !== null && lt !== null) {
        webhooks.accountFailed(id, accountId, lt, at)
      }
      const isOnline = webhooks.status(id) === 'online'
      const isOver = at - failingSince >= policy().offlineAfterMs
      if (isOnline && isOver) webhooks.setStatus(id, 'offline', at)
      return isOnline && !isOver
    },
  }
}
