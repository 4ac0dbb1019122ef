/** Moments are milliseconds. */

export type WebhookStatus = 'online' | 'offline' | 'suspended'

export type Webhook = {
  readonly id: number
  readonly endpoint: string
  /** Sent with each delivery as proof of origin. */
  readonly token: string
  readonly status: WebhookStatus
  readonly statusUpdatedAt: number
  /** Last response 200, `back-online` or creation. */
  readonly lastOnlineAt: number
  /** Consecutive failures. */
  readonly statusFailedAttempts: number
  readonly subscribedToMempool: boolean
  readonly subscribedToNewContracts: boolean
  readonly subscribedAccounts: number
  readonly subscribedMsgOpcodes: number
}

export type AccountSubscription = {
  readonly accountId: string
  readonly lastDeliveredLt: bigint
  readonly failedAt: number | null
  readonly failedLt: bigint | null
  readonly failedAttempts: number
}

export type OpcodeSubscription = {
  readonly opcode: number
  readonly status: 'active' | 'disabled'
  readonly disabledAt: number | null
  readonly disabledReason: string | null
}

export type WebhookLog = {
  readonly at: number
  readonly eventType: string
  readonly message: string
}

export type WebhookUsage = {
  readonly periodStartedAt: number
  readonly delivered: number
  readonly failed: number
}

const prefix = 'webhook:'

/** Target of a webhook's deliveries. */
export function targetOf(webhookId: number): string {
  return `${prefix}${webhookId}`
}

export function webhookIdOf(target: string): number {
  return Number(target.slice(prefix.length))
}

/** Eight lower-case hex digits, as in the query API. */
export function serializeOpcode(opcode: number): string {
  return `0x${opcode.toString(16).padStart(8, '0')}`
}

/** Moments are ISO date-times. */

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
