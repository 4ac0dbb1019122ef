import type { z } from 'zod'
import type { policyChange } from '../../../src-preload/contract/sandbox-control.ts'
import type { ControlStore } from '../store/database.ts'

export type Delivery = {
  readonly target: string
  /** Deliveries of one `lane` are sent in sequence, in the order in which they were added. */
  readonly lane: string
  readonly eventType: string
  readonly accountId: string | null
  readonly topic?: string | null
  readonly lt: bigint | null
  readonly body: string
}

/** Times are milliseconds. */
export type QueuedDelivery = Delivery & {
  readonly id: number
  readonly createdAt: number
  readonly attempts: number
  readonly nextAttemptAt: number | null
  readonly lastError: string | null
}

export type TargetDescription = {
  readonly url: string
  /** Sent as `Authorization: Bearer …`; null for no token. */
  readonly bearer: string | null
}

/**
 * The owner of endpoints, whose writes join the queue's transaction. A delivery that is dropped
 * while it is being sent is neither delivered nor failed.
 */
export type DeliveryTargets = {
  /** Returns null if the target was deleted; its deliveries are then dropped. */
  describe(target: string): TargetDescription | null
  delivered(delivery: QueuedDelivery, at: number): void
  /**
   * @param failingSince the first failure after the target's last success
   * @returns false to set the target offline until `resume`
   */
  failed(
    delivery: QueuedDelivery,
    attempts: number,
    message: string,
    at: number,
    failingSince: number,
  ): boolean
}

/** The control API can change these values. The real service's schedule is not public. */
export type DeliveryPolicy = {
  /** The number of milliseconds to wait after each failure; the last value repeats. */
  readonly retryDelaysMs: readonly number[]
  readonly timeoutMs: number
  /** A webhook that fails for this long goes offline; an attempt is made at exactly that time. */
  readonly offlineAfterMs: number
  readonly concurrency: number
}

export type DropFilter = {
  readonly eventType?: string
  readonly accountId?: string
  readonly lane?: string
  readonly topic?: string
}

/** Combines the owners of targets: `webhook:12` belongs to `webhook`. */
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

export const defaultPolicy: DeliveryPolicy = {
  retryDelaysMs: [5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour],
  timeoutMs: 10 * second,
  offlineAfterMs: 24 * hour,
  concurrency: 8,
}

/** The delay is at least 1 ms, so that retries cannot loop without a pause. */
export const retryDelay = ({ retryDelaysMs }: DeliveryPolicy, attempts: number): number =>
  Math.max(1, retryDelaysMs[attempts - 1] ?? retryDelaysMs.at(-1) ?? hour)

export type Policy = ReturnType<typeof createPolicy>

export function createPolicy(store: ControlStore) {
  let current = read()

  function read(): DeliveryPolicy {
    return { ...defaultPolicy, ...(store.get('policy') as Partial<DeliveryPolicy> | undefined) }
  }

  return {
    get: () => current,
    change(change: z.infer<typeof policyChange>): DeliveryPolicy {
      // Only changed values are stored, so that later defaults apply.
      store.set('policy', { ...(store.get('policy') as object | undefined), ...change })
      current = read()
      return current
    },
    reload(): void {
      current = read()
    },
  }
}
