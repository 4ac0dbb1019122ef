import { z } from 'zod'
import { networkId } from './network.ts'
import { returns } from './route.ts'

export const gatewayRoot = z.enum(['query', 'webhooks', 'invoices'])
export type GatewayRoot = z.infer<typeof gatewayRoot>

const milliseconds = z.int().nonnegative()

const rootTraffic = z.object({
  network: networkId,
  root: gatewayRoot,
  origin: z.string(),
  requests: z.int(),
  errors: z.int(),
  waiting: z.object({ interactive: z.int(), job: z.int() }),
  underWay: z.int(),
  /** Latency over the last few hundred responses. */
  latency: z.object({ p50: milliseconds, p95: milliseconds, max: milliseconds }).nullable(),
  limit: z.object({
    perSecond: z.number().nullable(),
    learnedFrom: z.enum(['none', 'keyless', 'plan', 'answers']),
    /** The time until which the gateway requested a pause. */
    pausedUntil: z.int().nullable(),
  }),
  lastError: z.object({ at: z.int(), message: z.string(), status: z.int().nullable() }).nullable(),
})
export type RootTraffic = z.infer<typeof rootTraffic>

/** One request without its key, its body and the values of its query. */
const sentRequest = z.object({
  at: z.int(),
  network: networkId,
  root: gatewayRoot,
  method: z.string(),
  path: z.string(),
  status: z.int().nullable(),
  milliseconds,
  tried: z.int(),
  error: z.string().nullable(),
})
export type SentRequest = z.infer<typeof sentRequest>

export const gatewayTraffic = z.object({
  roots: z.array(rootTraffic),
  recent: z.array(sentRequest),
})
export type GatewayTraffic = z.infer<typeof gatewayTraffic>

export const trafficRoutes = { 'traffic.read': returns(gatewayTraffic) } as const
