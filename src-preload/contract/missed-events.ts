import { z } from 'zod'
import { jobFields } from './lookup.ts'
import { networkId, onNetwork } from './network.ts'
import { captureId, takes, moment, logicalTime, rawAddress, byId, page, orNull } from './route.ts'
import { webhookId, ofWebhook } from './webhook.ts'

/**
 * The result for one event; the first that applies. `missing`: on the chain, but no delivery was accepted
 * here. `unauthenticated`: no delivery had the right token. `late`: accepted after the delay that the check
 * allows. `out-of-order`: accepted after a later event of its account. `duplicate`: accepted more than
 * once. `waiting`: too new to count as missing. `delivered`: accepted once, in time and in order.
 */
export const verdict = z.enum([
  'delivered',
  'missing',
  'late',
  'duplicate',
  'out-of-order',
  'unauthenticated',
  'waiting',
])
export type Verdict = z.infer<typeof verdict>

const verdictCounts = z.record(verdict, z.int())

export const missedCheck = z.object({
  ...jobFields,
  network: networkId,
  webhook: webhookId,
  endpoint: z.string(),
  isHere: z.boolean(),
  from: moment,
  to: moment,
  lateAfterMs: z.int(),
  createdAt: moment,
  finishedAt: moment.nullable(),
  isScheduled: z.boolean(),
  accounts: z.int(),
  checked: z.int(),
  /** Number of accounts whose history could not be read; `missedEvents.accounts` has the reasons. */
  unread: z.int(),
  events: z.int(),
  counts: verdictCounts,
})
export type MissedCheck = z.infer<typeof missedCheck>

const missedEvent = z.object({
  index: z.int().nonnegative(),
  account: z.string(),
  label: z.string().nullable(),
  lt: logicalTime,
  txHash: z.string(),
  at: moment,
  verdict,
  also: z.array(verdict),
  gateway: z.enum(['delivered', 'failed', 'behind', 'unknown']),
  /** The first twenty deliveries that were received. */
  captures: z.array(z.object({ id: captureId, receivedAt: z.int(), status: z.int().nullable() })),
  /** The number of milliseconds from the block to the first accepted delivery. */
  delayMs: z.int().nullable(),
  rebuilt: captureId.nullable(),
})
export type MissedEvent = z.infer<typeof missedEvent>

const missedEventSchedule = z.object({
  network: networkId,
  webhook: webhookId,
  everyHours: z.int().min(1).max(168),
  lateAfterMs: z.int(),
  checkedTo: moment.nullable(),
  nextAt: moment.nullable(),
})
export type MissedEventSchedule = z.infer<typeof missedEventSchedule>

const filter = z.object({
  verdict: orNull(verdict),
  text: z.string().max(200).default(''),
  account: orNull(rawAddress),
})
const lateAfterMs = z.int().min(1000).max(86_400_000)

export const missedEventRoutes = {
  'missedEvents.start': takes({
    ...ofWebhook,
    accounts: z.union([
      z.object({ all: z.literal(true) }),
      z.object({ failing: z.literal(true) }),
      z.object({ list: z.array(rawAddress).min(1).max(10_000) }),
      z.object({ draft: z.string() }),
    ]),
    from: moment,
    to: orNull(moment),
    lateAfterMs: lateAfterMs.default(60_000),
  }).returns(missedCheck),
  'missedEvents.events': takes({ ...byId, filter: filter.prefault({}), ...page }).returns({
    total: z.int(),
    events: z.array(missedEvent),
  }),
  'missedEvents.histogram': takes({ ...byId, steps: z.int().min(1).max(400).default(96) }).returns({
    milliseconds: z.int(),
    steps: z.array(z.object({ startsAt: moment, counts: verdictCounts })),
  }),
  'missedEvents.accounts': takes({
    ...byId,
    only: orNull(z.enum(['missing', 'unread'])),
    ...page,
  }).returns({
    total: z.int(),
    accounts: z.array(
      z.object({
        account: z.string(),
        label: z.string().nullable(),
        events: z.int(),
        missing: z.int(),
        problem: z.string().nullable(),
      }),
    ),
  }),
  /**
   * Stores missing events as captures in the exact form of a delivery, marked as rebuilt. Events
   * that were rebuilt before are skipped.
   */
  'missedEvents.rebuild': takes({
    ...byId,
    events: z.union([z.object({ all: z.literal(true) }), z.array(z.int()).min(1).max(10_000)]),
  }).returns({ rebuilt: z.int(), captures: z.array(captureId) }),
  'missedEvents.schedules': takes(onNetwork).returns(z.array(missedEventSchedule)),
  'missedEvents.setSchedule': takes({
    ...ofWebhook,
    everyHours: z.int().min(1).max(168),
    lateAfterMs: lateAfterMs.default(60_000),
  }).returns(missedEventSchedule),
  'missedEvents.removeSchedule': takes(ofWebhook).returns({}),
} as const
