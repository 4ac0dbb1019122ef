import { z } from 'zod'
import { meaningFacts } from './capture.ts'
import { accountRef, transactionAnswer } from './chain.ts'
import { invoiceDetail } from './invoice.ts'
import { networkId } from './network.ts'
import { captureId, microseconds, nothing, route } from './route.ts'

const captureMeaning = z.object({
  capture: captureId,
  /** Null where nothing tells whose delivery it is. */
  network: networkId.nullable(),
  /** How the network is known, in words: by its token, by its webhook's endpoint, by a person. */
  networkWhy: z.string().nullable(),
  facts: meaningFacts,
  account: accountRef.nullable(),
  sender: accountRef.nullable(),
  recipient: accountRef.nullable(),
  transaction: transactionAnswer.nullable(),
  /** The invoice it tells of (an invoice's delivery) or pays (a transaction's). */
  invoice: z
    .object({
      relation: z.enum(['told', 'paid']),
      /** What the delivery itself says, for one that tells of it; a claim. */
      told: z.object({ status: z.string(), units: z.string(), currency: z.string() }).nullable(),
      detail: invoiceDetail.nullable(),
      id: z.string(),
    })
    .nullable(),
  problem: z.string().nullable(),
})
export type CaptureMeaning = z.infer<typeof captureMeaning>

/** Moments of a delivery's way, in the order of time; absent ones are not known. */
const captureTimeline = z.array(
  z.object({
    at: microseconds,
    what: z.enum([
      'block',
      'arrived',
      'stored',
      'answered',
      'understood',
      'forward-queued',
      'forward-attempt',
      'replayed',
    ]),
    text: z.string(),
    ok: z.boolean(),
  }),
)
export type CaptureTimeline = z.infer<typeof captureTimeline>

const meaningProgress = z.object({
  /** Captures whose transactions are still to be asked for. */
  waiting: z.int(),
  /** Captures of which there is no hope to learn more: no network known, not found. */
  unavailable: z.int(),
  problem: z.string().nullable(),
})
export type MeaningProgress = z.infer<typeof meaningProgress>

export const meaningRoutes = {
  /** Asks the gateway where it is not known yet and can be. `again`: whatever is stored. */
  'meaning.get': route(
    z.object({ id: captureId, again: z.boolean().default(false) }),
    captureMeaning,
  ),
  'meaning.timeline': route(z.object({ id: captureId }), captureTimeline),
  'meaning.setNetwork': route(
    z.object({ ids: z.array(captureId).min(1).max(10_000), network: networkId.nullable() }),
    z.object({}),
  ),
  'meaning.progress': route(nothing, meaningProgress),
  'meaning.retry': route(nothing, meaningProgress),
} as const

export type MeaningEvents = {
  'meaning.progress': MeaningProgress
}
