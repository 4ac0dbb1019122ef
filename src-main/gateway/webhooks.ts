/** The webhooks API (gateway-facts 2.1): one client for the real service and for the sandbox. */
import { z } from 'zod'
import { accountText, dateTime, int64, list, only, optional, renamed } from './response-fields.ts'
import { type HttpClient, pathTo } from './http.ts'
import { type QueryOptions, createRequests } from './query.ts'

/** The documentation requires all fields, but some responses contain only the first two. */
const entry = renamed({
  id: ['id', int64],
  endpoint: ['endpoint', z.string()],
  token: ['token', optional(z.string())],
  /** An undocumented status becomes null. */
  status: ['status', z.enum(['online', 'offline', 'suspended']).nullable().catch(null)],
  statusSince: ['status_updated_at', optional(dateTime)],
  lastOnlineAt: ['last_online_at', optional(dateTime)],
  failedAttempts: ['status_failed_attempts', optional(z.int())],
  accounts: ['subscribed_accounts', optional(z.int())],
  opcodes: ['subscribed_msg_opcodes', optional(z.int())],
  mempool: ['subscribed_to_mempool', optional(z.boolean())],
  newContracts: ['subscribed_to_new_contracts', optional(z.boolean())],
})
/** Ids are decimal int64, times milliseconds. `token`, which deliveries carry, stays in the main process. */
export type WebhookEntry = z.infer<typeof entry>

const subscription = renamed({
  account: ['account_id', accountText],
  lastDeliveredLt: ['last_delivered_lt', optional(int64).transform((lt) => lt ?? '0')],
  failedAt: ['failed_at', optional(dateTime)],
  // Go serializes an unset value as 0, and no transaction has this logical time.
  failedLt: ['failed_lt', optional(int64).transform((lt) => (lt === '0' ? null : lt))],
  failedAttempts: ['failed_attempts', optional(z.int()).transform((count) => count ?? 0)],
})
/** Logical times are decimal strings; `failedAt` is milliseconds. */
export type AccountSubscription = z.infer<typeof subscription>

const opcodeSubscription = renamed({
  opcode: ['opcode', z.string()],
  /** An undocumented status becomes null. */
  status: ['status', z.enum(['active', 'disabled']).nullable().catch(null)],
  disabledAt: ['disabled_at', optional(dateTime)],
  disabledReason: ['disabled_reason', optional(z.string())],
})
export type OpcodeSubscriptionEntry = z.infer<typeof opcodeSubscription>

const logEntry = renamed({
  at: ['timestamp', optional(dateTime)],
  message: ['message', z.string()],
  eventType: ['event_type', z.string()],
})
export type WebhookLogEntry = z.infer<typeof logEntry>

const usage = renamed({
  startedAt: ['period_started_at', optional(dateTime)],
  endedAt: ['period_ended_at', optional(dateTime)],
  accounts: ['account_subscriptions', z.int()],
  delivered: ['webhooks_delivered', int64],
  failed: ['webhooks_failed', int64],
})

const listResponse = only('webhooks', list(entry))
const createdResponse = renamed({
  id: ['webhook_id', int64],
  token: ['token', optional(z.string())],
})
const tokenResponse = only('token', z.string())
const subscriptionsResponse = only('account_tx_subscriptions', list(subscription))
const opcodesResponse = only('subscriptions', list(opcodeSubscription))
const logsResponse = renamed({
  logs: ['logs', list(logEntry)],
  next: ['next_offset', optional(z.int())],
})

type Page = { readonly offset?: number; readonly limit?: number }
const firstPage = { offset: 0, limit: 1000 }

export type WebhooksClient = ReturnType<typeof createWebhooksClient>

/** Each call throws as `HttpClient.call` does. Calls that change something are sent once. */
export function createWebhooksClient(http: HttpClient) {
  const below = (webhook: string, path: string) => pathTo('/webhooks/{webhook}', webhook) + path

  const { get } = createRequests(http)

  const post = async (path: string, options?: QueryOptions, body?: unknown) => {
    await http.call({ ...options, method: 'POST', path, body, answer: z.unknown() })
  }

  return {
    list: (options?: QueryOptions): Promise<WebhookEntry[]> =>
      get('/webhooks', listResponse, options),
    /** The response's `token` is null if the service omits it. */
    create(endpoint: string) {
      const call = { method: 'POST', path: '/webhooks', body: { endpoint } } as const
      return http.call({ ...call, answer: createdResponse })
    },
    /** Deleting a webhook also deletes its subscriptions. */
    async remove(webhook: string): Promise<void> {
      await http.call({ method: 'DELETE', path: below(webhook, ''), answer: z.unknown() })
    },
    /** The previous token becomes invalid. */
    newToken(webhook: string): Promise<string> {
      const path = below(webhook, '/generate-new-token')
      return http.call({ method: 'POST', path, answer: tokenResponse })
    },
    backOnline: (webhook: string) => post(below(webhook, '/back-online')),
    subscribeAccounts: (webhook: string, accounts: readonly string[], options?: QueryOptions) =>
      post(below(webhook, '/account-tx/subscribe'), options, {
        accounts: accounts.map((account) => ({ account_id: account })),
      }),
    unsubscribeAccounts: (webhook: string, accounts: readonly string[], options?: QueryOptions) =>
      post(below(webhook, '/account-tx/unsubscribe'), options, { accounts }),
    /** Returns one page. Without a total, only a page that is not full shows the end. */
    subscriptions: (webhook: string, page: Page = {}, options?: QueryOptions) =>
      get(below(webhook, '/account-tx/subscriptions'), subscriptionsResponse, options, {
        ...firstPage,
        ...page,
      }),
    opcodes: (webhook: string, page: Page = {}, options?: QueryOptions) =>
      get(below(webhook, '/msg-opcode/subscriptions'), opcodesResponse, options, {
        ...firstPage,
        ...page,
      }),
    /** `opcode` is `0x` and up to eight hexadecimal digits. */
    setOpcode: (webhook: string, opcode: string, subscribed: boolean, options?: QueryOptions) =>
      post(below(webhook, pathTo(`/${verbOf(subscribed)}-msg-opcode/{opcode}`, opcode)), options),
    setNewContracts: (webhook: string, subscribed: boolean, options?: QueryOptions) =>
      post(below(webhook, `/${verbOf(subscribed)}-new-contracts`), options),
    setMempool: (webhook: string, subscribed: boolean, options?: QueryOptions) =>
      post(below(webhook, `/mempool/${verbOf(subscribed)}`), options),
    /** Lists failed attempts; `next` is the offset of the next page, null at the end. */
    logs: (webhook: string, offset: number = 0, options?: QueryOptions) =>
      get(below(webhook, '/logs'), logsResponse, options, { offset }),
    usage: (options?: QueryOptions) => get('/usage-stats', usage, options),
  }
}

const verbOf = (subscribed: boolean): string => (subscribed ? 'subscribe' : 'unsubscribe')
