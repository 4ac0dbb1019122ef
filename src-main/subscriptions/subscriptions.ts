/** Webhooks and subscriptions: managed, watched, and compared with what arrived. */
import type {
  Events,
  EventName,
  Handlers,
  NetworkId,
  ReceiverState,
  Settings,
} from '../../src-preload/contract/index.ts'
import type { SubscriptionStore } from '../store/subscriptions/subscription-store.ts'
import type { GatewayAccess } from './parts.ts'

export type SubscriptionsDeps = {
  readonly access: GatewayAccess
  readonly store: SubscriptionStore
  readonly settings: () => Settings
  readonly receiver: () => ReceiverState
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
  /** Ends what runs, to be gone on with. */
  stop(): Promise<void>
}

export function createSubscriptions(_deps: SubscriptionsDeps): Subscriptions {
  return {
    handlers: {},
    start: () => undefined,
    stop: () => Promise.resolve(),
  }
}
