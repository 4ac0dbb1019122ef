/** The webhooks themselves: their book, what changes them, and the routes of both. */
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Webhooks } from './store/webhooks.ts'
import type { GatewayAccess, WebhookBook } from './parts.ts'
import { type ReceiverAddress, isHere } from './endpoint.ts'
import { createWebhookBook } from './webhook-book.ts'
import { createWebhookChanges } from './webhook-changes.ts'
import { createWebhookRoutes } from './webhook-routes.ts'
import { type TokenPlace, createWebhookTokens } from './webhook-tokens.ts'

type WebhooksDeps = {
  readonly access: GatewayAccess
  readonly webhooks: Webhooks
  readonly tokens: TokenPlace
  readonly receiver: () => ReceiverAddress
  /** Hosts other than this computer that the sandbox may deliver to. */
  readonly allowedHosts: () => readonly string[]
  /** @throws AppError WEBHOOK_MOVE_UNDER_WAY */
  readonly refuseWhileMoving: (network: NetworkId, id: string) => void
  readonly onChanged: (network: NetworkId) => void
  readonly now: () => number
}

type WebhooksPart = {
  readonly book: WebhookBook
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `webhook.${string}`>>
  forget(network: NetworkId): Promise<void>
}

export function createWebhooksPart(deps: WebhooksDeps): WebhooksPart {
  const tokens = createWebhookTokens({
    place: deps.tokens,
    webhooks: deps.webhooks,
    info: (network) => deps.access.info(network),
  })
  const book = createWebhookBook({
    ...deps,
    tokens,
    isHere: (endpoint) => isHere(endpoint, deps.receiver()),
  })
  const changes = createWebhookChanges({ ...deps, book, tokens })
  return {
    book: { ...book, create: changes.create, remove: changes.remove },
    handlers: createWebhookRoutes({ ...deps, book, changes }),
    forget: (network) => book.forget(network),
  }
}
