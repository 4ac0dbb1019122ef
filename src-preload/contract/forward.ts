import { z } from 'zod'
import { captureId, microseconds, route } from './route.ts'
import { targetAnswer, targetUrl } from './target.ts'

/**
 * `after`: the gateway gets its answer at once; deliveries are kept and tried again until the target
 * answers 2xx, in lt order for each account, across restarts. `through`: the gateway gets the
 * target's own status, within a time limit.
 */
const forwardMode = z.enum(['after', 'through'])
export type ForwardMode = z.infer<typeof forwardMode>

const ruleFields = {
  name: z.string().trim().max(80).default(''),
  /** Of what is known on arrival: event, account, path, header, body, token… Empty: everything. */
  filter: z.string().max(2000).default(''),
  targets: z.array(targetUrl).min(1, 'Give a target.').max(10, 'At most ten targets.'),
  mode: forwardMode.default('after'),
  enabled: z.boolean().default(true),
  /** The target sees the `Host` of the request as it arrived, instead of its own. */
  keepHost: z.boolean().default(false),
  /** Path and query below the receiver's go after the target's own, and never above it. */
  appendPath: z.boolean().default(false),
  /** A try ends after this long. */
  timeoutSeconds: z.int().min(1).max(120).default(15),
  /**
   * `through`: answer with the target's headers and body as well, instead of its status alone.
   */
  fullAnswer: z.boolean().default(false),
  /** `after`: gives up after so long; null never does. */
  giveUpHours: z
    .int()
    .min(1)
    .max(24 * 30)
    .nullable()
    .default(null),
}

const targetHealth = z.object({
  url: z.string(),
  state: z.enum(['unknown', 'up', 'down']),
  waiting: z.int(),
  delivered: z.int(),
  dropped: z.int(),
  lastStatus: z.int().nullable(),
  lastProblem: z.string().nullable(),
  lastTriedAt: microseconds.nullable(),
  downSince: microseconds.nullable(),
  nextTryAt: microseconds.nullable(),
  medianUs: z.int().nullable(),
})

const forwardRule = z.object({
  id: z.int().positive(),
  ...ruleFields,
  createdAt: microseconds,
  problem: z.string().nullable(),
  /** Other rules that take the same deliveries to the same target. */
  conflicts: z.array(z.string()),
  health: z.array(targetHealth),
})
export type ForwardRule = z.infer<typeof forwardRule>

const forwardAttempt = z.object({
  at: microseconds,
  answer: targetAnswer,
})
export type ForwardAttempt = z.infer<typeof forwardAttempt>

const forwardDelivery = z.object({
  /** Sent as `X-Tondesk-Delivery`: the same in each try. */
  deliveryId: z.string(),
  capture: captureId,
  rule: z.int().positive(),
  ruleName: z.string(),
  target: z.string(),
  mode: forwardMode,
  state: z.enum(['waiting', 'sending', 'delivered', 'dropped']),
  why: z.string().nullable(),
  attempts: z.int(),
  nextTryAt: microseconds.nullable(),
  queuedAt: microseconds,
  finishedAt: microseconds.nullable(),
})
export type ForwardDelivery = z.infer<typeof forwardDelivery>

const one = z.object({ id: z.int().positive() })
const delivery = z.object({ deliveryId: z.string() })

export const forwardRoutes = {
  'forwardRule.list': route(z.undefined(), z.array(forwardRule)),
  'forwardRule.save': route(
    z.object({ id: z.int().positive().nullable().default(null), ...ruleFields }),
    forwardRule,
  ),
  'forwardRule.setEnabled': route(one.extend({ enabled: z.boolean() }), forwardRule),
  /** Its waiting deliveries are dropped with it; `waiting` says how many there were. */
  'forwardRule.remove': route(one, z.object({ waiting: z.int() })),
  'forwardRule.retryNow': route(one, forwardRule),
  /** Of one capture, each with its tries, newest try first. */
  'forward.ofCapture': route(
    z.object({ id: captureId }),
    z.array(forwardDelivery.extend({ tries: z.array(forwardAttempt) })),
  ),
  'forward.list': route(
    z.object({
      rule: z.int().positive().nullable().default(null),
      state: z.enum(['waiting', 'delivered', 'dropped']).nullable().default(null),
      before: z.int().positive().nullable().default(null),
      limit: z.int().min(1).max(500).default(100),
    }),
    z.object({ deliveries: z.array(forwardDelivery), nextBefore: z.int().positive().nullable() }),
  ),
  'forward.drop': route(delivery, forwardDelivery),
  /** One that was dropped or delivered waits again. */
  'forward.retry': route(delivery, forwardDelivery),
} as const

export type ForwardEvents = {
  'forwardRule.changed': { readonly rules: readonly ForwardRule[] }
  /** Deliveries of these captures changed; null: of many. At most four a second. */
  'forward.changed': { readonly captures: readonly number[] | null }
}
