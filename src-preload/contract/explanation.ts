import { z } from 'zod'
import { explanationFacts } from './capture.ts'
import { accountRef } from './chain/references.ts'
import { transactionResult } from './chain/transaction.ts'
import { invoiceDetail } from './invoice.ts'
import { networkId } from './network.ts'
import { captureId, microseconds, returns, takes } from './route.ts'

const captureExplanation = z.object({
  capture: captureId,
  /** Null when the delivery's network is unknown. */
  network: networkId.nullable(),
  /** The reason for the network: the token, the endpoint, or the user's choice. */
  networkWhy: z.string().nullable(),
  facts: explanationFacts,
  account: accountRef.nullable(),
  sender: accountRef.nullable(),
  recipient: accountRef.nullable(),
  transaction: transactionResult.nullable(),
  /** The invoice that the delivery reports or that the transaction pays. */
  invoice: z
    .object({
      relation: z.enum(['told', 'paid']),
      /** The delivery's own unverified statement. */
      told: z.object({ status: z.string(), units: z.string(), currency: z.string() }).nullable(),
      detail: invoiceDetail.nullable(),
      id: z.string(),
    })
    .nullable(),
  problem: z.string().nullable(),
})
export type CaptureExplanation = z.infer<typeof captureExplanation>

/** Moments in order of time; unknown moments are omitted. */
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

const explanationProgress = z.object({
  waiting: z.int(),
  /** Captures without a known network, or whose transaction was not found. */
  unavailable: z.int(),
  problem: z.string().nullable(),
})
export type ExplanationProgress = z.infer<typeof explanationProgress>

export const explanationRoutes = {
  /** Requests unknown facts from the gateway; `again` also requests facts that are already stored. */
  'explanation.get': takes({ id: captureId, again: z.boolean().default(false) }).returns(
    captureExplanation,
  ),
  'explanation.timeline': takes({ id: captureId }).returns(captureTimeline),
  'explanation.setNetwork': takes({
    ids: z.array(captureId).min(1).max(10_000),
    network: networkId.nullable(),
  }).returns({}),
  'explanation.progress': returns(explanationProgress),
  'explanation.retry': returns(explanationProgress),
} as const
