import { z } from 'zod'
import { type NetworkId, networkId } from './network.ts'
import { route, captureId } from './route.ts'
import { lag } from './subscription.ts'
import { webhookId, webhookLog, webhookStatus } from './webhook.ts'

const moment = z.int()
const logicalTime = z.string().regex(/^\d+$/)
const account = z.string().regex(/^-?\d+:[0-9a-f]{64}$/)

/** Who reads the gateway's counters, so that they become history. One for each network. */
const samplerState = z.object({
  network: networkId,
  status: z.enum(['waiting', 'reading', 'paused', 'off']),
  lastAt: moment.nullable(),
  nextAt: moment.nullable(),
  /** Why it could not read, with the way out. */
  problem: z.string().nullable(),
  /** Requests of the last round, and rows still to be read of large sets. */
  requests: z.int(),
  rowsLeft: z.int(),
})
export type SamplerState = z.infer<typeof samplerState>

/** One step of a history. Null: no source told it then. */
const historyStep = z.object({
  startsAt: moment,
  /** Growth of the counters of failed attempts. */
  failedAttempts: z.int().nullable(),
  /** Accounts failing at the worst moment. */
  failing: z.int().nullable(),
  /** Deliveries by the gateway's usage figures; all webhooks of the key together. */
  delivered: z.int().nullable(),
  failed: z.int().nullable(),
  /** Deliveries of this webhook, or account, that this receiver has taken (and refused). */
  received: z.int(),
  refused: z.int(),
  /** The worst of it. */
  status: webhookStatus.nullable(),
  /** Milliseconds behind the chain at the worst, of accounts whose lag was read. */
  lag: z.int().nullable(),
})
export type HistoryStep = z.infer<typeof historyStep>

/** A time without a delivery getting through, from the first failure seen to the success seen. */
const streak = z.object({
  webhook: webhookId,
  /** Null for the webhook as a whole. */
  account: z.string().nullable(),
  label: z.string().nullable(),
  from: moment,
  /** Null while it goes on. */
  to: moment.nullable(),
  failedAttempts: z.int(),
  failedLt: logicalTime.nullable(),
})
export type Streak = z.infer<typeof streak>

const failureSummary = z.object({
  /** Since when there is history; null when there is none. */
  since: moment.nullable(),
  failing: z.int(),
  /** When the present failing began. */
  began: moment.nullable(),
  failedAttempts: z.object({ hour: z.int(), day: z.int(), week: z.int() }),
  longest: streak.nullable(),
  current: z.array(streak),
  /** Most failed attempts within the span. */
  worst: z.array(
    z.object({ account: z.string(), label: z.string().nullable(), failedAttempts: z.int() }),
  ),
  slowest: z.array(z.object({ account: z.string(), label: z.string().nullable(), lag })),
})
export type FailureSummary = z.infer<typeof failureSummary>

/** What this receiver had to do with a delivery that failed. */
const seenHere = z.object({
  what: z.enum([
    /** The endpoint is not this receiver. */
    'elsewhere',
    /** No request of it came here, though it should have. */
    'nothing',
    'taken',
    /** 401: a wrong or missing bearer. */
    'unauthorized',
    /** 413 */
    'too-large',
    /** 408, or broken off. */
    'slow',
    'other',
  ]),
  /** What there is to say, in a sentence. */
  message: z.string(),
  captures: z.array(z.object({ id: captureId, receivedAt: z.int(), status: z.int().nullable() })),
})

/** Why an account's deliveries fail, as far as can be told from here. Parts that could not be read say so. */
const explanation = z.object({
  account: z.string(),
  label: z.string().nullable(),
  failedAt: moment.nullable(),
  failedLt: logicalTime.nullable(),
  failedAttempts: z.int(),
  /** Entries of the gateway's log nearest to the failure. */
  logs: z.array(webhookLog),
  logsProblem: z.string().nullable(),
  /** The transaction whose delivery failed. */
  transaction: z
    .object({ hash: z.string(), at: moment, sentence: z.string().nullable() })
    .nullable(),
  transactionProblem: z.string().nullable(),
  seen: seenHere,
  /** One sentence: what is the likely cause. */
  cause: z.string(),
  /** What to do, most useful first. */
  steps: z.array(
    z.object({
      text: z.string(),
      /** Where there is a button for it. */
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

const onNetwork = z.object({ network: networkId })
const ofWebhook = onNetwork.extend({ webhook: webhookId })
const span = { from: moment, to: moment }

export const failureRoutes = {
  'sampler.state': route(onNetwork, samplerState),
  /** A round now, whatever the clock says; ends when it is read. */
  'sampler.run': route(onNetwork, samplerState),
  /** Drawn from at most a few hundred steps. Without a webhook: of the network. */
  'failure.history': route(
    onNetwork.extend({
      webhook: webhookId.nullable().default(null),
      account: account.nullable().default(null),
      ...span,
      steps: z.int().min(1).max(400).default(120),
    }),
    z.object({
      /** Length of a step. */
      milliseconds: z.int(),
      steps: z.array(historyStep),
      /** Where figures come from, one sentence each. */
      sources: z.array(z.string()),
    }),
  ),
  'failure.summary': route(ofWebhook.extend({ ...span }), failureSummary),
  /** Longest first, or newest. */
  'failure.streaks': route(
    ofWebhook.extend({
      account: account.nullable().default(null),
      ...span,
      sort: z.enum(['newest', 'longest']).default('newest'),
      offset: z.int().nonnegative(),
      limit: z.int().min(1).max(500),
    }),
    z.object({ total: z.int(), streaks: z.array(streak) }),
  ),
  'failure.explain': route(ofWebhook.extend({ account }), explanation),
} as const

/** For the host: a notification of the system, where it has them. */
export type Notification = {
  /** Of the notice in the app. */
  readonly id: string
  /** Whose page it leads to. */
  readonly network: NetworkId
  readonly webhook: string
  readonly title: string
  readonly body: string
}

export type FailureEvents = {
  'sampler.changed': SamplerState
  /** History of these webhooks grew. */
  'failure.changed': { readonly network: string; readonly webhooks: readonly string[] }
  'notification.raised': Notification
}
