/** Webhooks and subscriptions: managed, watched, and compared with what arrived. */
import { setImmediate } from 'node:timers/promises'
import type {
  Events,
  EventName,
  Handlers,
  NetworkId,
  ReceiverState,
  Settings,
} from '../../src-preload/contract/index.ts'
import type { SubscriptionStore } from '../store/subscriptions/subscription-store.ts'
import { createMirror } from './mirror/mirror.ts'
import { createSubscriptionRoutes } from './mirror/subscription-routes.ts'
import { createMovesPart } from './move/moves.ts'
import type { GatewayAccess } from './parts.ts'
import type { TokenPlace } from './webhooks/webhook-tokens.ts'
import { createWebhooksPart } from './webhooks/webhooks.ts'

export type SubscriptionsDeps = {
  readonly access: GatewayAccess
  readonly store: SubscriptionStore
  readonly settings: () => Settings
  readonly receiver: () => ReceiverState
  /** Where it is or, while it does not listen, would be posted to. */
  readonly receiverUrl: () => string
  readonly tokens: TokenPlace
  /** Names of the person's own. */
  readonly labelsOf: (
    network: NetworkId,
    addresses: readonly string[],
  ) => ReadonlyMap<string, string>
  readonly emit: <N extends EventName>(name: N, payload: Events[N]) => void
  readonly now: () => number
  /** Rejects when aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly onBug: (error: unknown) => void
}

type Domain =
  'webhook' | 'move' | 'subscription' | 'plan' | 'change' | 'sampler' | 'failure' | 'ledger'

export type Subscriptions = {
  readonly handlers: Partial<Pick<Handlers, Extract<keyof Handlers, `${Domain}.${string}`>>>
  /** Goes on with what ran when the app ended, and begins to sample. Not for a command. */
  start(): void
  /** The network is gone, or another gateway's: nothing of its webhooks stays. */
  forget(network: NetworkId): Promise<void>
  /** Ends what runs, to be gone on with. */
  stop(): Promise<void>
}

export function createSubscriptions(deps: SubscriptionsDeps): Subscriptions {
  const webhooks = createWebhooksPart({
    access: deps.access,
    webhooks: deps.store.webhooks,
    tokens: deps.tokens,
    receiver: () => ({ url: deps.receiverUrl(), publicUrl: deps.settings().receiver.publicUrl }),
    refuseWhileMoving: (network, id) => moves.refuse(network, id),
    onChanged: (network) => deps.emit('webhook.changed', { network }),
    now: deps.now,
  })
  const mirror = createMirror({
    ...deps,
    book: webhooks.book,
    onChanged: (network, changed) =>
      deps.emit('subscription.changed', { network, webhooks: changed }),
    breathe: () => setImmediate(),
  })
  const moves = createMovesPart({
    ...deps,
    moves: deps.store.moves,
    webhooks: deps.store.webhooks,
    book: webhooks.book,
    mirror,
    onMoved: () => undefined,
    emit: (move) => deps.emit('move.changed', { move }),
  })
  return {
    handlers: {
      ...webhooks.handlers,
      ...moves.handlers,
      ...createSubscriptionRoutes({ ...deps, mirror }),
    },
    start() {
      moves.start()
    },
    async forget(network) {
      await moves.forget(network)
      await mirror.forget(network)
      await webhooks.forget(network)
    },
    async stop() {
      await moves.stop()
      mirror.stop()
    },
  }
}
