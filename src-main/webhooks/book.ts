import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Webhook } from '../../src-preload/contract/webhook.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { gatewayCodes, secretCodes, webhookCodes } from '../../src-preload/domain/error-codes.ts'
import { type Mutex, createMutex } from '../../src-preload/domain/mutex.ts'
import type { QueryOptions } from '../gateway/query.ts'
import type { WebhookEntry, WebhooksClient } from '../gateway/webhooks.ts'
import { isHere, isSameEndpoint, receiverAddress } from '../app/self-addresses.ts'
import type { BaseRoom } from './base-room.ts'
import { type WebhookRecord, type Webhooks, unknownWebhook } from './store/webhooks.ts'

export type WebhookBook = ReturnType<typeof createWebhookBook>

/** Manages the tokens of webhooks that deliver to this receiver, which checks deliveries with them. */
export type WebhookTokens = {
  idOf(network: NetworkId, webhook: string): string
  get(id: string): string | null
  keep(kept: { id: string; label: string; token: string }): Promise<string>
  remove(id: string): Promise<void>
}

const longestLabel = 100

/**
 * Caches the webhooks as last read. Code that changes a webhook updates this cache or calls
 * `readAnew`. Requests that change something are sent once; the state is read after an unclear
 * result. All functions throw as the client does.
 */
export function createWebhookBook(
  room: Pick<BaseRoom, 'access' | 'events' | 'now' | 'receiver' | 'settings' | 'store'>,
  tokens: WebhookTokens,
) {
  const { access } = room
  const { webhooks } = room.store
  const tokenStore = createTokenStore(access, webhooks, tokens)
  /** Numbers of requests: the last one sent, and per network the one whose response is stored. */
  let sent = 0
  const storedOf = new Map<NetworkId, number>()
  const underWay = new Map<string, Promise<unknown>>()
  /** One mutex per network, because a creation must see the result of the previous one. */
  const creations = new Map<NetworkId, Mutex>()

  const notify = (network: NetworkId) => room.events.emit('webhook.changed', { network })
  const isOfReceiver = (endpoint: string) => isHere(endpoint, receiverAddress(room))

  function toWebhook({ key, tokenId, goneAt, ...record }: WebhookRecord): Webhook {
    const tokenKnown = tokenStore.get(tokenId) !== null
    return { ...record, tokenKnown, isHere: isOfReceiver(record.endpoint) }
  }

  const known = (network: NetworkId): Webhook[] => webhooks.list(network).map(toWebhook)

  function find(network: NetworkId, id: string): Webhook {
    const record = webhooks.get(network, id)
    if (record === null || record.goneAt !== null) throw unknownWebhook(id)
    return toWebhook(record)
  }

  async function fetchAll(network: NetworkId, queryOptions?: QueryOptions) {
    sent += 1
    const number = sent
    const entries = await access.webhooks(network).list(queryOptions)
    // A later request got its response first, or the network was forgotten.
    if ((storedOf.get(network) ?? 0) > number) return entries
    storedOf.set(network, number)
    const listed = entries.map(({ token, ...entry }) => ({ ...entry, tokenHint: hintOf(token) }))
    webhooks.replace(network, listed, room.now())
    const isSandbox = access.info(network).kind === 'sandbox'
    for (const { id, token } of entries) {
      const record = webhooks.get(network, id)
      if (record === null || token === null) continue
      const isOurs = record.tokenId !== null || isOfReceiver(record.endpoint)
      if (isOurs || isSandbox) await tokenStore.put(record, token)
    }
    notify(network)
    return entries
  }

  /** Sends a new request, so that the result includes all changes made until now. */
  async function readAnew(network: NetworkId, queryOptions?: QueryOptions): Promise<Webhook[]> {
    await fetchAll(network, queryOptions)
    return known(network)
  }

  async function findAfterwards(network: NetworkId, id: string): Promise<Webhook> {
    await readAnew(network).catch(ignore)
    return find(network, id)
  }

  return {
    known,
    find,
    readAnew,
    /** Reads and stores the list, and updates the receiver's tokens. Concurrent calls share a request. */
    async read(network: NetworkId, queryOptions: QueryOptions = {}): Promise<Webhook[]> {
      const { signal, ...shared } = queryOptions
      // The signal is checked before the request, whose error no caller would handle.
      signal?.throwIfAborted()
      // Requests of different priorities are not shared, and the abort of one caller does not end
      // the request for others.
      const which = `${shared.priority ?? 'interactive'} ${network}`
      const reading = underWay.get(which) ?? fetchAll(network, shared)
      underWay.set(which, reading)
      const done = reading.finally(() => {
        if (underWay.get(which) === reading) underWay.delete(which)
      })
      await unlessAborted(done, signal)
      return known(network)
    },
    /**
     * Creates a webhook, or adopts an unused webhook of the endpoint that is not in `before`,
     * because an earlier call may have been killed.
     */
    create(network: NetworkId, endpoint: string, before: ReadonlySet<string>): Promise<Webhook> {
      const mutex = creations.get(network) ?? createMutex()
      creations.set(network, mutex)
      return mutex.run(async () => {
        const { id, token } = await createOnce(access.webhooks(network), endpoint, async () =>
          (await fetchAll(network)).find((entry) => isMade(entry, endpoint, before)),
        )
        webhooks.put(network, { id, endpoint, tokenHint: hintOf(token) })
        const record = webhooks.get(network, id)
        if (record !== null && token !== null) await tokenStore.put(record, token)
        notify(network)
        return findAfterwards(network, id)
      })
    },
    async remove(network: NetworkId, id: string): Promise<void> {
      const record = webhooks.get(network, id)
      try {
        await access.webhooks(network).remove(id)
      } catch (error) {
        if (!isUnclear(error) && !hasCode(error, gatewayCodes.notFound)) throw error
        if ((await fetchAll(network)).some((entry) => entry.id === id)) throw error
      }
      if (record !== null) await tokenStore.remove(record)
      await readAnew(network).catch(ignore)
      webhooks.markGone(network, id, room.now())
      notify(network)
    },
    async rotate(network: NetworkId, id: string): Promise<Webhook> {
      const token = await access.webhooks(network).newToken(id)
      const record = webhooks.get(network, id)
      if (record !== null) await tokenStore.put(record, token)
      return findAfterwards(network, id)
    },
    async reveal(network: NetworkId, id: string): Promise<string> {
      const stored = tokenStore.get(webhooks.get(network, id)?.tokenId ?? null)
      let entries: readonly WebhookEntry[]
      try {
        entries = await fetchAll(network)
      } catch (error) {
        if (stored === null) throw error
        return stored
      }
      const entry = entries.find((each) => each.id === id)
      if (entry === undefined) throw unknownWebhook(id)
      const token = entry.token ?? stored
      if (token !== null) return token
      throw new AppError(
        webhookCodes.tokenUnknown,
        'The token is not stored on this computer, and the gateway does not show it. Rotate the token to get a new one.',
      )
    },
    /** Forgets the network's webhooks and ignores pending responses. */
    async forget(network: NetworkId): Promise<void> {
      sent += 1
      storedOf.set(network, sent)
      for (const record of webhooks.all(network)) await tokenStore.remove(record)
      webhooks.forget(network)
      notify(network)
    },
  }
}

