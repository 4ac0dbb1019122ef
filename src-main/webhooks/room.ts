/** What the parts of this room share. */
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

/** What this room needs of the networks. A client goes by the URL and key of the moment. */
export type GatewayAccess = Pick<
  AppContext['access'],
  'webhooks' | 'query' | 'interest' | 'info' | 'current'
>

/** What a part of this room may need of the app and of the other parts. */
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
  /** The receiver's own URL, also while it does not listen. */
  readonly receiverUrl: () => string
  /** @throws AppError WEBHOOK_MOVE_UNDER_WAY when the webhook is part of a move that is not over */
  readonly refuseWhileMoving: (network: NetworkId, webhook: string) => void
  /**
   * Raw addresses of a list of `lookup.begin`; with that it is forgotten.
   * @throws AppError LOOKUP_DRAFT_UNKNOWN
   */
  readonly takeDraft: (
    id: string,
  ) => Promise<{ readonly network: NetworkId; readonly addresses: readonly string[] }>
  readonly emit: <N extends EventName>(name: N, payload: Events[N]) => void
}
export type Room<Needed extends keyof WebhookRoom> = Pick<WebhookRoom, Needed>

/** The webhooks as last read. Whoever changes one tells it here, or has it read anew. */
export type WebhookBook = {
  /** Newest first. */
  known(network: NetworkId): Webhook[]
  /** @throws AppError WEBHOOK_UNKNOWN */
  find(network: NetworkId, id: string): Webhook
  /**
   * Asks the gateway for the list, keeps it, learns the tokens that this receiver is to check by, and
   * tells of it. One under way for the same network is shared.
   * @throws AppError as the client does
   */
  read(network: NetworkId, asking?: Asking): Promise<Webhook[]>
  /**
   * As `read`, but never by a question that was asked before: what was changed until now shows in it.
   * @throws AppError as the client does
   */
  readAnew(network: NetworkId, asking?: Asking): Promise<Webhook[]>
  /**
   * Creates one, keeps its token, and reads the list anew. Never twice: a webhook of this endpoint that
   * is not in `before`, and is subscribed to nothing, is taken for the one that an earlier call has made.
   * @param before ids that there were when it was decided on, kept by whoever may be killed meanwhile
   * @throws AppError as the client does
   */
  create(network: NetworkId, endpoint: string, before: ReadonlySet<string>): Promise<Webhook>
  /**
   * Deletes one with its subscriptions; its token goes. One that is gone already is no failure.
   * @throws AppError as the client does
   */
  remove(network: NetworkId, id: string): Promise<void>
}

/** A failing or watched account of a webhook, as the local copy has it. */
export type FollowedAccount = {
  /** Raw form. */
  readonly account: string
  readonly lastDeliveredLt: bigint
  readonly failedAt: number | null
  readonly failedLt: bigint | null
  readonly failedAttempts: number
  readonly isFailing: boolean
  readonly isWatched: boolean
  readonly lag: Lag | null
}

/** The local copy of account subscriptions. Reading goes page by page, as a job. */
export type Mirror = {
  state(network: NetworkId, webhook: string): MirrorState
  /**
   * Reads all of them. Resolves when the copy agrees with the gateway: pages that shifted meanwhile
   * have been read again. One under way for the same webhook is shared.
   * @throws AppError as the client does; the signal's reason
   */
  read(network: NetworkId, webhook: string, signal: AbortSignal): Promise<void>
  /** The gateway has just taken this: the copy follows without being read. Raw addresses. */
  subscribed(network: NetworkId, webhook: string, accounts: readonly string[]): void
  unsubscribed(network: NetworkId, webhook: string, accounts: readonly string[]): void
  /** What was read of it by pages so far counts no more: its rows were another webhook's until now. */
  beginAnew(network: NetworkId, webhook: string): void
  /** Raw addresses in their order, those after `after`. */
  accounts(network: NetworkId, webhook: string, after: string, limit: number): string[]
  /** Of these, the ones that the copy holds. */
  among(network: NetworkId, webhook: string, accounts: readonly string[]): Set<string>
  /**
   * Since when the webhook hears of the account: when it was subscribed from here, or when a read
   * first showed it where a complete one before had not. Null where that is not known.
   */
  since(network: NetworkId, webhook: string, account: string): number | null
  /** Failing or watched ones in the order of their raw addresses, those after `after`. */
  page(network: NetworkId, webhook: string, after: string, limit: number): FollowedAccount[]
  /** Any account of the copy; null when it holds no such. */
  find(network: NetworkId, webhook: string, account: string): FollowedAccount | null
  /**
   * Keeps them with the accounts and, the worst of them, in the history. By raw address. An account
   * that is neither failing nor watched any more has no lag.
   */
  saveLags(network: NetworkId, webhook: string, lags: ReadonlyMap<string, Lag>): void
  /** Reads in the background; how it goes is told by `state`. */
  refresh(network: NetworkId, webhook: string): void
  cancelRefresh(network: NetworkId, webhook: string): void
  watch(network: NetworkId, webhook: string, accounts: readonly string[], watched: boolean): void
  /** The pass under way over a webhook of this row, for who reads a slice at a time; null while it is read in one go. */
  slice(key: number): Reading | null
  /** Nothing of that webhook is read on. */
  drop(key: number): void
  /** With all rows of its webhooks. */
  forget(network: NetworkId): Promise<void>
  stop(): void
}

/**
 * Called by the sampler when a round of a network has been read, one observer after another. A round
 * ends with its observers; what one throws is a bug, told to `onBug`, and ends no round.
 */
export type RoundObserver = (network: NetworkId, signal: AbortSignal) => Promise<void>
