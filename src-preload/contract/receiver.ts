import { z } from 'zod'
import { nothing, route } from './route.ts'

export const receiverState = z.object({
  status: z.enum(['listening', 'stopped', 'failed']),
  /** The full URL to post to, token included; null unless listening. */
  url: z.string().nullable(),
  port: z.int().nullable(),
  /** Port asked for in the settings, where it was taken and another is used. */
  wantedPort: z.int().nullable(),
  /** The port was chosen on the command line for this run, in place of the setting. */
  isPortForRun: z.boolean(),
  /** Why it is not listening, with the way out. */
  problem: z.string().nullable(),
  /** False while captures cannot be written and deliveries are answered 503. */
  writable: z.boolean(),
  /** Since start: answered after commit, and turned away. */
  captured: z.int(),
  refused: z.int(),
})
export type ReceiverState = z.infer<typeof receiverState>

export const receiverRoutes = {
  'receiver.state': route(nothing, receiverState),
  'receiver.start': route(nothing, receiverState),
  'receiver.stop': route(nothing, receiverState),
  /** Gives the receiver a new URL; the old one answers 404 from then on. */
  'receiver.rotateToken': route(nothing, receiverState),
} as const

export type ReceiverEvents = {
  'receiver.changed': ReceiverState
}

export const receiverCodes = {
  portTaken: 'PORT_TAKEN',
  listenFailed: 'LISTEN_FAILED',
} as const
