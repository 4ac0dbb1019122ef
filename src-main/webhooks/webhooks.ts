import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Room, WebhookBook } from './room.ts'
import { type ReceiverAddress, isHere, checkEndpoint, suggestEndpoints } from './endpoint.ts'
import {
  createWebhookBook,
  type ReadBook,
  type TokenPlace,
  createWebhookTokens,
} from './webhook-book.ts'
import { createWebhookChanges, type WebhookChanges } from './webhook-changes.ts'
import type {
  OpcodeSubscription,
  Webhook,
  WebhookList,
} from '../../src-preload/contract/webhook.ts'
import { webhookCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { WebhooksClient, OpcodeSubscriptionEntry } from '../gateway/webhooks.ts'
import { knownOpcodes, operationName, formatOpcode, readOpcode } from '../ton/opcodes.ts'
import type { Asking } from '../gateway/query.ts'

/** The gateway's maximum. */
const largestPage = 1000

export async function readOpcodes(
  client: WebhooksClient,
  webhook: string,
  asking: Asking = {},
): Promise<OpcodeSubscriptionEntry[]> {
  const found = new Map<string, OpcodeSubscriptionEntry>()
  for (let offset = 0; ; offset += largestPage) {
    const page = await client.opcodes(webhook, { offset, limit: largestPage }, asking)
    const before = found.size
    for (const entry of page) found.set(entry.opcode, entry)
    // A page without new entries comes from a gateway that ignores the offset.
    if (page.length < largestPage || found.size === before) return [...found.values()]
  }
}

type WebhooksDeps = Room<'access' | 'now' | 'refuseWhileMoving' | 'store'> & {
  readonly tokens: TokenPlace
  readonly receiverAddress: () => ReceiverAddress
  readonly allowedHosts: () => readonly string[]
  readonly onChanged: (network: NetworkId) => void
}

type WebhookHandlers = Pick<Handlers, Extract<keyof Handlers, `webhook.${string}`>>

type WebhooksPart = {
  readonly book: WebhookBook
  readonly handlers: WebhookHandlers
  forget(network: NetworkId): Promise<void>
}

export function createWebhooksPart(deps: WebhooksDeps): WebhooksPart {
  const tokens = createWebhookTokens({
    place: deps.tokens,
    webhooks: deps.store.webhooks,
    info: (network) => deps.access.info(network),
  })
  const book = createWebhookBook({
    ...deps,
    tokens,
    isHere: (endpoint) => isHere(endpoint, deps.receiverAddress()),
  })
  const changes = createWebhookChanges({ ...deps, book, tokens })
  return {
    book: { ...book, create: changes.create, remove: changes.remove },
    handlers: createWebhookRoutes(deps, book, changes),
    forget: (network) => book.forget(network),
  }
}

function createWebhookRoutes(
  deps: WebhooksDeps,
  book: ReadBook,
  changes: WebhookChanges,
): WebhookHandlers {
  const { access } = deps
  const { webhooks } = deps.store
  const isSandbox = (network: NetworkId) => access.info(network).kind === 'sandbox'

  async function list(network: NetworkId, isFresh: boolean): Promise<WebhookList> {
    let problem: string | null = null
    // Throws where the network was removed.
    access.info(network)
    if (isFresh) {
      try {
        await book.read(network, { signal: access.interest(network) })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        problem = error.message
      }
    }
    return { network, webhooks: book.known(network), readAt: webhooks.readAt(network), problem }
  }

  async function change(
    network: NetworkId,
    id: string,
    work: (client: WebhooksClient) => Promise<void>,
  ): Promise<Webhook> {
    await work(access.webhooks(network))
    await book.readAnew(network)
    return book.find(network, id)
  }

  async function opcodes(network: NetworkId, id: string): Promise<OpcodeSubscription[]> {
    const entries = await readOpcodes(access.webhooks(network), id)
    return entries.map((entry) => ({ ...entry, name: nameOf(entry.opcode) }))
  }

  return {
    'webhook.list': ({ network, fresh }) => list(network, fresh),
    'webhook.suggestEndpoints': ({ network }) =>
      suggestEndpoints(deps.receiverAddress(), { isSandbox: isSandbox(network) }),
    'webhook.checkEndpoint': ({ network, endpoint }) =>
      checkEndpoint(endpoint, {
        isSandbox: isSandbox(network),
        allowedHosts: deps.allowedHosts(),
        receiver: deps.receiverAddress(),
        others: book.known(network),
      }),
    async 'webhook.create'({ network, endpoint }) {
      const before = await book.readAnew(network)
      return changes.create(network, endpoint, new Set(before.map(({ id }) => id)))
    },
    'webhook.rotateToken': ({ network, id }) => changes.rotate(network, id),
    'webhook.revealToken': async ({ network, id }) => ({
      token: await changes.reveal(network, id),
    }),
    'webhook.backOnline': ({ network, id }) =>
      change(network, id, (client) => client.backOnline(id)),
    async 'webhook.delete'({ network, id, endpoint }) {
      deps.refuseWhileMoving(network, id)
      await book.readAnew(network)
      const webhook = book.find(network, id)
      if (webhook.endpoint !== endpoint.trim()) {
        throw new AppError(
          webhookCodes.endpointDiffers,
          `The webhook delivers to ${webhook.endpoint}. Type exactly that to delete it.`,
        )
      }
      await changes.remove(network, id)
      return {}
    },
    'webhook.setMempool': ({ network, id, on }) =>
      change(network, id, (client) => client.setMempool(id, on)),
    'webhook.setNewContracts': ({ network, id, on }) =>
      change(network, id, (client) => client.setNewContracts(id, on)),
    'webhook.opcodes': ({ network, id }) => opcodes(network, id),
    'webhook.knownOpcodes': () =>
      knownOpcodes().map(({ opcode, name }) => ({
        opcode: formatOpcode(opcode),
        name: toWords(name),
      })),
    async 'webhook.setOpcode'({ network, id, opcode, on }) {
      await access.webhooks(network).setOpcode(id, formatOpcode(Number(opcode)), on)
      await book.readAnew(network)
      return opcodes(network, id)
    },
    'webhook.logs': ({ network, id, offset }) =>
      access.webhooks(network).logs(id, offset, { signal: access.interest(network) }),
    'webhook.usage': ({ network }) =>
      access.webhooks(network).usage({ signal: access.interest(network) }),
  }
}

function nameOf(opcode: string): string | null {
  const read = readOpcode(opcode)
  const name = read === null ? null : operationName(read)
  return name === null ? null : toWords(name)
}

function toWords(name: string): string {
  return name.replaceAll('_', ' ')
}