async function createOnce(
  client: WebhooksClient,
  endpoint: string,
  findMade: () => Promise<WebhookEntry | undefined>,
): Promise<Pick<WebhookEntry, 'id' | 'token'>> {
  const found = await findMade()
  if (found !== undefined) return found
  try {
    return await client.create(endpoint)
  } catch (error) {
    const made = isUnclear(error) ? await findMade() : undefined
    if (made === undefined) throw error
    return made
  }
}

/** Without a keychain no token is stored, which `tokenKnown` shows; the webhook still works. */
function createTokenStore(access: BaseRoom['access'], webhooks: Webhooks, tokens: WebhookTokens) {
  return {
    get: (id: string | null) => (id === null ? null : tokens.get(id)),
    async put({ key, network, id, endpoint }: WebhookRecord, token: string): Promise<void> {
      const label = `${access.info(network).name} ${id}: ${endpoint}`.slice(0, longestLabel)
      try {
        webhooks.setTokenId(key, await tokens.keep({ id: tokens.idOf(network, id), label, token }))
      } catch (error) {
        ignore(error, secretCodes.unavailable)
      }
    },
    async remove({ key, network, id }: WebhookRecord): Promise<void> {
      webhooks.setTokenId(key, null)
      try {
        await tokens.remove(tokens.idOf(network, id))
      } catch (error) {
        ignore(error, secretCodes.unavailable)
      }
    },
  }
}

/** Resolves with the work, or rejects with the signal's reason if that comes first. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return work
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/**
 * True for a webhook whose creation lost its response. A webhook with subscriptions was created by
 * another client.
 */
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

const hintOf = (token: string | null) => token?.slice(-4) ?? null

const hasCode = (error: unknown, ...codes: readonly string[]) =>
  error instanceof AppError && codes.includes(error.code)

/** True if the gateway may have carried out the request. */
function isUnclear(error: unknown): boolean {
  const { unreachable, timeout, failed, badAnswer } = gatewayCodes
  return hasCode(error, unreachable, timeout, failed, badAnswer)
}

function ignore(error: unknown, code?: string): void {
  if (!(error instanceof AppError) || (code ?? error.code) !== error.code) throw error
}
