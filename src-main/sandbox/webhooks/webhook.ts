/** What the webhooks API speaks of. Moments are milliseconds since the epoch. */

export type WebhookStatus = 'online' | 'offline' | 'suspended'

export type Webhook = {
  readonly id: number
  readonly endpoint: string
  /** Sent with each delivery, so that the receiver knows whom it is from. */
  readonly token: string
  readonly status: WebhookStatus
  readonly statusUpdatedAt: number
  /** When it last answered 200, was brought back or was made. */
  readonly lastOnlineAt: number
  /** Failures in a row, of all it is sent. */
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

/** One attempt that failed. */
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

/** How the delivery queue knows a webhook. */
export function targetOf(webhookId: number): string {
  return `${prefix}${webhookId}`
}

export function webhookIdOf(target: string): number {
  return Number(target.slice(prefix.length))
}

/** As the query API prints them: eight lower-case digits. */
export function serializeOpcode(opcode: number): string {
  return `0x${opcode.toString(16).padStart(8, '0')}`
}
