import type { AppContext } from '../app/context.ts'
import type { Lag, MirrorState } from '../../src-preload/contract/subscription.ts'
import type { EventName, Events } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import type { Webhook } from '../../src-preload/contract/webhook.ts'
import type { Asking } from '../gateway/query.ts'
import type { SubscriptionStore } from './store/subscription-store.ts'
import type { Reading } from './sync/readings.ts'

/** A client uses the network's URL and key at the time of the request. */
export type GatewayAccess = Pick<
  AppContext['access'],
  'webhooks' | 'query' | 'interest' | 'info' | 'current'
>

export type WebhookRoom = Pick<
  AppContext,
  'chainNow' | 'files' | 'jobs' | 'labelsOf' | 'now' | 'onBug' | 'wait'
> & {
  readonly access: GatewayAccess
  readonly notices: Pick<AppContext['notices'], 'list' | 'raise' | 'clear'>
  readonly store: SubscriptionStore
  readonly book: WebhookBook
  readonly mirror: Mirror
  readonly settings: () => Settings
  readonly receiver: () => ReceiverState
  /** Known also while the receiver does not listen. */
  readonly receiverUrl: () => string
  /** @throws AppError WEBHOOK_MOVE_UNDER_WAY */
  readonly refuseWhileMoving: (network: NetworkId, webhook: string) => void
  /** Takes the list of `lookup.begin` as raw addresses. @throws AppError LOOKUP_DRAFT_UNKNOWN */
  readonly takeDraft: (
    id: string,
  ) => Promise<{ readonly network: NetworkId; readonly addresses: readonly string[] }>
  readonly emit: <N extends EventName>(name: N, payload: Events[N]) => void
}
export type Room<Needed extends keyof WebhookRoom> = Pick<WebhookRoom, Needed>

/** The webhooks as last read. Code that changes a webhook updates the book or calls `readAnew`. */
export type WebhookBook = {
  known(network: NetworkId): Webhook[]
  /** @throws AppError WEBHOOK_UNKNOWN */
  find(network: NetworkId, id: string): Webhook
  /**
   * Reads and stores the list, and updates the receiver's tokens. Concurrent calls share a request.
   * @throws AppError as the client does
   */
  read(network: NetworkId, asking?: Asking): Promise<Webhook[]>
  /** As `read`, but with a new request, which includes all changes made until now. */
  readAnew(network: NetworkId, asking?: Asking): Promise<Webhook[]>
  /**
   * Creates a webhook, or adopts an unused one of this endpoint that is not in `before`: the result of an
   * earlier call that was killed.
   * @throws AppError as the client does
   */
  create(network: NetworkId, endpoint: string, before: ReadonlySet<string>): Promise<Webhook>
  /** Deletes a webhook and its token; one that is gone is no error. @throws AppError */
  remove(network: NetworkId, id: string): Promise<void>
}

export type FollowedAccount = {
  readonly account: string
  readonly lastDeliveredLt: bigint
  readonly failedAt: number | null
  readonly failedLt: bigint | null
  readonly failedAttempts: number
  readonly isFailing: boolean
  readonly isWatched: boolean
  readonly lag: Lag | null
}

/** The local copy of account subscriptions. Addresses are raw; lists are sorted and begin after `after`. */
export type Mirror = {
  state(network: NetworkId, webhook: string): MirrorState
  /**
   * Resolves when the copy agrees with the gateway. Concurrent calls share a reading.
   * @throws AppError as the client does; the signal's reason
   */
  read(network: NetworkId, webhook: string, signal: AbortSignal): Promise<void>
  subscribed(network: NetworkId, webhook: string, accounts: readonly string[]): void
  unsubscribed(network: NetworkId, webhook: string, accounts: readonly string[]): void
  /** Discards the pass under way, because its rows belonged to another webhook until now. */
  beginAnew(network: NetworkId, webhook: string): void
  accounts(network: NetworkId, webhook: string, after: string, limit: number): string[]
  among(network: NetworkId, webhook: string, accounts: readonly string[]): Set<string>
  /** When the account was subscribed here, or first appeared in a complete reading; null where unknown. */
  since(network: NetworkId, webhook: string, account: string): number | null
  page(network: NetworkId, webhook: string, after: string, limit: number): FollowedAccount[]
  find(network: NetworkId, webhook: string, account: string): FollowedAccount | null
  /** Stores lags of failing or watched accounts, and the worst lag in the history. */
  saveLags(network: NetworkId, webhook: string, lags: ReadonlyMap<string, Lag>): void
  refresh(network: NetworkId, webhook: string): void
  cancelRefresh(network: NetworkId, webhook: string): void
  watch(network: NetworkId, webhook: string, accounts: readonly string[], watched: boolean): void
  /** The pass that is read in slices; null while all is read at once. `key` is the webhook's row. */
  slice(key: number): Reading | null
  drop(key: number): void
  forget(network: NetworkId): Promise<void>
  stop(): void
}

/** Observers run one after another as part of the round. Their errors go to `onBug`. */
export type RoundObserver = (network: NetworkId, signal: AbortSignal) => Promise<void>
