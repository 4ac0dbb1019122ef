import { randomBytes } from 'node:crypto'
import type { Context, Hono } from 'hono'
import type { Chain } from '../chain/create-chain.ts'
import type { Clock } from '../clock.ts'
import type { DeliveryPolicy } from '../deliver/delivery-queue.ts'
import type { DeliveryQueue } from '../deliver/create-delivery-queue.ts'
import { type Handler, HttpProblem, createRoutes, plainDialect, toSnakeCase } from '../http.ts'
import { type Database, transaction } from '../store/database.ts'
import { createWebhookStore } from '../store/webhooks.ts'
import { createWebhookTargets, matchBlock, serializeOpcode, targetOf } from './deliveries.ts'
import {
  readEndpoint,
  readOffset,
  readOpcode,
  readPage,
  readSubscribedAccounts,
  readUnsubscribedAccounts,
  readWebhookId,
} from './webhook-api.ts'

const logPage = 100

export type Webhooks = ReturnType<typeof createWebhooks>

/** @param deps.givenToken initial token of every webhook instead of a random one */
export function createWebhooks(deps: {
  readonly database: Database
  readonly chain: Pick<Chain, 'observe'>
  readonly clock: Clock
  readonly queue: DeliveryQueue
  readonly policy: () => DeliveryPolicy
  readonly givenToken?: string | undefined
}) {
  const { database, clock, queue } = deps
  const newToken = () => randomBytes(32).toString('base64url')
  const webhooks = createWebhookStore(database, clock.now())

  deps.chain.observe({
    storing: (executed) => queue.add(matchBlock(executed, webhooks)),
    stored: () => queue.wake(),
  })

  function webhookId(context: Context): number {
    const id = readWebhookId(context)
    if (!Number.isSafeInteger(id) || webhooks.status(id) === null) {
      throw new HttpProblem(404, 'webhook not found')
    }
    return id
  }

  /** Checks again after the body was read: the webhook may be gone by then. */
  function change<T>(
    read: (context: Context) => T | Promise<T>,
    apply: (id: number, input: T) => void,
  ): { readonly POST: Handler } {
    return {
      async POST(context) {
        webhookId(context)
        const input = await read(context)
        const id = webhookId(context)
        transaction(database, () => apply(id, input))
        return {}
      },
    }
  }

  function bringBack(id: number): void {
    if (webhooks.status(id) !== 'online') webhooks.setStatus(id, 'online', clock.now())
    webhooks.setOnline(id, clock.now())
    queue.resume(targetOf(id))
  }

  function changeWebhook(id: number, apply: () => void): boolean {
    if (webhooks.status(id) === null) return false
    transaction(database, apply)
    return true
  }

  const nothing = () => undefined

  /** @param droppedType events that no longer are delivered */
  const subscription = (to: Parameters<typeof webhooks.subscribe>[1], droppedType?: string) =>
    change(nothing, (id) => {
      webhooks.subscribe(id, to)
      if (droppedType !== undefined) queue.drop(targetOf(id), { eventType: droppedType })
    })

  const routes: Hono = createRoutes(
    {
      '/webhooks': {
        GET: () => ({ webhooks: webhooks.list().map(toSnakeCase) }),
        POST: async (context) => {
          const endpoint = await readEndpoint(context)
          const token = deps.givenToken ?? newToken()
          return { webhook_id: webhooks.add(endpoint, token, clock.now()), token }
        },
      },
      '/webhooks/:id': {
        DELETE: change(nothing, (id) => {
          webhooks.remove(id)
          queue.drop(targetOf(id))
        }).POST,
      },
      '/webhooks/:id/generate-new-token': {
        POST: (context) => {
          const id = webhookId(context)
          const token = newToken()
          webhooks.setToken(id, token)
          return { token }
        },
      },
      '/webhooks/:id/back-online': change(nothing, bringBack),
      '/webhooks/:id/logs': {
        GET: (context) => {
          const id = webhookId(context)
          const offset = readOffset(context)
          const found = webhooks.logs(id, { offset, limit: logPage + 1 })
          return {
            logs: found.slice(0, logPage).map(toSnakeCase),
            ...(found.length > logPage ? { next_offset: offset + logPage } : {}),
          }
        },
      },
      '/webhooks/:id/account-tx/subscribe': change(readSubscribedAccounts, (id, accounts) => {
        for (const account of accounts) webhooks.subscribeAccount(id, account)
      }),
      '/webhooks/:id/account-tx/unsubscribe': change(readUnsubscribedAccounts, (id, accounts) => {
        for (const account of accounts) {
          if (!webhooks.unsubscribeAccount(id, account)) continue
          queue.drop(targetOf(id), { lane: account, eventType: 'account_tx' })
        }
      }),
      '/webhooks/:id/account-tx/subscriptions': {
        GET: (context) => {
          const id = webhookId(context)
          const found = webhooks.accountSubscriptions(id, readPage(context))
          return { account_tx_subscriptions: found.map(toSnakeCase) }
        },
      },
      '/webhooks/:id/msg-opcode/subscriptions': {
        GET: (context) => {
          const id = webhookId(context)
          const found = webhooks
            .opcodeSubscriptions(id, readPage(context))
            .map((each) => ({ ...each, opcode: serializeOpcode(each.opcode) }))
          return { subscriptions: found.map(toSnakeCase) }
        },
      },
      '/webhooks/:id/subscribe-msg-opcode/:opcode': change(readOpcode, webhooks.subscribeOpcode),
      '/webhooks/:id/unsubscribe-msg-opcode/:opcode': change(readOpcode, (id, opcode) => {
        if (!webhooks.unsubscribeOpcode(id, opcode)) return
        queue.drop(targetOf(id), { eventType: 'opcode_msg', topic: serializeOpcode(opcode) })
      }),
      '/webhooks/:id/subscribe-new-contracts': subscription({ newContracts: true }),
      '/webhooks/:id/unsubscribe-new-contracts': subscription(
        { newContracts: false },
        'new_contracts',
      ),
      '/webhooks/:id/mempool/subscribe': subscription({ mempool: true }),
      '/webhooks/:id/mempool/unsubscribe': subscription({ mempool: false }, 'mempool_msg'),
      '/usage-stats': {
        GET: () => toSnakeCase(webhooks.usage() ?? {}),
      },
    },
    plainDialect,
  )

  return {
    routes,
    targets: createWebhookTargets(webhooks, deps.policy),
    list() {
      const waiting = queue.waitingByTarget()
      return webhooks
        .list()
        .map((webhook) => ({ ...webhook, waiting: waiting.get(targetOf(webhook.id)) ?? 0 }))
    },
    /**
     * As the service does for an empty balance: events wait for `bringBack`.
     * @returns false for an unknown webhook
     */
    suspend: (id: number) =>
      changeWebhook(id, () => {
        webhooks.setStatus(id, 'suspended', clock.now())
        queue.hold(targetOf(id))
      }),
    bringBack: (id: number) => changeWebhook(id, () => bringBack(id)),
    disableOpcode: (id: number, opcode: number, reason: string) =>
      webhooks.disableOpcode(id, opcode, reason, clock.now()),
    /** Restarts counters after the tables were replaced. */
    reload: () => webhooks.beginUsage(clock.now()),
  }
}
