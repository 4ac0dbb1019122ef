import { z } from 'zod'
import { networkId } from './network.ts'
import { captureId, route } from './route.ts'
import { webhookId } from './webhook.ts'

const moment = z.int()
const logicalTime = z.string().regex(/^\d+$/)
const account = z.string().regex(/^-?\d+:[0-9a-f]{64}$/)

/**
 * What became of one event, the first that applies:
 * `missing`: on the chain, and no delivery of it was taken here. `unauthenticated`: deliveries came,
 * none with the right token. `late`: taken, but longer after its block than the check allows.
 * `out-of-order`: taken after a later one of its account. `duplicate`: taken more than once.
 * `waiting`: too young to be called missing. `delivered`: taken once, in time and in order.
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

/** One check of "did I miss anything?": accounts of a webhook over a span. */
const missedCheck = z.object({
  id: z.int().positive(),
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
  state: z.enum(['running', 'paused', 'done', 'cancelled', 'failed']),
  problem: z.string().nullable(),
  accounts: z.int(),
  checked: z.int(),
  /** Whose history could not be read, with why in `ledger.accounts`. */
  unread: z.int(),
  events: z.int(),
  counts: verdictCounts,
  rate: z.number().nullable(),
  secondsLeft: z.number().nullable(),
})
export type MissedCheck = z.infer<typeof missedCheck>

const ledgerEvent = z.object({
  index: z.int().nonnegative(),
  account: z.string(),
  label: z.string().nullable(),
  lt: logicalTime,
  txHash: z.string(),
  at: moment,
  verdict,
  also: z.array(verdict),
  /** What the gateway's counters say of it. */
  gateway: z.enum(['delivered', 'failed', 'behind', 'unknown']),
  /** Deliveries of it here, received ones only; the first twenty. */
  captures: z.array(z.object({ id: captureId, receivedAt: z.int(), status: z.int().nullable() })),
  /** From block to first taken delivery. */
  delayMs: z.int().nullable(),
  /** It was rebuilt into this capture. */
  rebuilt: captureId.nullable(),
})
export type LedgerEvent = z.infer<typeof ledgerEvent>

const ledgerSchedule = z.object({
  network: networkId,
  webhook: webhookId,
  everyHours: z.int().min(1).max(168),
  lateAfterMs: z.int(),
  checkedTo: moment.nullable(),
  nextAt: moment.nullable(),
})
export type LedgerSchedule = z.infer<typeof ledgerSchedule>

const onNetwork = z.object({ network: networkId })
const ofWebhook = onNetwork.extend({ webhook: webhookId })
const job = z.object({ id: z.int().positive() })
const page = { offset: z.int().nonnegative(), limit: z.int().min(1).max(500) }
const filter = z.object({
  verdict: verdict.nullable().default(null),
  text: z.string().max(200).default(''),
  account: account.nullable().default(null),
})
const lateAfterMs = z.int().min(1000).max(86_400_000)

export const ledgerRoutes = {
  'ledger.start': route(
    ofWebhook.extend({
      accounts: z.union([
        z.object({ all: z.literal(true) }),
        z.object({ failing: z.literal(true) }),
        z.object({ list: z.array(account).min(1).max(10_000) }),
        z.object({ draft: z.string() }),
      ]),
      from: moment,
      to: moment.nullable().default(null),
      lateAfterMs: lateAfterMs.default(60_000),
    }),
    missedCheck,
  ),
  'ledger.list': route(onNetwork, z.array(missedCheck)),
  'ledger.get': route(job, missedCheck),
  'ledger.resume': route(job, missedCheck),
  'ledger.cancel': route(job, missedCheck),
  'ledger.remove': route(job, z.object({})),
  'ledger.events': route(
    job.extend({ filter: filter.prefault({}), ...page }),
    z.object({ total: z.int(), events: z.array(ledgerEvent) }),
  ),
  'ledger.histogram': route(
    job.extend({ steps: z.int().min(1).max(400).default(96) }),
    z.object({
      milliseconds: z.int(),
      steps: z.array(z.object({ startsAt: moment, counts: verdictCounts })),
    }),
  ),
  'ledger.accounts': route(
    job.extend({ only: z.enum(['missing', 'unread']).nullable().default(null), ...page }),
    z.object({
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
  ),
  /**
   * Puts missing events into the inspector, in exactly the form they are delivered in, marked as
   * rebuilt. What was rebuilt already is left.
   */
  'ledger.rebuild': route(
    job.extend({
      events: z.union([z.object({ all: z.literal(true) }), z.array(z.int()).min(1).max(10_000)]),
    }),
    z.object({ rebuilt: z.int(), captures: z.array(captureId) }),
  ),
  'ledger.schedules': route(onNetwork, z.array(ledgerSchedule)),
  'ledger.setSchedule': route(
    ofWebhook.extend({
      everyHours: z.int().min(1).max(168),
      lateAfterMs: lateAfterMs.default(60_000),
    }),
    ledgerSchedule,
  ),
  'ledger.removeSchedule': route(ofWebhook, z.object({})),
} as const

export type LedgerEvents = {
  'ledger.changed': { readonly checks: readonly MissedCheck[] }
  'ledger.removed': { readonly id: number }
}
