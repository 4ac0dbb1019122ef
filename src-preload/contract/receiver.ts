import { z } from 'zod'
import { microseconds, returns } from './route.ts'

const receiverState = z.object({
  status: z.enum(['listening', 'stopped', 'failed']),
  url: z.string().nullable(),
  port: z.int().nullable(),
  wantedPort: z.int().nullable(),
  isPortForRun: z.boolean(),
  problem: z.string().nullable(),
  /** False while captures cannot be written, so that deliveries get 503. */
  writable: z.boolean(),
  captured: z.int(),
  refused: z.int(),
})
export type ReceiverState = z.infer<typeof receiverState>

/** Requests refused before they were captured, since the start; kept in memory only. */
const receiverRefusals = z.object({
  total: z.int(),
  latest: z.array(
    z.object({
      at: microseconds,
      /** Null if the connection was closed without a response. */
      status: z.int().nullable(),
      reason: z.string(),
      peer: z.string(),
      /** The first bytes, with masked tokens and unprintable bytes as `\\xNN`. Empty if unknown. */
      start: z.string(),
    }),
  ),
})
export type ReceiverRefusals = z.infer<typeof receiverRefusals>

export const receiverRoutes = {
  'receiver.state': returns(receiverState),
  'receiver.start': returns(receiverState),
  'receiver.stop': returns(receiverState),
  'receiver.refusals': returns(receiverRefusals),
  'receiver.rotateToken': returns(receiverState),
} as const
