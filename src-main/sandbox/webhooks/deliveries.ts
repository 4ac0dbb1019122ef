import { formatOpcode } from '../../../src-preload/domain/opcode.ts'
import type { Cell } from '@ton/core'
import { formatJson } from '../../ton/lossless-json.ts'
import type { ExecutedBlock, ExecutedTransaction } from '../chain/chain.ts'
import type { Delivery, DeliveryPolicy, DeliveryTargets } from '../deliver/delivery-queue.ts'
import type { WebhookStore } from '../store/webhooks.ts'

const prefix = 'webhook:'

export const targetOf = (webhookId: number): string => `${prefix}${webhookId}`

const webhookIdOf = (target: string): number => Number(target.slice(prefix.length))

/** Mempool messages belong to no account, so they share one `lane`. */
const mempoolLane = 'mempool'

export function matchBlock({ transactions }: ExecutedBlock, webhooks: WebhookStore): Delivery[] {
  const deliveries: Delivery[] = []
  function add(
    ids: readonly number[],
    eventType: string,
    event: object,
    delivery: Pick<Delivery, 'lane' | 'accountId' | 'topic' | 'lt'>,
  ): void {
    if (ids.length === 0) return
    const body = formatJson({ event_type: eventType, ...event })
    for (const id of ids) deliveries.push({ target: targetOf(id), eventType, body, ...delivery })
  }

  // Mempool events come first, as on a real network.
  const mempool = webhooks.withEvent('mempool')
  for (const transaction of mempool.length === 0 ? [] : transactions) {
    const boc = externalMessage(transaction)?.toBoc().toString('base64')
    const delivery = { lane: mempoolLane, accountId: null, lt: null }
    if (boc !== undefined) add(mempool, 'mempool_msg', { boc }, delivery)
  }
  const newContracts = webhooks.withEvent('new_contracts')
  for (const { account, lt, hash, inOpcode, outOpcodes, deployed } of transactions) {
    const event = { account_id: account, lt, tx_hash: hash }
    // Each account has its own `lane`, so that a receiver gets its events in order of lt.
    const delivery = { lane: account, accountId: account, lt }
    add(webhooks.forAccount(account), 'account_tx', event, delivery)
    for (const opcode of new Set([inOpcode ?? [], outOpcodes].flat())) {
      const topic = formatOpcode(opcode)
      add(webhooks.forOpcode(opcode), 'opcode_msg', event, { ...delivery, topic })
    }
    if (deployed) add(newContracts, 'new_contracts', event, delivery)
  }
  return deliveries
}

/** The original cell is used, because a serialized copy may have another hash. */
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
      if (isOnline && isOver) webhooks.set(id, { status: 'offline', statusUpdatedAt: at })
      return isOnline && !isOver
    },
  }
}
