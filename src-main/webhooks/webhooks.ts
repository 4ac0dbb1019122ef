import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type {
  EndpointSuggestion,
  EndpointWarning,
  OpcodeSubscription,
  Webhook,
} from '../../src-preload/contract/webhook.ts'
import { AppError, webhookCodes } from '../../src-preload/domain/app-error.ts'
import type { OpcodeSubscriptionEntry, WebhooksClient } from '../gateway/webhooks.ts'
import type { QueryOptions } from '../gateway/query.ts'
import { knownOpcodes, operationName, readOpcode } from '../ton/opcodes.ts'
import { formatOpcode } from '../../src-preload/domain/opcode.ts'
import {
  type ReceiverAddress,
  hooksOf,
  isHere,
  isSameEndpoint,
  originOf,
  publicHook,
  receiverAddress,
} from '../app/self-addresses.ts'
import { withProblem } from './base-room.ts'
import type { WebhookRoom } from './room.ts'
import { isPublicHost } from '../net/address.ts'

/** The gateway's maximum. */
const largestPage = 1000

export async function readOpcodes(
  client: WebhooksClient,
  webhook: string,
  queryOptions: QueryOptions = {},
): Promise<OpcodeSubscriptionEntry[]> {
  const found = new Map<string, OpcodeSubscriptionEntry>()
  for (let offset = 0; ; offset += largestPage) {
    const page = await client.opcodes(webhook, { offset, limit: largestPage }, queryOptions)
    const before = found.size
    for (const entry of page) found.set(entry.opcode, entry)
    // A page without new entries comes from a gateway that ignores the offset.
    if (page.length < largestPage || found.size === before) return [...found.values()]
  }
}

export function createWebhookRoutes(room: WebhookRoom) {
  const { access, book } = room
  const isSandbox = (network: NetworkId) => access.info(network).kind === 'sandbox'

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
    return entries.map((entry) => {
      const opcode = readOpcode(entry.opcode)
      const name = opcode === null ? null : operationName(opcode)
      return { ...entry, name: name === null ? null : toWords(name) }
    })
  }

  return {
    async 'webhook.list'({ network, fresh }) {
      // This throws if the network was removed.
      access.info(network)
      const reading = fresh ? book.read(network, { signal: access.interest(network) }) : []
      const { problem } = await withProblem(reading, [])
      const readAt = room.store.webhooks.readAt(network)
      return { network, webhooks: book.known(network), readAt, problem }
    },
    'webhook.suggestEndpoints': ({ network }) =>
      suggestEndpoints(receiverAddress(room), { isSandbox: isSandbox(network) }),
    'webhook.checkEndpoint': ({ network, endpoint }) =>
      checkEndpoint(endpoint, {
        isSandbox: isSandbox(network),
        isFromHere: access.info(network).deliversFromHere === true,
        allowedHosts: room.settings.get().sandbox.allowHosts,
        receiver: receiverAddress(room),
        others: book.known(network),
      }),
    async 'webhook.create'({ network, endpoint }) {
      const before = await book.readAnew(network)
      return book.create(network, endpoint, new Set(before.map(({ id }) => id)))
    },
    'webhook.rotateToken': ({ network, id }) => book.rotate(network, id),
    'webhook.revealToken': async ({ network, id }) => ({ token: await book.reveal(network, id) }),
    'webhook.backOnline': ({ network, id }) =>
      change(network, id, (client) => client.backOnline(id)),
    async 'webhook.delete'({ network, id, endpoint }) {
      room.refuseWhileMoving(network, id)
      await book.readAnew(network)
      const webhook = book.find(network, id)
      if (webhook.endpoint !== endpoint.trim()) {
        throw new AppError(
          webhookCodes.endpointDiffers,
          `The webhook delivers to ${webhook.endpoint}. Type this URL to delete the webhook.`,
        )
      }
      await book.remove(network, id)
      return {}
    },
    'webhook.setMempool': ({ network, id, on }) =>
      change(network, id, (client) => client.setMempool(id, on)),
    'webhook.setNewContracts': ({ network, id, on }) =>
      change(network, id, (client) => client.setNewContracts(id, on)),
    'webhook.opcodes': ({ network, id }) => opcodes(network, id),
    'webhook.opcodeNames': () =>
      knownOpcodes().map(({ opcode, name }) => ({
        opcode: formatOpcode(opcode),
        name: toWords(name),
      })),
    async 'webhook.setOpcode'({ network, id, opcode, on }) {
      await change(network, id, (client) => client.setOpcode(id, formatOpcode(Number(opcode)), on))
      return opcodes(network, id)
    },
    'webhook.logs': ({ network, id, offset }) =>
      access.webhooks(network).logs(id, offset, { signal: access.interest(network) }),
    'webhook.usage': ({ network }) =>
      access.webhooks(network).usage({ signal: access.interest(network) }),
  } satisfies Partial<Handlers>
}

