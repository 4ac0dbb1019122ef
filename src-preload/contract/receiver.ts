import { z } from 'zod'
import { microseconds, nothing, route } from './route.ts'

export const receiverState = z.object({
  status: z.enum(['listening', 'stopped', 'failed']),
  url: z.string().nullable(),
  port: z.int().nullable(),
  wantedPort: z.int().nullable(),
  /** The port was chosen on the command line for this run, in place of the setting. */
  isPortForRun: z.boolean(),
  problem: z.string().nullable(),
  /** False while captures cannot be written and deliveries are answered 503. */
  writable: z.boolean(),
  /** Since start: answered after commit, and turned away. */
  captured: z.int(),
  refused: z.int(),
})
export type ReceiverState = z.infer<typeof receiverState>

/** Requests refused before anything of them could be captured, since the start; in memory only. */
const receiverRefusals = z.object({
  total: z.int(),
  latest: z.array(
    z.object({
      at: microseconds,
      /** Null where the connection was closed without a response. */
      status: z.int().nullable(),
      reason: z.string(),
      peer: z.string(),
      /** The first bytes, tokens masked, bytes that are not printable as `\\xNN`. Empty where none are known. */
      start: z.string(),
    }),
  ),
})
export type ReceiverRefusals = z.infer<typeof receiverRefusals>

export const receiverRoutes = {
  'receiver.state': route(nothing, receiverState),
  'receiver.start': route(nothing, receiverState),
  'receiver.stop': route(nothing, receiverState),
  'receiver.refusals': route(nothing, receiverRefusals),
  'receiver.rotateToken': route(nothing, receiverState),
} as const

export type ReceiverEvents = {
  'receiver.changed': ReceiverState
  /** A request was refused before capture: `receiver.refusals` has it. */
  'receiver.refused': Record<string, never>
}
