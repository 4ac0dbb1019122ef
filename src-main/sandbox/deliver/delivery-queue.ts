import { z } from 'zod'
import type { DueSource } from '../clock.ts'
import type { ControlStore } from '../store/control.ts'

/** One event on its way to one endpoint. */
export type Delivery = {
  /** Whom it goes to, e.g. `webhook:12` or `invoices:3`; its owner describes it when it is due. */
  readonly target: string
  /** Deliveries of one lane of a target go one after another, in the order they were added. */
  readonly lane: string
  readonly eventType: string
  /** Null where the event is not about an account. */
  readonly accountId: string | null
  /** What of an event type was subscribed to, where that is more than the account: an opcode. */
  readonly topic?: string | null
  readonly lt: bigint | null
  /** Exactly as it is sent; JSON. */
  readonly body: string
}

/** A delivery in the queue, with how it has fared. Moments are milliseconds since the epoch. */
export type QueuedDelivery = Delivery & {
  readonly id: number
  readonly createdAt: number
  readonly attempts: number
  /** Null while its target is offline: it waits to be resumed. */
  readonly nextAttemptAt: number | null
  readonly lastError: string | null
}

export type TargetDescription = {
  readonly url: string
  /** Sent as `Authorization: Bearer …`; null for none. */
  readonly bearer: string | null
}

/**
 * Implemented by those who have endpoints; what they write joins the queue's own transaction. A
 * delivery that is dropped while it is under way is neither delivered nor failed.
 */
export type DeliveryTargets = {
  /** Null when it is gone: its deliveries are dropped. */
  describe(target: string): TargetDescription | null
  delivered(delivery: QueuedDelivery, at: number): void
  /**
   * @param attempts with this one
   * @param failingSince of the target as a whole: the first failure after the last success
   * @returns false to set the target offline: all of its deliveries wait for `resume`
   */
  failed(
    delivery: QueuedDelivery,
    attempts: number,
    message: string,
    at: number,
    failingSince: number,
  ): boolean
}

/** Settable by the control API; the defaults are ours, the real schedule is not public. */
export type DeliveryPolicy = {
  /** Waits after the first, second, … failure; the last one repeats. Milliseconds. */
  readonly retryDelaysMs: readonly number[]
  /** An endpoint that has not answered by then has failed. Real time, whatever the clock. */
  readonly timeoutMs: number
  /**
   * After so long of nothing but failures a webhook goes offline. There is an attempt at that very
   * moment, so that it is decided then and not at the retry after it.
   */
  readonly offlineAfterMs: number
  /** Under way at once to one target. */
  readonly concurrency: number
}

/** Deliveries of a target; with more than one condition, those that meet all. */
export type DropFilter = {
  readonly eventType?: string
  readonly accountId?: string
  readonly lane?: string
  readonly topic?: string
}

/**
 * At least once, in order within a lane; one target never waits for another.
 *
 * With a real clock it keeps its retries by itself and `runDue` only starts what is due: a scheduler
 * need not ask. With a virtual one what was just added starts by `wake`, retries by `runDue`.
 */
export type DeliveryQueue = DueSource & {
  /** To be called inside the transaction of what caused them. They start after `wake`. */
  add(deliveries: readonly Delivery[]): void
  /** After the commit, and once after a start: begins what is due. */
  wake(): void
  /** Sets a target offline: what there is for it waits for `resume`. */
  hold(target: string): void
  /** A target is back: its waiting deliveries are due now, oldest first, their attempts counted anew. */
  resume(target: string): void
  /** Forgets deliveries of a target; with a filter, those it names only. */
  drop(target: string, filter?: DropFilter): void
  /** For looking at: oldest first. One that waits behind another of its lane has that one's moment. */
  list(query: { limit: number; offset: number; target?: string }): readonly QueuedDelivery[]
  /** `failing` are those that were tried in vain, one at most for each lane. */
  count(): { waiting: number; failing: number }
  /** How many wait for each target that has any. */
  waitingByTarget(): ReadonlyMap<string, number>
  /** Resolves when nothing is due now and nothing is under way. */
  settled(): Promise<void>
  /**
   * Before the tables under it are replaced: ends the requests under way and begins no other until
   * `reload`. Resolves when the last of them has ended.
   */
  suspend(): Promise<void>
  /** Forgets what it has in memory: the tables under it were replaced. */
  reload(): void
  /** Lets requests under way end, or gives them up after a moment; what was not answered 200 stays. */
  close(): Promise<void>
}

/** Targets of several owners as one: `webhook:12` is the one called `webhook`'s. */
export function joinTargets(owners: Readonly<Record<string, DeliveryTargets>>): DeliveryTargets {
  const byName = new Map(Object.entries(owners))
  const ownerOf = (target: string) => byName.get(target.slice(0, target.indexOf(':')))
  return {
    describe: (target) => ownerOf(target)?.describe(target) ?? null,
    delivered: (delivery, at) => ownerOf(delivery.target)?.delivered(delivery, at),
    failed: (delivery, ...rest) => ownerOf(delivery.target)?.failed(delivery, ...rest) ?? true,
  }
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Ours: what the real service does is not public. */
export const defaultPolicy: DeliveryPolicy = {
  retryDelaysMs: [5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour],
  timeoutMs: 10 * second,
  offlineAfterMs: 24 * hour,
  concurrency: 8,
}

/** How long to wait after so many failures of one delivery; never nothing at all, or it would not end. */
export function retryDelay({ retryDelaysMs }: DeliveryPolicy, attempts: number): number {
  return Math.max(1, retryDelaysMs[attempts - 1] ?? retryDelaysMs.at(-1) ?? hour)
}

/** What may be set of how deliveries are made. */
export const policyChange = z
  .strictObject({
    retryDelaysMs: z.array(z.int().min(0).max(604_800_000)).min(1).max(20),
    timeoutMs: z.int().min(100).max(120_000),
    offlineAfterMs: z.int().min(1000).max(31_536_000_000),
    concurrency: z.int().min(1).max(1000),
  })
  .partial()

/** How deliveries are made, on both networks. */
export type Policy = {
  readonly get: () => DeliveryPolicy
  change(change: z.infer<typeof policyChange>): DeliveryPolicy
  reload(): void
}

export function createPolicy(store: ControlStore): Policy {
  let current = read()

  function read(): DeliveryPolicy {
    return { ...defaultPolicy, ...(store.get('policy') as Partial<DeliveryPolicy> | undefined) }
  }

  return {
    get: () => current,
    change(change) {
      // Only what was set is kept: a default that a later version changes is then that of all.
      store.set('policy', { ...(store.get('policy') as object | undefined), ...change })
      current = read()
      return current
    },
    reload() {
      current = read()
    },
  }
}