const toWords = (name: string): string => name.replaceAll('_', ' ')

/** Shortens an endpoint to its host, because its path may contain a secret. */
export const hostOf = (endpoint: string): string => URL.parse(endpoint)?.host ?? 'the endpoint'

export function suggestEndpoints(
  receiver: ReceiverAddress,
  about: { readonly isSandbox: boolean },
): EndpointSuggestion[] {
  const outside = publicHook(receiver)
  const own = about.isSandbox
    ? 'The URL of this receiver. The sandbox runs on this computer and can reach it.'
    : 'The local URL of this receiver. Only a gateway on this computer can reach it.'
  return [
    ...(outside === null ? [] : [{ url: outside, why: 'The public URL of this receiver.' }]),
    { url: receiver.url, why: own },
  ]
}

type EndpointCircumstances = {
  readonly isSandbox: boolean
  /** The gateway is on this computer, so it reaches local hosts. */
  readonly isFromHere?: boolean
  readonly allowedHosts: readonly string[]
  readonly receiver: ReceiverAddress
  readonly others: readonly { readonly id: string; readonly endpoint: string }[]
}

export function checkEndpoint(endpoint: string, about: EndpointCircumstances): EndpointWarning[] {
  const url = URL.parse(endpoint)
  if (url === null) return []
  const warnings: EndpointWarning[] = []
  const isOutside = isPublicHost(url.hostname)
  const reachesLocal = about.isSandbox || about.isFromHere === true
  if (!isOutside && !reachesLocal) {
    warnings.push({
      kind: 'not-public',
      message: `The gateway cannot reach ${url.hostname}, because the host is on this computer or in its local network. Use the public URL of a tunnel.`,
    })
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (about.isSandbox && !isThisComputer(host) && !about.allowedHosts.includes(host)) {
    warnings.push({
      kind: 'host-not-allowed',
      message: `The sandbox delivers to this computer only. Deliveries to ${host} fail until you allow that host.`,
    })
  }
  if (url.protocol === 'http:' && (isOutside || !reachesLocal)) {
    warnings.push({
      kind: 'plain-http',
      message:
        'This URL is not encrypted: anyone on the network path can read the events and the token. Use https if possible.',
    })
  }
  const used = about.others.filter((other) => isSameEndpoint(other.endpoint, endpoint))
  if (used.length > 0) {
    const names = used.map(({ id }) => id).join(', ')
    warnings.push({
      kind: 'in-use',
      message: `This URL is already the endpoint of webhook ${names}. If several webhooks subscribe to an event, the event arrives once for each of them.`,
    })
  }
  const missed = missedHook(url, about.receiver)
  if (missed !== null) {
    warnings.push({
      kind: 'wrong-path',
      message: `The receiver responds with 404 at this path. Use the receiver’s own path, ${missed.pathname}.`,
    })
  }
  return warnings
}

function missedHook(url: URL, receiver: ReceiverAddress): URL | null {
  if (isHere(url.href, receiver)) return null
  return hooksOf(receiver).find((hook) => originOf(hook) === originOf(url)) ?? null
}

const isThisComputer = (host: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host) || host.endsWith('.localhost')
