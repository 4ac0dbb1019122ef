import type { NetworkId, NetworkKind } from '../../src-preload/contract/network.ts'
import type { Webhook } from '../../src-preload/contract/webhook.ts'
import { secretCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Asking } from '../gateway/query.ts'
import type { WebhookEntry } from '../gateway/webhooks.ts'
import { type WebhookRecord, type Webhooks, unknownWebhook } from './store/webhooks.ts'
import type { Room, WebhookBook } from './room.ts'

/** Stores tokens by id in the keychain, or a sandbox's in memory; the receiver checks deliveries with them. */
export type TokenPlace = {
  idOf(network: NetworkId, webhook: string): string
  get(id: string): string | null
  /** @throws AppError SECRETS_UNAVAILABLE */
  keep(kept: { id: string; label: string; token: string }): Promise<string>
  /** @throws AppError SECRETS_UNAVAILABLE */
  remove(id: string): Promise<void>
}

type WebhookTokens = ReturnType<typeof createWebhookTokens>

const longestLabel = 100

export function createWebhookTokens(deps: {
  readonly place: TokenPlace
  readonly webhooks: Webhooks
  readonly info: (network: NetworkId) => { readonly kind: NetworkKind; readonly name: string }
}) {
  const { place, webhooks } = deps
  return {
    isOfSandbox: (network: NetworkId) => deps.info(network).kind === 'sandbox',
    isKnown: (tokenId: string | null) => tokenId !== null && place.get(tokenId) !== null,
    get: ({ tokenId }: WebhookRecord) => (tokenId === null ? null : place.get(tokenId)),
    /** Without a keychain the token is not stored, which `isKnown` shows; the webhook works all the same. */
    async keep({ key, network, id, endpoint }: WebhookRecord, token: string): Promise<void> {
      const label = `${deps.info(network).name} ${id}: ${endpoint}`.slice(0, longestLabel)
      try {
        const tokenId = await place.keep({ id: place.idOf(network, id), label, token })
        webhooks.setTokenId(key, tokenId)
      } catch (error) {
        if (!isUnavailable(error)) throw error
      }
    },
    async remove({ key, network, id }: WebhookRecord): Promise<void> {
      webhooks.setTokenId(key, null)
      try {
        await place.remove(place.idOf(network, id))
      } catch (error) {
        if (!isUnavailable(error)) throw error
      }
    },
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === secretCodes.unavailable
}

export type BookDeps = Room<'access' | 'now' | 'store'> & {
  readonly tokens: WebhookTokens
  readonly onChanged: (network: NetworkId) => void
}

export type ReadBook = Pick<WebhookBook, 'known' | 'find' | 'read' | 'readAnew'> & {
  ask(network: NetworkId, asking?: Asking): Promise<readonly WebhookEntry[]>
  /** Forgets the network's webhooks and ignores responses still under way. */
  forget(network: NetworkId): Promise<void>
}

export function createWebhookBook(
  deps: BookDeps & { readonly isHere: (endpoint: string) => boolean },
): ReadBook {
  const { tokens } = deps
  const { webhooks } = deps.store
  /** Request numbers: the last sent, and that of the stored response. */
  let asked = 0
  const kept = new Map<NetworkId, number>()
  const underWay = new Map<string, Promise<unknown>>()

  function toWebhook(record: WebhookRecord): Webhook {
    const { network, id, endpoint, status, statusSince, lastOnlineAt, failedAttempts } = record
    const { accounts, opcodes, mempool, newContracts, tokenHint } = record
    return {
      ...{ network, id, endpoint, status, statusSince, lastOnlineAt, failedAttempts },
      ...{ accounts, opcodes, mempool, newContracts, tokenHint },
      tokenKnown: tokens.isKnown(record.tokenId),
      isHere: deps.isHere(endpoint),
      failing: record.failing,
      subscriptionsReadAt: record.subscriptionsReadAt,
    }
  }

  const known = (network: NetworkId): Webhook[] => webhooks.list(network).map(toWebhook)

  async function ask(network: NetworkId, asking?: Asking): Promise<readonly WebhookEntry[]> {
    asked += 1
    const number = asked
    const entries = await deps.access.webhooks(network).list(asking)
    // A later request was answered first, or the network was forgotten.
    if ((kept.get(network) ?? 0) > number) return entries
    kept.set(network, number)
    webhooks.replace(network, entries.map(toListed), deps.now())
    await learnTokens(network, entries)
    deps.onChanged(network)
    return entries
  }

  async function learnTokens(network: NetworkId, entries: readonly WebhookEntry[]): Promise<void> {
    for (const { id, token } of entries) {
      const record = webhooks.get(network, id)
      if (record === null || token === null) continue
      const isOurs = record.tokenId !== null || deps.isHere(record.endpoint)
      if (isOurs || tokens.isOfSandbox(network)) await tokens.keep(record, token)
    }
  }

  return {
    known,
    ask,
    find(network, id) {
      const record = webhooks.get(network, id)
      if (record === null || record.goneAt !== null) throw unknownWebhook(id)
      return toWebhook(record)
    },
    async read(network, asking = {}) {
      const { signal, ...shared } = asking
      // Checked before the request, whose error nobody would handle.
      signal?.throwIfAborted()
      // Priorities do not mix, and one caller's abort does not end the request for others.
      const which = `${shared.priority ?? 'interactive'} ${network}`
      const reading = underWay.get(which) ?? ask(network, shared)
      underWay.set(which, reading)
      const done = reading.finally(() => {
        if (underWay.get(which) === reading) underWay.delete(which)
      })
      await unlessAborted(done, signal)
      return known(network)
    },
    async readAnew(network, asking) {
      await ask(network, asking)
      return known(network)
    },
    async forget(network) {
      asked += 1
      kept.set(network, asked)
      for (const record of webhooks.all(network)) await tokens.remove(record)
      webhooks.forget(network)
      deps.onChanged(network)
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

function toListed({ token, ...entry }: WebhookEntry) {
  return { ...entry, tokenHint: token === null ? null : token.slice(-4) }
}
