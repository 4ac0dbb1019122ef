import { formatOpcode } from '../../../src-preload/domain/opcode.ts'
import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { z } from 'zod'
import type { Chain } from '../chain/create-chain.ts'
import type { Clock } from '../clock.ts'
import type { DeliveryPolicy } from '../deliver/delivery-queue.ts'
import type { DeliveryQueue } from '../deliver/create-delivery-queue.ts'
import {
  type Handler,
  type Routes,
  HttpProblem,
  createRoutes,
  plainDialect,
  toServiceFields,
  parseInput,
  readJson,
} from '../http.ts'
import { type Database, transaction } from '../store/database.ts'
import { type WebhookStore, createWebhookStore } from '../store/webhooks.ts'
import { createWebhookTargets, matchBlock, targetOf } from './deliveries.ts'
import { AddressError, parseAddress } from '../../ton/address.ts'

/** Maximum number of accounts in one request to the webhooks API. */

const maxAccounts = 10_000
const maxEndpointLength = 2048
const maxPage = 1000

const endpointBody = z.object({ endpoint: z.string() })
const accountId = z.object({ account_id: z.string() }).transform((entry) => entry.account_id)

async function readEndpoint(context: Context): Promise<string> {
  const { endpoint } = await readBody(context, endpointBody)
  const refuse = (why: string) => new HttpProblem(400, `endpoint ${why}`)
  if (endpoint.length > maxEndpointLength) {
    throw refuse(`is longer than ${maxEndpointLength} characters`)
  }
  const url = /^https?:\/\/\S+$/i.test(endpoint) ? URL.parse(endpoint) : null
  if (url === null) throw refuse('must be an http or https URL')
  if (url.username !== '' || url.password !== '') {
    throw refuse('must not contain a user name or a password')
  }
  return endpoint
}

function readOpcode(context: Context): number {
  const text = context.req.param('opcode') ?? ''
  if (!/^0x[0-9a-f]{1,8}$/i.test(text)) {
    throw new HttpProblem(400, 'opcode must be 0x and one to eight hexadecimal digits')
  }
  return Number.parseInt(text.slice(2), 16)
}

function readWebhookId(context: Context): number {
  const text = context.req.param('id') ?? ''
  if (!/^\d+$/.test(text)) throw new HttpProblem(400, 'webhook_id must be a whole number')
  return Number(text)
}

const readPage = (context: Context): { offset: number; limit: number } => ({
  offset: readOffset(context),
  limit: readCount(context, 'limit', maxPage, 1, maxPage),
})

const readOffset = (context: Context): number =>
  readCount(context, 'offset', 0, 0, Number.MAX_SAFE_INTEGER)

