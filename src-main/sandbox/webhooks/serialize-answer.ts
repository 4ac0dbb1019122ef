/** Shapes of the webhooks API's answers; moments are date-times there. */
import {
  type AccountSubscription,
  type OpcodeSubscription,
  type Webhook,
  type WebhookLog,
  type WebhookUsage,
  serializeOpcode,
} from './webhook.ts'

export function serializeWebhook(webhook: Webhook) {
  return {
    id: webhook.id,
    endpoint: webhook.endpoint,
    token: webhook.token,
    subscribed_accounts: webhook.subscribedAccounts,
    subscribed_msg_opcodes: webhook.subscribedMsgOpcodes,
    subscribed_to_mempool: webhook.subscribedToMempool,
    subscribed_to_new_contracts: webhook.subscribedToNewContracts,
    status: webhook.status,
    status_updated_at: dateTime(webhook.statusUpdatedAt),
    last_online_at: dateTime(webhook.lastOnlineAt),
    status_failed_attempts: webhook.statusFailedAttempts,
  }
}

/** What tells of failures is there when there was one. */
export function serializeAccountSubscription(subscription: AccountSubscription) {
  const { accountId, lastDeliveredLt, failedAt, failedLt, failedAttempts } = subscription
  return {
    account_id: accountId,
    last_delivered_lt: lastDeliveredLt,
    ...(failedAt === null ? {} : { failed_at: dateTime(failedAt) }),
    ...(failedLt === null ? {} : { failed_lt: failedLt }),
    failed_attempts: failedAttempts,
  }
}

export function serializeOpcodeSubscription(subscription: OpcodeSubscription) {
  const { opcode, status, disabledAt, disabledReason } = subscription
  return {
    opcode: serializeOpcode(opcode),
    status,
    ...(disabledAt === null ? {} : { disabled_at: dateTime(disabledAt) }),
    ...(disabledReason === null ? {} : { disabled_reason: disabledReason }),
  }
}

export function serializeLog({ at, message, eventType }: WebhookLog) {
  return { timestamp: dateTime(at), message, event_type: eventType }
}

export function serializeUsage(usage: WebhookUsage, accountSubscriptions: number) {
  return {
    period_started_at: dateTime(usage.periodStartedAt),
    account_subscriptions: accountSubscriptions,
    webhooks_delivered: usage.delivered,
    webhooks_failed: usage.failed,
  }
}

function dateTime(ms: number): string {
  return new Date(ms).toISOString()
}
