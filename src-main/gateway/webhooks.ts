/** The webhooks API (gateway-facts 2.1): one client for the real service and for the sandbox. */
import { z } from 'zod'
import { accountText, dateTime, int64, list, optional, renamed } from './response-fields.ts'
import type { HttpClient } from './http.ts'
import type { QueryOptions } from './query.ts'

/** All fields but the first two are documented as required, but some responses omit them. */
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

type Page = { readonly offset?: number; readonly limit?: number }
const largestPage = 1000

export type WebhooksClient = ReturnType<typeof createWebhooksClient>

const anything = z.unknown()

/** Each call throws as `HttpClient.call` does. Calls that change something are sent once. */
export function createWebhooksClient(http: HttpClient) {
  const one = (webhook: string) => `/webhooks/${encodeURIComponent(webhook)}`

  const post = async (path: string, queryOptions?: QueryOptions, body?: unknown) => {
    await http.call({ ...queryOptions, method: 'POST', path, body, answer: anything })
  }

  return {
    async list(queryOptions?: QueryOptions): Promise<WebhookEntry[]> {
      const response = z.object({ webhooks: list(entry) })
      return (await http.call({ ...queryOptions, path: '/webhooks', answer: response })).webhooks
    },
    /** `token` is null when the service omits it here. */
    create(endpoint: string) {
      const response = renamed({
        id: ['webhook_id', int64],
        token: ['token', optional(z.string())],
      })
      return http.call({ method: 'POST', path: '/webhooks', body: { endpoint }, answer: response })
    },
    /** Also removes all its subscriptions. */
    async remove(webhook: string): Promise<void> {
      await http.call({ method: 'DELETE', path: one(webhook), answer: anything })
    },
    /** The previous token becomes invalid. */
    async newToken(webhook: string): Promise<string> {
      const response = z.object({ token: z.string() })
      const path = `${one(webhook)}/generate-new-token`
      return (await http.call({ method: 'POST', path, answer: response })).token
    },
    backOnline: (webhook: string) => post(`${one(webhook)}/back-online`),
    subscribeAccounts: (
      webhook: string,
      accounts: readonly string[],
      queryOptions?: QueryOptions,
    ) =>
      post(`${one(webhook)}/account-tx/subscribe`, queryOptions, {
        accounts: accounts.map((account) => ({ account_id: account })),
      }),
    unsubscribeAccounts: (
      webhook: string,
      accounts: readonly string[],
      queryOptions?: QueryOptions,
    ) => post(`${one(webhook)}/account-tx/unsubscribe`, queryOptions, { accounts }),
    /** Returns one page. Without a total, only a page that is not full shows the end. */
    async subscriptions(
      webhook: string,
      { offset = 0, limit = largestPage }: Page = {},
      queryOptions?: QueryOptions,
    ): Promise<AccountSubscription[]> {
      const response = z.object({ account_tx_subscriptions: list(subscription) })
      const path = `${one(webhook)}/account-tx/subscriptions`
      const page = await http.call({
        ...queryOptions,
        path,
        query: { offset, limit },
        answer: response,
      })
      return page.account_tx_subscriptions
    },
    async opcodes(
      webhook: string,
      { offset = 0, limit = largestPage }: Page = {},
      queryOptions?: QueryOptions,
    ): Promise<OpcodeSubscriptionEntry[]> {
      const response = z.object({ subscriptions: list(opcodeSubscription) })
      const path = `${one(webhook)}/msg-opcode/subscriptions`
      return (
        await http.call({ ...queryOptions, path, query: { offset, limit }, answer: response })
      ).subscriptions
    },
    /** `opcode` is `0x` and up to eight hexadecimal digits. */
    setOpcode: (
      webhook: string,
      opcode: string,
      subscribed: boolean,
      queryOptions?: QueryOptions,
    ) => {
      const verb = subscribed ? 'subscribe' : 'unsubscribe'
      return post(`${one(webhook)}/${verb}-msg-opcode/${encodeURIComponent(opcode)}`, queryOptions)
    },
    setNewContracts: (webhook: string, subscribed: boolean, queryOptions?: QueryOptions) =>
      post(
        `${one(webhook)}/${subscribed ? 'subscribe' : 'unsubscribe'}-new-contracts`,
        queryOptions,
      ),
    setMempool: (webhook: string, subscribed: boolean, queryOptions?: QueryOptions) =>
      post(`${one(webhook)}/mempool/${subscribed ? 'subscribe' : 'unsubscribe'}`, queryOptions),
    /** Failed attempts; `next` is the offset of the next page, null at the end. */
    logs(webhook: string, offset: number = 0, queryOptions?: QueryOptions) {
      const response = renamed({
        logs: ['logs', list(logEntry)],
        next: ['next_offset', optional(z.int())],
      })
      return http.call({
        ...queryOptions,
        path: `${one(webhook)}/logs`,
        query: { offset },
        answer: response,
      })
    },
    usage: (queryOptions?: QueryOptions) =>
      http.call({ ...queryOptions, path: '/usage-stats', answer: usage }),
  }
}
