/** The webhooks API (gateway-facts 2.1): one client for the real service and for the sandbox. */
import { z } from 'zod'
import type { HttpClient } from './http.ts'
import { int64 } from './int64.ts'

const entry = z.object({
  id: z.int(),
  endpoint: z.string(),
  /** Some answers leave out all but the first two. */
  token: z.string().optional(),
  status: z.enum(['online', 'offline', 'suspended']).optional(),
})
/** `token` is the bearer that its deliveries carry: it stays in the main process. */
export type WebhookEntry = z.infer<typeof entry>

const subscription = z.object({
  /** `0:<64 hex>` */
  account_id: z.string(),
  last_delivered_lt: int64,
  failed_attempts: z.int().optional(),
})

export type AccountSubscription = {
  readonly account: string
  readonly lastDeliveredLt: string
  readonly failedAttempts: number
}

/** Each call throws as `HttpClient.call` does. */
export type WebhooksClient = {
  list(): Promise<WebhookEntry[]>
  /** `token` is null where the service does not tell it here. */
  create(endpoint: string): Promise<{ id: number; token: string | null }>
  /** Raw or friendly addresses. */
  subscribeAccounts(webhookId: number, accounts: readonly string[]): Promise<void>
  /** At most a thousand from `offset` on. */
  subscriptions(webhookId: number, offset?: number): Promise<AccountSubscription[]>
  backOnline(webhookId: number): Promise<void>
}

const anything = z.unknown()

export function createWebhooksClient(http: HttpClient): WebhooksClient {
  return {
    async list() {
      const answer = z.object({ webhooks: z.array(entry) })
      return (await http.call({ path: '/webhooks', answer })).webhooks
    },
    async create(endpoint) {
      const answer = z.object({ webhook_id: z.int(), token: z.string().optional() })
      const made = await http.call({
        method: 'POST',
        path: '/webhooks',
        body: { endpoint },
        answer,
      })
      return { id: made.webhook_id, token: made.token ?? null }
    },
    async subscribeAccounts(webhookId, accounts) {
      await http.call({
        method: 'POST',
        path: `/webhooks/${webhookId}/account-tx/subscribe`,
        body: { accounts: accounts.map((account) => ({ account_id: account })) },
        answer: anything,
      })
    },
    async subscriptions(webhookId, offset = 0) {
      const { account_tx_subscriptions: list } = await http.call({
        path: `/webhooks/${webhookId}/account-tx/subscriptions`,
        query: { offset, limit: 1000 },
        answer: z.object({ account_tx_subscriptions: z.array(subscription) }),
      })
      return list.map((each) => ({
        account: each.account_id,
        lastDeliveredLt: each.last_delivered_lt,
        failedAttempts: each.failed_attempts ?? 0,
      }))
    },
    async backOnline(webhookId) {
      await http.call({
        method: 'POST',
        path: `/webhooks/${webhookId}/back-online`,
        answer: anything,
      })
    },
  }
}
