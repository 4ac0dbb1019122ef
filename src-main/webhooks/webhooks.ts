import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { OpcodeSubscription, Webhook } from '../../src-preload/contract/webhook.ts'
import { webhookCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { WebhooksClient, OpcodeSubscriptionEntry } from '../gateway/webhooks.ts'
import type { QueryOptions } from '../gateway/query.ts'
import { knownOpcodes, operationName, readOpcode } from '../ton/opcodes.ts'
import { formatOpcode } from '../../src-preload/domain/opcode.ts'
import { checkEndpoint, suggestEndpoints } from './endpoint.ts'
import { receiverAddress } from '../app/self-addresses.ts'
import type { WebhookRoom } from './room.ts'

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
      let problem: string | null = null
      // Throws where the network was removed.
      access.info(network)
      if (fresh) {
        try {
          await book.read(network, { signal: access.interest(network) })
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          problem = error.message
        }
      }
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

function toWords(name: string): string {
  return name.replaceAll('_', ' ')
}
