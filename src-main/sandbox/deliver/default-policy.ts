import type { DeliveryPolicy } from './delivery-queue.ts'

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
