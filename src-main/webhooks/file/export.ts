import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { webhookCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { pagesOf } from '../../database/pages.ts'
import { withLabels } from '../base-room.ts'
import type { Room, WebhookRoom } from '../room.ts'
import { isSameEndpoint } from '../endpoint.ts'
import { unknownWebhook } from '../store/webhooks.ts'
import type { ActualWebhook } from './comparison.ts'
import { type PrintedWebhook, formatFile } from './format-file.ts'
import type { Asking } from '../../gateway/query.ts'
import { readOpcodes } from '../webhooks.ts'

const accountsAtOnce = 1000

export function createExport(room: WebhookRoom) {
  const { access, book } = room

  async function* accountsOf(network: NetworkId, { accountsAfter }: ActualWebhook) {
    for await (const page of pagesOf<string>((last = '') => accountsAfter(last, accountsAtOnce))) {
      const accounts = page.map((account) => ({ account }))
      yield withLabels(room, network, accounts).map(({ account: address, label }) => ({
        address,
        label,
      }))
    }
  }

  async function* write(
    network: NetworkId,
    chosen: readonly Webhook[],
    all: readonly Webhook[],
  ): AsyncGenerator<PrintedWebhook> {
    const asking = { signal: access.interest(network) }
    for (const webhook of chosen) {
      const whole = { accounts: true, opcodes: true }
      const actual = await readActual(network, webhook, whole, room, asking)
      const { id, endpoint } = actual
      const isOneOfSeveral = all.some(
        (other) => other.id !== id && isSameEndpoint(other.endpoint, endpoint),
      )
      const accounts = accountsOf(network, actual)
      yield { ...actual, id: isOneOfSeveral ? id : null, accounts }
    }
  }

  return {
    async 'subscription.export'({ network, webhooks, format }) {
      const { id, kind, name } = access.info(network)
      const all = await book.readAnew(network, { signal: access.interest(network) })
      const chosen = webhooks === null ? all.toReversed() : webhooks.map((one) => pick(all, one))
      if (chosen.length === 0) {
        const message = 'There is no webhook on this network whose subscriptions could be exported.'
        throw new AppError(webhookCodes.unknown, message)
      }
      const day = new Date(room.now()).toISOString().slice(0, 10)
      // The id of a custom network exists on this computer only.
      const called = kind === 'custom' ? name : id
      return room.files.make(
        `subscriptions ${called.replace(/[^\w-]+/g, '_')} ${day}.${format}`,
        formatFile(format, called, write(network, chosen, all)),
      )
    },
  } satisfies Partial<Handlers>
}

function pick(all: readonly Webhook[], id: string): Webhook {
  const found = all.find((webhook) => webhook.id === id)
  if (found === undefined) throw unknownWebhook(id)
  return found
}

export async function readActual(
  network: NetworkId,
  webhook: Webhook,
  only: { readonly accounts: boolean; readonly opcodes: boolean },
  { access, mirror }: Room<'access' | 'mirror'>,
  asking: Asking & { readonly signal: AbortSignal },
): Promise<ActualWebhook> {
  const { id, endpoint, newContracts, mempool } = webhook
  const read = only.opcodes ? await readOpcodes(access.webhooks(network), id, asking) : []
  const opcodes = read.map(({ opcode }) => opcode)
  if (only.accounts) await mirror.read(network, id, asking.signal)
  return {
    ...{ id, endpoint, newContracts, mempool, opcodes },
    accountsAfter: (account, limit) => mirror.accounts(network, id, account, limit),
  }
}
