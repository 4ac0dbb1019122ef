import { z } from 'zod'
import { networkId } from './network.ts'
import { byId, moment, orNull, page, takes } from './route.ts'

/**
 * The kind of problem. Webhooks: `lagging`, `failing`, `offline`, `suspended`, where each includes the kinds
 * before it. Receiver: `stopped`, `unwritable`. Disk: `low`. Watched account: `matched`. All others: `failing`.
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

/** A feature's report that something does not work. */
const condition = z.object({
  kind: incidentKind,
  level: z.enum(['warning', 'alarm']),
  title: z.string(),
  cause: z.string(),
  nextStep: z.string(),
  /** The next step after the problem has ended; replaces the earlier next step. */
  afterwards: z.string().optional(),
})
export type Condition = z.infer<typeof condition>

const incident = condition.omit({ afterwards: true }).extend({
  id: z.int().positive(),
  /** The network; null for the whole app. */
  network: networkId.nullable(),
  /**
   * `webhook:ID`, `target:RULE`, `receiver`, `tunnel`, `invoices`, `disk` or `watch:ID`. Each
   * subject has at most one open incident.
   */
  subject: z.string(),
  openedAt: moment,
  closedAt: moment.nullable(),
  /**
   * The time since which no failure has occurred. Null while failures occur, and if the incident
   * ended without a recovery.
   */
  wellSince: moment.nullable(),
  /** The number of failures since the incident began. */
  count: z.int(),
  snoozedUntil: z.union([moment, z.literal('fixed')]).nullable(),
})
export type Incident = z.infer<typeof incident>

export const incidentRoutes = {
  /**
   * Lists the incidents of the network and of the whole app; without a network, all incidents. The
   * most severe open incidents come first.
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

/** Emitted for the desktop when an incident opens, grows or ends. */
export type Notification = Pick<Incident, 'network' | 'subject' | 'title'> & {
  /** `incident.` and the id of the incident. A later notification with the same id replaces this one. */
  readonly id: string
  readonly body: string
  /** The problem is over. */
  readonly isOver: boolean
}
