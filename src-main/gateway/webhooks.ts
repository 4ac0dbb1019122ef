/** The webhooks API (gateway-facts 2.1): one client for the real service and for the sandbox. */
import { z } from 'zod'
import { dateTime, int64 } from './answer-fields.ts'
import type { HttpClient } from './http.ts'
import type { Asking } from './query.ts'

const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((v) => v ?? null)
/** Services written in Go send null for an empty list. */
const list = <S extends z.ZodType>(schema: S) =>
  z
    .array(schema)
    .nullish()
    .transform((items) => items ?? [])

/** All fields but the first two are documented as required, but some responses omit them. */
const entry = z
  .object({
    id: int64,
    endpoint: z.string(),
    token: optional(z.string()),
    /** An undocumented status becomes null. */
    status: z.enum(['online', 'offline', 'suspended']).nullable().catch(null),
    status_updated_at: optional(dateTime),
    last_online_at: optional(dateTime),
    status_failed_attempts: optional(z.int()),
    subscribed_accounts: optional(z.int()),
    subscribed_msg_opcodes: optional(z.int()),
    subscribed_to_mempool: optional(z.boolean()),
    subscribed_to_new_contracts: optional(z.boolean()),
  })
  .transform((each) => ({
    id: each.id,
    endpoint: each.endpoint,
    token: each.token,
    status: each.status,
    statusSince: each.status_updated_at,
    lastOnlineAt: each.last_online_at,
    failedAttempts: each.status_failed_attempts,
    accounts: each.subscribed_accounts,
    opcodes: each.subscribed_msg_opcodes,
    mempool: each.subscribed_to_mempool,
    newContracts: each.subscribed_to_new_contracts,
  }))
/** Ids are decimal int64, times milliseconds. `token`, which deliveries carry, stays in the main process. */
export type WebhookEntry = z.infer<typeof entry>

const subscription = z
  .object({
    account_id: z.string(),
    last_delivered_lt: optional(int64),
    failed_at: optional(dateTime),
    failed_lt: optional(int64),
    failed_attempts: optional(z.int()),
  })
  .transform((each) => ({
    account: each.account_id,
    lastDeliveredLt: each.last_delivered_lt ?? '0',
    failedAt: each.failed_at,
    // Go serializes an unset value as 0, and no transaction has this logical time.
    failedLt: each.failed_lt === '0' ? null : each.failed_lt,
    failedAttempts: each.failed_attempts ?? 0,
  }))
/** Logical times are decimal strings; `failedAt` is milliseconds. */
export type AccountSubscription = z.infer<typeof subscription>

const opcodeSubscription = z
  .object({
    opcode: z.string(),
    status: z.enum(['active', 'disabled']).catch('active'),
    disabled_at: optional(dateTime),
    disabled_reason: optional(z.string()),
  })
  .transform((each) => ({
    opcode: each.opcode,
    status: each.status,
    disabledAt: each.disabled_at,
    disabledReason: each.disabled_reason,
  }))
export type OpcodeSubscriptionEntry = z.infer<typeof opcodeSubscription>

const logEntry = z
  .object({ timestamp: optional(dateTime), message: z.string(), event_type: z.string() })
  .transform((each) => ({
    at: each.timestamp,
    message: each.message,
    eventType: each.event_type,
  }))
export type WebhookLogEntry = z.infer<typeof logEntry>

const usage = z
  .object({
    period_started_at: optional(dateTime),
    period_ended_at: optional(dateTime),
    account_subscriptions: z.int(),
    webhooks_delivered: int64,
    webhooks_failed: int64,
  })
  .transform((each) => ({
    startedAt: each.period_started_at,
    endedAt: each.period_ended_at,
    accounts: each.account_subscriptions,
    delivered: each.webhooks_delivered,
    failed: each.webhooks_failed,
  }))
const largestPage = 1000

export type WebhooksClient = ReturnType<typeof createWebhooksClient>

const anything = z.unknown()

