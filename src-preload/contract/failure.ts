import { z } from 'zod'
import { networkId, onNetwork } from './network.ts'
import { captureId, takes, moment, logicalTime, rawAddress, orNull } from './route.ts'
import { lag } from './subscription.ts'
import { webhookId, webhookLog, webhookStatus, ofWebhook } from './webhook.ts'

const samplerState = z.object({
  network: networkId,
  status: z.enum(['waiting', 'reading', 'paused', 'off']),
  lastAt: moment.nullable(),
  nextAt: moment.nullable(),
  problem: z.string().nullable(),
  requests: z.int(),
  rowsLeft: z.int(),
})
export type SamplerState = z.infer<typeof samplerState>

/** One step of a history. A value is null if no source reported it for this step. */
const historyStep = z.object({
  startsAt: moment,
  failedAttempts: z.int().nullable(),
  failing: z.int().nullable(),
  /** The number in the gateway's usage statistics, over all webhooks of the key. */
  delivered: z.int().nullable(),
  failed: z.int().nullable(),
  /** Number of deliveries that this receiver accepted or refused. */
  received: z.int(),
  refused: z.int(),
  status: webhookStatus.nullable(),
  /** The largest lag in milliseconds among the accounts whose lag was read. */
  lag: z.int().nullable(),
})
export type HistoryStep = z.infer<typeof historyStep>

const streak = z.object({
  webhook: webhookId,
  account: z.string().nullable(),
  label: z.string().nullable(),
  from: moment,
  to: moment.nullable(),
  failedAttempts: z.int(),
  failedLt: logicalTime.nullable(),
})
export type Streak = z.infer<typeof streak>

const failureSummary = z.object({
  since: moment.nullable(),
  failing: z.int(),
  began: moment.nullable(),
  current: z.array(streak),
  slowest: z.array(z.object({ account: z.string(), label: z.string().nullable(), lag })),
})
export type FailureSummary = z.infer<typeof failureSummary>

/** Failed attempts of a webhook, from captures and from the gateway's log. */
const deliveryErrors = z.object({
  total: z.int(),
  /** False if there are more failures than were counted. */
  isWhole: z.boolean(),
  groups: z.array(
    z.object({
      /** An HTTP status, or what kept the response from arriving. */
      cause: z.string(),
      /** The cause in words: `500 Internal Server Error`. */
      text: z.string(),
      account: z.string().nullable(),
      label: z.string().nullable(),
      count: z.int(),
      firstAt: moment,
      lastAt: moment,
      /** The newest capture; null if no attempt of the group was captured. */
      capture: captureId.nullable(),
    }),
  ),
  moreGroups: z.int(),
})
export type DeliveryErrors = z.infer<typeof deliveryErrors>

const seenHere = z.object({
  /**
   * `elsewhere`: the endpoint is not this receiver. `nothing`: no request arrived although one was
   * expected.
   */
  what: z.enum(['elsewhere', 'nothing', 'taken', 'unauthorized', 'too-large', 'slow', 'other']),
  message: z.string(),
  captures: z.array(z.object({ id: captureId, receivedAt: z.int(), status: z.int().nullable() })),
})

const explanation = z.object({
  account: z.string(),
  label: z.string().nullable(),
  failedAt: moment.nullable(),
  failedLt: logicalTime.nullable(),
  failedAttempts: z.int(),
  logs: z.array(webhookLog),
  logsProblem: z.string().nullable(),
  transaction: z
    .object({ hash: z.string(), at: moment, sentence: z.string().nullable() })
    .nullable(),
  transactionProblem: z.string().nullable(),
  seen: seenHere,
  cause: z.string(),
  steps: z.array(
    z.object({
      text: z.string(),
      act: z
        .enum([
          'back-online',
          'start-receiver',
          'receiver-settings',
          'sandbox-settings',
          'move',
          'rotate-token',
          'check-missed',
          'open-capture',
          'open-transaction',
        ])
        .nullable(),
    }),
  ),
})
export type Explanation = z.infer<typeof explanation>

const span = { from: moment, to: moment }

export const failureRoutes = {
  'sampler.state': takes(onNetwork).returns(samplerState),
  /** Polls the gateway now, and resolves when the counters are stored. */
  'sampler.run': takes(onNetwork).returns(samplerState),
  /** Returns at most a few hundred steps. Without a webhook, the steps are about the whole network. */
  'failure.history': takes({
    ...onNetwork,
    webhook: orNull(webhookId),
    account: orNull(rawAddress),
    ...span,
    steps: z.int().min(1).max(400).default(120),
  }).returns({ milliseconds: z.int(), steps: z.array(historyStep) }),
  'failure.summary': takes(ofWebhook).returns(failureSummary),
  'failure.streaks': takes({
    ...ofWebhook,
    account: orNull(rawAddress),
    ...span,
    sort: z.enum(['newest', 'longest']).default('newest'),
    offset: z.int().nonnegative(),
    limit: z.int().min(1).max(500),
  }).returns({
    total: z.int(),
    streaks: z.array(streak),
    /** The offset of the next page. */
    next: z.int().nullable(),
  }),
  'failure.errors': takes({ ...ofWebhook, ...span }).returns(deliveryErrors),
  'failure.explain': takes({ ...ofWebhook, account: rawAddress }).returns(explanation),
} as const
