import { z } from 'zod'
import { captureId, microseconds, returns, takes } from './route.ts'

export const tunnelAgent = z.enum(['ngrok', 'cloudflared'])
export type TunnelAgent = z.infer<typeof tunnelAgent>

const foundTunnel = z.object({
  agent: tunnelAgent,
  publicUrl: z.string(),
  localUrl: z.string().nullable(),
  isOurs: z.boolean().nullable(),
})
export type FoundTunnel = z.infer<typeof foundTunnel>

const tunnelStep = z.object({
  name: z.enum(['resolve', 'connect', 'arrive', 'answer']),
  state: z.enum(['done', 'failed', 'skipped']),
  text: z.string(),
  durationUs: z.int().nullable(),
})

const tunnelCheck = z.object({
  url: z.string(),
  at: microseconds,
  ok: z.boolean(),
  steps: z.array(tunnelStep),
  via: z.array(z.object({ source: z.string(), value: z.string() })),
  problem: z.string().nullable(),
})
export type TunnelCheck = z.infer<typeof tunnelCheck>

const tunnelState = z.object({
  publicUrl: z.string().nullable(),
  /** `by-hand`: entered by the user. `found`: reported by an agent, and updated when it changes. */
  source: z.enum(['none', 'by-hand', 'found']),
  found: z.array(foundTunnel),
  check: tunnelCheck.nullable(),
  /** The previous URL while webhooks still use it; the window offers to move them. */
  former: z
    .object({
      publicUrl: z.string(),
      webhooks: z.array(z.object({ network: z.string(), webhook: z.string() })),
    })
    .nullable(),
  asked: z.array(z.object({ agent: tunnelAgent, address: z.string(), answer: z.string() })),
})
export type TunnelState = z.infer<typeof tunnelState>

const testDelivery = z.object({
  kind: z.string(),
  title: z.string(),
  auth: z.enum(['right', 'wrong', 'none']),
  expected: z.string(),
  status: z.int().nullable(),
  durationUs: z.int(),
  capture: captureId.nullable(),
  via: z.array(z.object({ source: z.string(), value: z.string() })),
  ok: z.boolean(),
  problem: z.string().nullable(),
})
export type TestDelivery = z.infer<typeof testDelivery>

export const tunnelRoutes = {
  'tunnel.state': returns(tunnelState),
  'tunnel.detect': returns(tunnelState),
  /** Uses a found URL as the public URL and keeps it up to date. */
  'tunnel.use': takes({ publicUrl: z.string().max(500) }).returns(tunnelState),
  'tunnel.check': returns(tunnelState),
  'tunnel.forgetPrevious': returns(tunnelState),
  'tunnel.instructions': returns(
    z.array(z.object({ agent: z.string(), text: z.string(), command: z.string() })),
  ),
  'tunnel.testDelivery': takes({ direct: z.boolean().default(false) }).returns({
    url: z.string(),
    deliveries: z.array(testDelivery),
  }),
} as const