function readCount(context: Context, name: string, defaultValue: number, min: number, max: number) {
  const text = context.req.query(name)
  if (text === undefined) return defaultValue
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`
  throw new HttpProblem(400, `${name} must be a whole number ${range}`)
}

const readBody = async <T>(context: Context, schema: z.ZodType<T>): Promise<T> =>
  parseInput(schema, await readJson(context), (path, problem) => {
    const field = z.core.toDotPath(path)
    return `${field === '' ? 'the body' : field}: ${problem}`
  })

async function readAccounts(context: Context, entry: z.ZodType<string>): Promise<string[]> {
  const { accounts } = await readBody(context, z.object({ accounts: z.array(entry) }))
  if (accounts.length > maxAccounts) {
    throw new HttpProblem(
      400,
      `accounts has ${accounts.length}, one call may have at most ${maxAccounts}`,
    )
  }
  const raw = accounts.map((text, index) => {
    try {
      return parseAddress(text).raw
    } catch (error) {
      if (!(error instanceof AddressError)) throw error
      throw new HttpProblem(400, `accounts[${index}]: ${error.message}`)
    }
  })
  return [...new Set(raw)]
}

const logPage = 100

export type Webhooks = ReturnType<typeof createWebhooks>

type WebhookDeps = {
  readonly database: Database
  readonly chain: Pick<Chain, 'observe'>
  readonly clock: Clock
  readonly queue: DeliveryQueue
  readonly policy: () => DeliveryPolicy
  /** Initial token of every webhook, instead of a random one. */
  readonly givenToken?: string | undefined
}

export function createWebhooks(deps: WebhookDeps) {
  const { database, clock, queue } = deps
  const webhooks = createWebhookStore(database, clock.now())

  deps.chain.observe({
    storing: (executed) => queue.add(matchBlock(executed, webhooks)),
    stored: () => queue.wake(),
  })

  function bringBack(id: number): void {
    if (webhooks.status(id) !== 'online')
      webhooks.set(id, { status: 'online', statusUpdatedAt: clock.now() })
    webhooks.setOnline(id, clock.now())
    queue.resume(targetOf(id))
  }

  function changeWebhook(id: number, apply: () => void): boolean {
    if (webhooks.status(id) === null) return false
    transaction(database, apply)
    return true
  }

  const requests = createRequests(database, webhooks)

  return {
    routes: createRoutes(
      {
        ...webhookRoutes({ ...deps, webhooks, ...requests }),
        '/webhooks/:id/back-online': requests.change(nothing, bringBack),
        ...subscriptionRoutes({ ...deps, webhooks, ...requests }),
        '/usage-stats': () => toServiceFields(webhooks.usage() ?? {}),
      },
      plainDialect,
    ),
    targets: createWebhookTargets(webhooks, deps.policy),
    list() {
      const waiting = queue.waitingByTarget()
      return webhooks.list().map((webhook) => {
        const target = targetOf(webhook.id)
        return { ...webhook, waiting: waiting.get(target) ?? 0, retry: queue.retryOf(target) }
      })
    },
    /**
     * Stops deliveries as the service does if the balance is used up: events wait for `bringBack`.
     * @returns false for an unknown webhook
     */
    suspend: (id: number) =>
      changeWebhook(id, () => {
        webhooks.set(id, { status: 'suspended', statusUpdatedAt: clock.now() })
        queue.hold(targetOf(id))
      }),
    bringBack: (id: number) => changeWebhook(id, () => bringBack(id)),
    disableOpcode: (id: number, opcode: number, reason: string) =>
      webhooks.disableOpcode(id, opcode, reason, clock.now()),
    /** Restarts counters. Call this after the tables were replaced. */
    reload: () => webhooks.beginUsage(clock.now()),
  }
}

const nothing = () => undefined

type RouteDeps = Pick<WebhookDeps, 'clock' | 'queue' | 'givenToken'> &
  ReturnType<typeof createRequests> & { readonly webhooks: WebhookStore }

/** Finds the webhook of a request and changes it. */
function createRequests(database: Database, webhooks: WebhookStore) {
  function idOf(context: Context): number {
    const id = readWebhookId(context)
    if (Number.isSafeInteger(id) && webhooks.status(id) !== null) return id
    throw new HttpProblem(404, 'webhook not found')
  }

  /** Checks again after the body was read, because the webhook may have been deleted meanwhile. */
  function change<T>(
    read: (context: Context) => T | Promise<T>,
    apply: (id: number, input: T) => void,
  ): { readonly POST: Handler } {
    return {
      async POST(context) {
        idOf(context)
        const input = await read(context)
        const id = idOf(context)
        transaction(database, () => apply(id, input))
        return {}
      },
    }
  }

  return { idOf, change }
}

function webhookRoutes({ clock, queue, givenToken, webhooks, idOf, change }: RouteDeps): Routes {
  const newToken = () => randomBytes(32).toString('base64url')

  return {
    '/webhooks': {
      GET: () => ({ webhooks: webhooks.list().map(toServiceFields) }),
      async POST(context) {
        const endpoint = await readEndpoint(context)
        const token = givenToken ?? newToken()
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
      POST(context) {
        const id = idOf(context)
        const token = newToken()
        webhooks.set(id, { token })
        return { token }
      },
    },
    '/webhooks/:id/logs'(context) {
      const id = idOf(context)
      const offset = readOffset(context)
      const found = webhooks.logs(id, { offset, limit: logPage + 1 })
      const logs = found.slice(0, logPage).map(toServiceFields)
      return found.length > logPage ? { logs, next_offset: offset + logPage } : { logs }
    },
  }
}

function subscriptionRoutes({ queue, webhooks, idOf, change }: RouteDeps): Routes {
  /** @param droppedType the type of events that are no longer delivered */
  const subscription = (
    to: { mempool: boolean } | { newContracts: boolean },
    droppedType?: string,
  ) =>
    change(nothing, (id) => {
      webhooks.set(id, to)
      if (droppedType !== undefined) queue.drop(targetOf(id), { eventType: droppedType })
    })

  return {
    '/webhooks/:id/account-tx/subscribe': change(
      (context) => readAccounts(context, accountId),
      (id, accounts) => {
        for (const account of accounts) webhooks.subscribeAccount(id, account)
      },
    ),
    '/webhooks/:id/account-tx/unsubscribe': change(
      (context) => readAccounts(context, z.string()),
      (id, accounts) => {
        for (const account of accounts) {
          if (!webhooks.unsubscribeAccount(id, account)) continue
          queue.drop(targetOf(id), { lane: account, eventType: 'account_tx' })
        }
      },
    ),
    '/webhooks/:id/account-tx/subscriptions'(context) {
      const found = webhooks.accountSubscriptions(idOf(context), readPage(context))
      return { account_tx_subscriptions: found.map(toServiceFields) }
    },
    '/webhooks/:id/msg-opcode/subscriptions'(context) {
      const found = webhooks.opcodeSubscriptions(idOf(context), readPage(context))
      const named = found.map((each) => ({ ...each, opcode: formatOpcode(each.opcode) }))
      return { subscriptions: named.map(toServiceFields) }
    },
    '/webhooks/:id/subscribe-msg-opcode/:opcode': change(readOpcode, webhooks.subscribeOpcode),
    '/webhooks/:id/unsubscribe-msg-opcode/:opcode': change(readOpcode, (id, opcode) => {
      if (!webhooks.unsubscribeOpcode(id, opcode)) return
      queue.drop(targetOf(id), { eventType: 'opcode_msg', topic: formatOpcode(opcode) })
    }),
    '/webhooks/:id/subscribe-new-contracts': subscription({ newContracts: true }),
    '/webhooks/:id/unsubscribe-new-contracts': subscription(
      { newContracts: false },
      'new_contracts',
    ),
    '/webhooks/:id/mempool/subscribe': subscription({ mempool: true }),
    '/webhooks/:id/mempool/unsubscribe': subscription({ mempool: false }, 'mempool_msg'),
  }
}
