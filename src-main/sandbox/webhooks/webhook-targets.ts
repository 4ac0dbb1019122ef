import type { DeliveryPolicy, DeliveryTargets } from '../deliver/delivery-queue.ts'
import type { AccountSubscriptionStore } from '../store/account-subscriptions.ts'
import type { WebhookLogStore } from '../store/webhook-logs.ts'
import type { WebhookStore } from '../store/webhooks.ts'
import { webhookIdOf } from './webhook.ts'

/** How webhooks fare with what they are sent: counted on them, on their subscriptions, and logged. */
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
