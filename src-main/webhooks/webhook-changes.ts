/** Creates, deletes and re-keys webhooks. Requests are sent once; unclear results are looked up. */
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Webhook } from '../../src-preload/contract/webhook.ts'
import { webhookCodes, gatewayCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { WebhookEntry, WebhooksClient } from '../gateway/webhooks.ts'
import { unknownWebhook } from './store/webhooks.ts'
import type { WebhookBook } from './room.ts'
import { isSameEndpoint } from './endpoint.ts'
import type { BookDeps, ReadBook } from './webhook-book.ts'

export type WebhookChanges = Pick<WebhookBook, 'create' | 'remove'> & {
  /** @throws AppError WEBHOOK_UNKNOWN; as the client does */
  rotate(network: NetworkId, id: string): Promise<Webhook>
  /** @throws AppError WEBHOOK_UNKNOWN, WEBHOOK_TOKEN_UNKNOWN; as the client does */
  reveal(network: NetworkId, id: string): Promise<string>
}

export function createWebhookChanges(deps: BookDeps & { readonly book: ReadBook }): WebhookChanges {
  const { access, book, tokens } = deps
  const { webhooks } = deps.store

  async function afterwards(network: NetworkId, id: string): Promise<Webhook> {
    await book.readAnew(network).catch(onlyAppError)
    return book.find(network, id)
  }

  async function keepToken(network: NetworkId, id: string, token: string | null): Promise<void> {
    const record = webhooks.get(network, id)
    if (record !== null && token !== null) await tokens.keep(record, token)
  }

  async function findMade(network: NetworkId, endpoint: string, before: ReadonlySet<string>) {
    const entries = await book.ask(network)
    return entries.find((entry) => isMade(entry, endpoint, before)) ?? null
  }

  async function createNow(
    network: NetworkId,
    endpoint: string,
    before: ReadonlySet<string>,
  ): Promise<Webhook> {
    let made: Pick<WebhookEntry, 'id' | 'token'> | null
    made = await findMade(network, endpoint, before)
    made ??= await createOnce(access.webhooks(network), endpoint, () =>
      findMade(network, endpoint, before),
    )
    webhooks.put(network, { ...unread, id: made.id, endpoint, tokenHint: hintOf(made.token) })
    await keepToken(network, made.id, made.token)
    deps.onChanged(network)
    return afterwards(network, made.id)
  }

  /** Per network: resolves when the last creation has ended, because the next must see its result. */
  const turns = new Map<NetworkId, Promise<unknown>>()

  async function create(
    network: NetworkId,
    endpoint: string,
    before: ReadonlySet<string>,
  ): Promise<Webhook> {
    const turn = (turns.get(network) ?? Promise.resolve()).then(() =>
      createNow(network, endpoint, before),
    )
    turns.set(
      network,
      turn.catch(() => undefined),
    )
    return turn
  }

  return {
    create,
    async remove(network, id) {
      const record = webhooks.get(network, id)
      try {
        await access.webhooks(network).remove(id)
      } catch (error) {
        if (!isUnclear(error) && !isNotFound(error)) throw error
        const entries = await book.ask(network)
        if (entries.some((entry) => entry.id === id)) throw error
      }
      if (record !== null) await tokens.remove(record)
      await book.readAnew(network).catch(onlyAppError)
      webhooks.markGone(network, id, deps.now())
      deps.onChanged(network)
    },
    async rotate(network, id) {
      const token = await access.webhooks(network).newToken(id)
      await keepToken(network, id, token)
      return afterwards(network, id)
    },
    async reveal(network, id) {
      const record = webhooks.get(network, id)
      const kept = record === null ? null : tokens.get(record)
      let entries: readonly WebhookEntry[]
      try {
        entries = await book.ask(network)
      } catch (error) {
        if (kept === null) throw error
        return kept
      }
      const entry = entries.find((each) => each.id === id)
      if (entry === undefined) throw unknownWebhook(id)
      const token = entry.token ?? kept
      if (token !== null) return token
      throw new AppError(
        webhookCodes.tokenUnknown,
        'The gateway does not tell this token, and it is not kept here. Rotate it to get a new one.',
      )
    },
  }
}

/** True for the result of a lost response. A webhook that has subscriptions is somebody else's. */
export function isMade(
  webhook: Pick<
    WebhookEntry,
    'id' | 'endpoint' | 'accounts' | 'opcodes' | 'mempool' | 'newContracts'
  >,
  endpoint: string,
  before: ReadonlySet<string>,
): boolean {
  const { accounts, opcodes, mempool, newContracts } = webhook
  const isUsed = [accounts, opcodes, mempool, newContracts].some(Boolean)
  return isSameEndpoint(webhook.endpoint, endpoint) && !before.has(webhook.id) && !isUsed
}

async function createOnce(
  client: WebhooksClient,
  endpoint: string,
  find: () => Promise<Pick<WebhookEntry, 'id' | 'token'> | null>,
) {
  try {
    return await client.create(endpoint)
  } catch (error) {
    if (!isUnclear(error)) throw error
    const made = await find()
    if (made === null) throw error
    return made
  }
}

const unread = {
  status: null,
  statusSince: null,
  lastOnlineAt: null,
  failedAttempts: null,
  accounts: null,
  opcodes: null,
  mempool: null,
  newContracts: null,
} as const

const hintOf = (token: string | null) => token?.slice(-4) ?? null

/** Errors after which the gateway may have carried out the request. */
const unclear: readonly string[] = [
  gatewayCodes.unreachable,
  gatewayCodes.timeout,
  gatewayCodes.failed,
  gatewayCodes.badAnswer,
]

function isUnclear(error: unknown): boolean {
  return error instanceof AppError && unclear.includes(error.code)
}

function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === gatewayCodes.notFound
}

function onlyAppError(error: unknown): void {
  if (!(error instanceof AppError)) throw error
}
