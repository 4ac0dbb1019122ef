import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'

const common = {
  root: z.enum(['query', 'webhooks', 'testnet-query', 'testnet-webhooks', 'invoices']),
  /** Share of the requests that meet the fault. */
  share: z.number().min(0).max(1).default(1),
}

export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({ ...common, kind: z.literal('delay'), delayMs: z.int().min(0).max(600_000) }),
  z.strictObject({ ...common, kind: z.literal('status'), status: z.int().min(400).max(599) }),
  z.strictObject({ ...common, kind: z.literal('reset') }),
  z.strictObject({
    ...common,
    kind: z.literal('rate-limit'),
    /** Per key; default: the service's limit without a key or with a free one. */
    perSecond: z.number().gt(0).max(100_000).optional(),
  }),
])

export type Fault = z.infer<typeof faultSchema>
export type FaultRoot = Fault['root']

type FaultVerdict = { readonly kind: 'status'; readonly status: number } | { kind: 'reset' }

export type Faults = {
  list(): readonly Fault[]
  set(faults: readonly Fault[]): void
  /**
   * Waits for delays, then returns what else the request meets.
   * @param caller its key; null without one
   */
  meet(root: FaultRoot, caller: string | null, signal: AbortSignal): Promise<FaultVerdict | null>
}

const anonymousPerSecond = 0.25
const freePerSecond = 1

/** @param now milliseconds of real time */
export function createFaults(now: () => number = () => performance.now()): Faults {
  let active: { readonly fault: Fault; owed: number; readonly buckets: Map<string, Bucket> }[] = []

  return {
    list: () => active.map(({ fault }) => fault),
    set(faults) {
      active = faults.map((fault) => ({ fault, owed: 0, buckets: new Map<string, Bucket>() }))
    },
    async meet(root, caller, signal) {
      for (const one of active) {
        const { fault } = one
        if (fault.root !== root) continue
        // Evenly spaced, not random: 0.25 is every fourth request.
        one.owed += fault.share
        if (one.owed < 1 - 1e-9) continue
        one.owed -= 1
        switch (fault.kind) {
          case 'delay':
            await wait(fault.delayMs, undefined, { signal }).catch(() => undefined)
            break
          case 'status':
            return { kind: 'status', status: fault.status }
          case 'reset':
            return { kind: 'reset' }
          case 'rate-limit': {
            const rate = fault.perSecond ?? (caller === null ? anonymousPerSecond : freePerSecond)
            if (!take(one.buckets, caller ?? '', rate, now())) {
              return { kind: 'status', status: 429 }
            }
          }
        }
      }
      return null
    },
  }
}

type Bucket = { tokens: number; at: number }

/** A bucket holds one second's requests, at least one. */
function take(buckets: Map<string, Bucket>, caller: string, rate: number, at: number): boolean {
  const most = Math.max(1, rate)
  const bucket = buckets.get(caller) ?? { tokens: most, at }
  bucket.tokens = Math.min(most, bucket.tokens + ((at - bucket.at) / 1000) * rate)
  bucket.at = at
  buckets.set(caller, bucket)
  if (bucket.tokens < 1) return false
  bucket.tokens -= 1
  return true
}
