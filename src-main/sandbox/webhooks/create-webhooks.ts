import { randomBytes } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type { Chain } from '../chain/chain.ts'
import type { Clock } from '../clock.ts'
import type { DeliveryPolicy, DeliveryQueue, DeliveryTargets } from '../deliver/delivery-queue.ts'
import { HttpProblem, answerJson } from '../http.ts'
import { type Database, transaction } from '../store/database.ts'
import {
  createAccountSubscriptionStore,
  createOpcodeSubscriptionStore,
  createWebhookLogStore,
  createWebhookStore,
} from '../store/webhooks.ts'
import { createWebhookTargets, matchBlock } from './deliveries.ts'
import {
  readEndpoint,
  readOffset,
  readOpcode,
  readPage,
  readSubscribedAccounts,
  readUnsubscribedAccounts,
  readWebhookId,
} from './read-request.ts'
import {
  type Webhook,
  serializeAccountSubscription,
  serializeLog,
  serializeOpcode,
  serializeOpcodeSubscription,
  serializeUsage,
  serializeWebhook,
  targetOf,
} from './webhook.ts'

type WebhooksDeps = {
  readonly database: Database
  readonly chain: Pick<Chain, 'observe'>
  readonly clock: Clock
  readonly queue: DeliveryQueue
  readonly policy: () => DeliveryPolicy
  readonly newToken?: () => string
  /** Initial token of every webhook instead of a random one. */
  readonly givenToken?: string | undefined
  /** Called for bugs; the request was answered 500. */
  readonly onError?: (error: unknown) => void
}

export type Webhooks = {
  /** Without base path and key check. */
  readonly routes: Hono
  readonly targets: DeliveryTargets
  list(): readonly (Webhook & { readonly waiting: number })[]
  /**
   * As the service does for an empty balance: events wait for `bringBack`.
   * @returns false for an unknown webhook
   */
  suspend(id: number): boolean
  /** @returns false for an unknown webhook */
  bringBack(id: number): boolean
  /** @returns false for an unknown subscription */
  disableOpcode(id: number, opcode: number, reason: string): boolean
  /** Restarts counters after the tables were replaced. */
  reload(): void
}

const logPage = 100