/** Each call throws as `HttpClient.call` does. Calls that change something are sent once. */
export function createWebhooksClient(http: HttpClient) {
  const one = (webhook: string) => `/webhooks/${encodeURIComponent(webhook)}`

  const post = async (path: string, asking: Asking = {}, body?: unknown) => {
    await http.call({
      ...asking,
      method: 'POST',
      path,
      answer: anything,
      ...(body !== undefined && { body }),
    })
  }

  return {
    async list(asking: Asking = {}): Promise<WebhookEntry[]> {
      const answer = z.object({ webhooks: list(entry) })
      return (await http.call({ ...asking, path: '/webhooks', answer })).webhooks
    },
    /** `token` is null when the service omits it here. */
    async create(endpoint: string): Promise<{ id: string; token: string | null }> {
      const answer = z.object({ webhook_id: int64, token: optional(z.string()) })
      const made = await http.call({
        method: 'POST',
        path: '/webhooks',
        body: { endpoint },
        answer,
      })
      return { id: made.webhook_id, token: made.token }
    },
    /** Also removes all its subscriptions. */
    async remove(webhook: string): Promise<void> {
      await http.call({ method: 'DELETE', path: one(webhook), answer: anything })
    },
    /** The previous token becomes invalid. */
    async newToken(webhook: string): Promise<string> {
      const answer = z.object({ token: z.string() })
      const path = `${one(webhook)}/generate-new-token`
      return (await http.call({ method: 'POST', path, answer })).token
    },
    backOnline: (webhook: string) => post(`${one(webhook)}/back-online`),
    subscribeAccounts: (webhook: string, accounts: readonly string[], asking?: Asking) =>
      post(`${one(webhook)}/account-tx/subscribe`, asking, {
        accounts: accounts.map((account) => ({ account_id: account })),
      }),
    unsubscribeAccounts: (webhook: string, accounts: readonly string[], asking?: Asking) =>
      post(`${one(webhook)}/account-tx/unsubscribe`, asking, { accounts }),
    /** Returns one page. Without a total, only a page that is not full shows the end. */
    async subscriptions(
      webhook: string,
      {
        offset = 0,
        limit = largestPage,
      }: { readonly offset?: number; readonly limit?: number } = {},
      asking: Asking = {},
    ): Promise<AccountSubscription[]> {
      const answer = z.object({ account_tx_subscriptions: list(subscription) })
      const path = `${one(webhook)}/account-tx/subscriptions`
      const page = await http.call({ ...asking, path, query: { offset, limit }, answer })
      return page.account_tx_subscriptions
    },
    async opcodes(
      webhook: string,
      {
        offset = 0,
        limit = largestPage,
      }: { readonly offset?: number; readonly limit?: number } = {},
      asking: Asking = {},
    ): Promise<OpcodeSubscriptionEntry[]> {
      const answer = z.object({ subscriptions: list(opcodeSubscription) })
      const path = `${one(webhook)}/msg-opcode/subscriptions`
      return (await http.call({ ...asking, path, query: { offset, limit }, answer })).subscriptions
    },
    /** `opcode` is `0x` and up to eight hexadecimal digits. */
    setOpcode: (webhook: string, opcode: string, subscribed: boolean, asking?: Asking) => {
      const verb = subscribed ? 'subscribe' : 'unsubscribe'
      return post(`${one(webhook)}/${verb}-msg-opcode/${encodeURIComponent(opcode)}`, asking)
    },
    setNewContracts: (webhook: string, subscribed: boolean, asking?: Asking) =>
      post(`${one(webhook)}/${subscribed ? 'subscribe' : 'unsubscribe'}-new-contracts`, asking),
    setMempool: (webhook: string, subscribed: boolean, asking?: Asking) =>
      post(`${one(webhook)}/mempool/${subscribed ? 'subscribe' : 'unsubscribe'}`, asking),
    /** Failed attempts; `next` is the offset of the next page, null at the end. */
    async logs(
      webhook: string,
      offset: number = 0,
      asking: Asking = {},
    ): Promise<{ logs: WebhookLogEntry[]; next: number | null }> {
      const answer = z.object({
        logs: list(logEntry),
        next_offset: optional(z.int()),
      })
      const path = `${one(webhook)}/logs`
      const page = await http.call({ ...asking, path, query: { offset }, answer })
      return { logs: page.logs, next: page.next_offset }
    },
    usage: (asking: Asking = {}) => http.call({ ...asking, path: '/usage-stats', answer: usage }),
  }
}
