import { z } from 'zod'
import { captureId, microseconds, returns, takes, byId, orNull } from './route.ts'
import { shownResponse, targetUrl } from './target.ts'

/**
 * `after`: the gateway gets its response at once; deliveries are retried across restarts until the
 * target responds 2xx, in lt order per account. `through`: the gateway gets the target's status
 * within a time limit.
 */
const forwardMode = z.enum(['after', 'through'])

const ruleFields = {
  name: z.string().trim().max(80).default(''),
  filter: z.string().max(2000).default(''),
  targets: z.array(targetUrl).min(1, 'Enter a target.').max(10, 'Enter at most ten targets.'),
  mode: forwardMode.default('after'),
  enabled: z.boolean().default(true),
  /** Sends the received `Host` header instead of the target's. */
  keepHost: z.boolean().default(false),
  /** Appends the path and query after the receiver's path to the target's path. */
  appendPath: z.boolean().default(false),
  timeoutSeconds: z.int().min(1).max(120).default(15),
  /** In the mode `through`, also returns the target's headers and body. */
  fullAnswer: z.boolean().default(false),
  /** In the mode `after`, deliveries fail for good after this time; null for never. */
  giveUpHours: orNull(
    z
      .int()
      .min(1)
      .max(24 * 30),
  ),
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
  conflicts: z.array(z.string()),
  health: z.array(targetHealth),
})
export type ForwardRule = z.infer<typeof forwardRule>

const forwardAttempt = z.object({ at: microseconds, answer: shownResponse })
export type ForwardAttempt = z.infer<typeof forwardAttempt>

const forwardDelivery = z.object({
  /** The value of the header `X-Tondesk-Delivery`, equal in each attempt. */
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

const delivery = { deliveryId: z.string() }

export const forwardRoutes = {
  'forwardRule.list': returns(z.array(forwardRule)),
  'forwardRule.save': takes({ id: orNull(z.int().positive()), ...ruleFields }).returns(forwardRule),
  'forwardRule.setEnabled': takes({ ...byId, enabled: z.boolean() }).returns(forwardRule),
  /** Drops the rule's waiting deliveries and returns their number as `waiting`. */
  'forwardRule.remove': takes(byId).returns({ waiting: z.int() }),
  'forwardRule.retryNow': takes(byId).returns(forwardRule),
  'forward.ofCapture': takes({ id: captureId }).returns(
    z.array(forwardDelivery.extend({ tries: z.array(forwardAttempt) })),
  ),
  'forward.list': takes({
    rule: orNull(z.int().positive()),
    state: orNull(z.enum(['waiting', 'delivered', 'dropped'])),
    before: orNull(z.int().positive()),
    limit: z.int().min(1).max(500).default(100),
  }).returns({ deliveries: z.array(forwardDelivery), nextBefore: z.int().positive().nullable() }),
  'forward.drop': takes(delivery).returns(forwardDelivery),
  /** Retries a delivery, even if it was dropped or delivered. */
  'forward.retry': takes(delivery).returns(forwardDelivery),
} as const