export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const { database, clock, queue } = deps
  const newToken = deps.newToken ?? (() => randomBytes(32).toString('base64url'))
  const webhooks = createWebhookStore(database, clock.now())
  const accounts = createAccountSubscriptionStore(database)
  const opcodes = createOpcodeSubscriptionStore(database)
  const logs = createWebhookLogStore(database)

  deps.chain.observe({
    storing(executed) {
      queue.add(
        matchBlock(executed, {
          ofAccount: (account) => accounts.webhooksOf(account),
          ofOpcode: (opcode) => opcodes.webhooksOf(opcode),
          ofNewContracts: () => webhooks.forNewContracts(),
          ofMempool: () => webhooks.forMempool(),
        }),
      )
    },
    stored: () => queue.wake(),
  })

  function webhookId(context: Context): number {
    const id = readWebhookId(context)
    if (!Number.isSafeInteger(id) || !webhooks.has(id)) {
      throw new HttpProblem(404, 'webhook not found')
    }
    return id
  }

  /** Checks again after the body was read: the webhook may be gone by then. */
  function forWebhook<T>(
    read: (context: Context) => T | Promise<T>,
    change: (id: number, input: T) => void,
  ) {
    return async (context: Context) => {
      webhookId(context)
      const input = await read(context)
      const id = webhookId(context)
      transaction(database, () => {
        change(id, input)
      })
      return {}
    }
  }

  /** Also retries waiting deliveries of an online webhook. */
  function bringBack(id: number): void {
    if (webhooks.status(id) !== 'online') webhooks.setStatus(id, 'online', clock.now())
    webhooks.setOnline(id, clock.now())
    queue.resume(targetOf(id))
  }

  const nothing = () => undefined

  const routes = createRoutes(
    {
      '/webhooks': {
        GET: () => ({ webhooks: webhooks.list().map(serializeWebhook) }),
        POST: async (context) => {
          const endpoint = await readEndpoint(context)
          const token = deps.givenToken ?? newToken()
          return { webhook_id: webhooks.add(endpoint, token, clock.now()), token }
        },
      },
      '/webhooks/:id': {
        DELETE: forWebhook(nothing, (id) => {
          webhooks.remove(id)
          queue.drop(targetOf(id))
        }),
      },
      '/webhooks/:id/generate-new-token': {
        POST: (context) => {
          const id = webhookId(context)
          const token = newToken()
          webhooks.setToken(id, token)
          return { token }
        },
      },
      '/webhooks/:id/back-online': {
        POST: forWebhook(nothing, bringBack),
      },
      '/webhooks/:id/logs': {
        GET: (context) => {
          const id = webhookId(context)
          const offset = readOffset(context)
          const found = logs.page(id, offset, logPage + 1)
          return {
            logs: found.slice(0, logPage).map(serializeLog),
            ...(found.length > logPage ? { next_offset: offset + logPage } : {}),
          }
        },
      },
      '/webhooks/:id/account-tx/subscribe': {
        POST: forWebhook(readSubscribedAccounts, (id, list) => {
          for (const account of list) accounts.add(id, account)
        }),
      },
      '/webhooks/:id/account-tx/unsubscribe': {
        POST: forWebhook(readUnsubscribedAccounts, (id, list) => {
          for (const account of list) {
            if (!accounts.remove(id, account)) continue
            queue.drop(targetOf(id), { lane: account, eventType: 'account_tx' })
          }
        }),
      },
      '/webhooks/:id/account-tx/subscriptions': {
        GET: (context) => {
          const id = webhookId(context)
          const { offset, limit } = readPage(context)
          const found = accounts.page(id, offset, limit)
          return { account_tx_subscriptions: found.map(serializeAccountSubscription) }
        },
      },
      '/webhooks/:id/msg-opcode/subscriptions': {
        GET: (context) => {
          const id = webhookId(context)
          const { offset, limit } = readPage(context)
          return { subscriptions: opcodes.page(id, offset, limit).map(serializeOpcodeSubscription) }
        },
      },
      '/webhooks/:id/subscribe-msg-opcode/:opcode': {
        POST: forWebhook(readOpcode, (id, opcode) => opcodes.add(id, opcode)),
      },
      '/webhooks/:id/unsubscribe-msg-opcode/:opcode': {
        POST: forWebhook(readOpcode, (id, opcode) => {
          if (!opcodes.remove(id, opcode)) return
          queue.drop(targetOf(id), { eventType: 'opcode_msg', topic: serializeOpcode(opcode) })
        }),
      },
      '/webhooks/:id/subscribe-new-contracts': {
        POST: forWebhook(nothing, (id) => webhooks.setNewContracts(id, true)),
      },
      '/webhooks/:id/unsubscribe-new-contracts': {
        POST: forWebhook(nothing, (id) => {
          webhooks.setNewContracts(id, false)
          queue.drop(targetOf(id), { eventType: 'new_contracts' })
        }),
      },
      '/webhooks/:id/mempool/subscribe': {
        POST: forWebhook(nothing, (id) => webhooks.setMempool(id, true)),
      },
      '/webhooks/:id/mempool/unsubscribe': {
        POST: forWebhook(nothing, (id) => {
          webhooks.setMempool(id, false)
          queue.drop(targetOf(id), { eventType: 'mempool_msg' })
        }),
      },
      '/usage-stats': {
        GET: () => serializeUsage(webhooks.usage(), accounts.count()),
      },
    },
    deps.onError ?? nothing,
  )

  return {
    routes,
    targets: createWebhookTargets({ webhooks, accounts, logs, policy: deps.policy }),
    list() {
      const waiting = queue.waitingByTarget()
      return webhooks
        .list()
        .map((webhook) => ({ ...webhook, waiting: waiting.get(targetOf(webhook.id)) ?? 0 }))
    },
    suspend(id) {
      if (!webhooks.has(id)) return false
      transaction(database, () => {
        webhooks.setStatus(id, 'suspended', clock.now())
        queue.hold(targetOf(id))
      })
      return true
    },
    bringBack(id) {
      if (!webhooks.has(id)) return false
      transaction(database, () => {
        bringBack(id)
      })
      return true
    },
    disableOpcode: (id, opcode, reason) => opcodes.disable(id, opcode, reason, clock.now()),
    reload: () => webhooks.beginUsage(clock.now()),
  }
}

type Handler = (context: Context) => unknown
type Method = 'GET' | 'POST' | 'DELETE'
/** Handlers by path and method; results are sent as JSON. */
type RouteTable = Readonly<Record<string, Readonly<Partial<Record<Method, Handler>>>>>

/** Errors are `{error}`. */
function createRoutes(table: RouteTable, onError: (error: unknown) => void): Hono {
  const routes = new Hono()
  for (const [path, methods] of Object.entries(table)) {
    for (const [method, handler] of Object.entries(methods)) {
      routes.on(method, path, async (context) => answerJson(await handler(context)))
    }
    const allow = Object.keys(methods).flatMap((method) =>
      method === 'GET' ? ['GET', 'HEAD'] : [method],
    )
    routes.all(path, ({ req }) =>
      answerJson({ error: `${req.method} is not allowed here` }, 405, { Allow: allow.join(', ') }),
    )
  }
  routes.all('/webhooks/*', () => answerJson({ error: 'not found' }, 404))
  routes.notFound(() => answerJson({ error: 'not found' }, 404))
  routes.onError((error) => {
    if (error instanceof HttpProblem) return answerJson({ error: error.message }, error.status)
    onError(error)
    return answerJson({ error: 'internal error' }, 500)
  })
  return routes
}
