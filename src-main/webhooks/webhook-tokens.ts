/** The bearers of webhooks: where they are kept, and what is remembered of that. */
import type { NetworkId, NetworkKind } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { secretCodes } from '../../src-preload/domain/error-codes.ts'
import type { WebhookRecord, Webhooks } from './store/webhooks.ts'

/** Keeps tokens by id, in the keychain or, of the sandbox, in memory; the receiver checks by them. */
export type TokenPlace = {
  /** Of a webhook's own; one that was added by hand has another. */
  idOf(network: NetworkId, webhook: string): string
  get(id: string): string | null
  /** @throws AppError SECRETS_UNAVAILABLE */
  keep(kept: { id: string; label: string; token: string }): Promise<string>
  /** @throws AppError SECRETS_UNAVAILABLE */
  remove(id: string): Promise<void>
}

export type WebhookTokens = ReturnType<typeof createWebhookTokens>

/** Of a label in Settings. */
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
    /** Without a keychain it is not kept, which `isKnown` tells; the webhook is there all the same. */
    async keep({ key, network, id, endpoint }: WebhookRecord, token: string): Promise<void> {
      const label = `${deps.info(network).name} ${id}: ${endpoint}`.slice(0, longestLabel)
      try {
        const tokenId = await place.keep({ id: place.idOf(network, id), label, token })
        webhooks.setTokenId(key, tokenId)
      } catch (error) {
        if (!isUnavailable(error)) throw error
      }
    },
    /** One that was added by hand stays: it is the person's. */
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
