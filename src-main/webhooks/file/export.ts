import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { webhookCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { Room } from '../room.ts'
import { isSameEndpoint } from '../endpoint.ts'
import { unknownWebhook } from '../store/webhooks.ts'
import type { ActualWebhook } from './comparison.ts'
import { type PrintedAccount, type PrintedWebhook, formatFile } from './format-file.ts'
import type { Asking } from '../../gateway/query.ts'
import { readOpcodes } from '../webhooks.ts'

const accountsAtOnce = 1000

export function createExport(
  deps: Room<'access' | 'book' | 'files' | 'labelsOf' | 'mirror' | 'now'>,
): Pick<Handlers, 'subscription.export'> {
  const { access, book } = deps

  async function* accountsOf(
    network: NetworkId,
    { accountsAfter }: ActualWebhook,
  ): AsyncGenerator<PrintedAccount[]> {
    let after: string | undefined = ''
    while (after !== undefined) {
      const page: readonly string[] = accountsAfter(after, accountsAtOnce)
      await breathe()
      const names = deps.labelsOf(network, page)
      yield page.map((address) => ({ address, label: names.get(address) ?? null }))
      after = page.at(-1)
    }
  }

  async function* print(
    network: NetworkId,
    chosen: readonly Webhook[],
    all: readonly Webhook[],
  ): AsyncGenerator<PrintedWebhook> {
    const asking = { signal: access.interest(network) }
    for (const webhook of chosen) {
      const actual = await readActual(
        network,
        webhook,
        { accounts: true, opcodes: true },
        deps,
        asking,
      )
      const { id, endpoint, newContracts, mempool, opcodes } = actual
      const isOneOfSeveral = all.some(
        (other) => other.id !== id && isSameEndpoint(other.endpoint, endpoint),
      )
      yield {
        ...{ endpoint, newContracts, mempool, opcodes },
        id: isOneOfSeveral ? id : null,
        accounts: accountsOf(network, actual),
      }
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
      const day = new Date(deps.now()).toISOString().slice(0, 10)
      // The id of a custom network exists on this computer only.
      const called = kind === 'custom' ? name : id
      return deps.files.make(
        `subscriptions ${called.replace(/[^\w-]+/g, '_')} ${day}.${format}`,
        formatFile(format, called, print(network, chosen, all)),
      )
    },
  }
}

function pick(all: readonly Webhook[], id: string): Webhook {
  const found = all.find((webhook) => webhook.id === id)
  if (found === undefined) throw unknownWebhook(id)
  return found
}

/** @throws AppError as the client does; the signal's reason */
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
