import { z } from 'zod'
import { defaultPolicy } from './deliver/default-policy.ts'
import type { DeliveryPolicy } from './deliver/delivery-queue.ts'
import type { ControlStore } from './store/control.ts'

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
