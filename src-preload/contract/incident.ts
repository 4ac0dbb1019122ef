import { z } from 'zod'
import { networkId } from './network.ts'
import { byId, moment, orNull, page, takes } from './route.ts'

/**
 * The kind of problem. Webhooks: `lagging`, `failing`, `offline`, `suspended`, each including those before. Receiver:
 * `stopped`, `unwritable`. Disk: `low`. Watched account: `matched`. Everything else: `failing`.
 */
const incidentKind = z.enum([
  'lagging',
  'failing',
  'offline',
  'suspended',
  'stopped',
  'unwritable',
  'low',
  'matched',
])

/** A feature's report about a subject that does not work. */
const condition = z.object({
  kind: incidentKind,
  level: z.enum(['warning', 'alarm']),
  title: z.string(),
  cause: z.string(),
  nextStep: z.string(),
  /** The next step once the problem is over; shown in place of the next step before. */
  afterwards: z.string().optional(),
})
export type Condition = z.infer<typeof condition>

const incident = condition.omit({ afterwards: true }).extend({
  id: z.int().positive(),
  /** Null: the whole app. */
  network: networkId.nullable(),
  /**
   * `webhook:ID`, `target:RULE`, `receiver`, `tunnel`, `invoices`, `disk`, `watch:ID`. At most one
   * incident of a subject is open.
   */
  subject: z.string(),
  openedAt: moment,
  closedAt: moment.nullable(),
  /** Since when no failure has been seen. Null while it fails, and if it ended without a recovery. */
  wellSince: moment.nullable(),
  /** The number of failures since the incident began. */
  count: z.int(),
  snoozedUntil: z.union([moment, z.literal('fixed')]).nullable(),
})
export type Incident = z.infer<typeof incident>

export const incidentRoutes = {
  /**
   * Lists the incidents of the network and of the whole app; without a network, all. Open incidents come
   * with the most severe first.
   */
  'incident.list': takes({ network: orNull(networkId), open: z.boolean(), ...page }).returns({
    total: z.int(),
    incidents: z.array(incident),
  }),
  'incident.read': takes(byId).returns(incident),
  /** A snoozed incident is not shown above the pages. Null ends the snooze. */
  'incident.snooze': takes({
    ...byId,
    until: z.enum(['hour', 'day', 'fixed']).nullable(),
  }).returns(incident),
} as const

/** Raised once when an incident opens, grows or is over, for the desktop. */
export type Notification = Pick<Incident, 'network' | 'subject' | 'title'> & {
  /** `incident.` and the id of the incident. A later notification replaces an earlier one with the same id. */
  readonly id: string
  readonly body: string
  /** The problem is over. */
  readonly isOver: boolean
}
