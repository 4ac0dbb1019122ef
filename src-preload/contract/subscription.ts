import { z } from 'zod'
import { exportFile, jobFields } from './lookup.ts'
import { networkId, onNetwork } from './network.ts'
import { takes, moment, logicalTime, rawAddress, byId, page, orNull } from './route.ts'
import { webhookId, ofWebhook } from './webhook.ts'

export const lag = z.object({
  /** Number of undelivered transactions on the chain; null if they were not counted. */
  transactions: z.int().nullable(),
  more: z.boolean(),
  /** The age of the oldest undelivered transaction, or at least of the newest one. */
  milliseconds: z.int().nullable(),
  readAt: moment,
})
export type Lag = z.infer<typeof lag>

const subscription = z.object({
  account: z.string(),
  label: z.string().nullable(),
  lastDeliveredLt: logicalTime,
  failedAt: moment.nullable(),
  failedLt: logicalTime.nullable(),
  failedAttempts: z.int(),
  /** True until the event of `failedLt` is delivered. */
  isFailing: z.boolean(),
  failingSince: moment.nullable(),
  /** Set only for failing and watched accounts. */
  lag: lag.nullable(),
  isWatched: z.boolean(),
  spark: z.array(z.int()),
  readAt: moment,
})
export type Subscription = z.infer<typeof subscription>

const subscriptionFilter = z.object({
  text: z.string().max(200).default(''),
  only: orNull(z.enum(['failing', 'watched', 'behind', 'never-delivered'])),
})
export type SubscriptionFilter = z.infer<typeof subscriptionFilter>

const subscriptionSort = z.object({
  by: z
    .enum(['account', 'label', 'lastDeliveredLt', 'failedAt', 'failedLt', 'failedAttempts', 'lag'])
    .default('failedAttempts'),
  descending: z.boolean().default(true),
})
export type SubscriptionSort = z.infer<typeof subscriptionSort>

const mirrorState = z.object({
  readAt: moment.nullable(),
  reading: z.object({ rows: z.int(), expected: z.int().nullable() }).nullable(),
  problem: z.string().nullable(),
})
export type MirrorState = z.infer<typeof mirrorState>

export const change = z.object({
  ...jobFields,
  network: networkId,
  kind: z.enum(['add', 'remove', 'apply', 'undo']),
  name: z.string(),
  createdAt: moment,
  finishedAt: moment.nullable(),
  webhooks: z.array(z.object({ id: webhookId.nullable(), endpoint: z.string() })),
  counts: z.object({
    total: z.int(),
    waiting: z.int(),
    done: z.int(),
    unchanged: z.int(),
    failed: z.int(),
  }),
  undoes: z.int().nullable(),
  undoneBy: z.int().nullable(),
  /** True for the latest change if it had an effect and was not undone. */
  canUndo: z.boolean(),
})
export type Change = z.infer<typeof change>

const changeItem = z.object({
  index: z.int().nonnegative(),
  webhook: webhookId.nullable(),
  endpoint: z.string(),
  act: z.enum(['subscribe', 'unsubscribe', 'create']),
  what: z.enum(['webhook', 'account', 'opcode', 'new-contracts', 'mempool']),
  /** A raw address, or `0x` and the opcode; empty for flags. */
  subject: z.string(),
  label: z.string().nullable(),
  state: z.enum(['waiting', 'done', 'unchanged', 'failed', 'cancelled']),
  reason: z.string().nullable(),
})
export type ChangeItem = z.infer<typeof changeItem>

export const subscriptionsFormat = z.enum(['yaml', 'csv'])
export type SubscriptionsFormat = z.infer<typeof subscriptionsFormat>

/**
 * `missing`: in the file only, so it will be subscribed. `extra`: at the gateway only, so it will
 * be unsubscribed.
 */
export const differenceKind = z.enum(['missing', 'extra', 'wrong-network', 'duplicate', 'invalid'])
export type DifferenceKind = z.infer<typeof differenceKind>

const difference = z.object({
  index: z.int().nonnegative(),
  kind: differenceKind,
  webhook: webhookId.nullable(),
  endpoint: z.string(),
  what: changeItem.shape.what,
  subject: z.string(),
  label: z.string().nullable(),
  line: z.int().nullable(),
  reason: z.string().nullable(),
})
export type Difference = z.infer<typeof difference>

/** The differences between a file and the gateway. Webhooks that are not in the file stay unchanged. */
const plan = z.object({
  id: z.string(),
  network: networkId,
  file: z.string(),
  format: subscriptionsFormat,
  comparedAt: moment,
  webhooks: z.array(
    z.object({
      id: webhookId.nullable(),
      endpoint: z.string(),
      wanted: z.int(),
      actual: z.int(),
      /** Number of subscriptions that applying would add (`missing`) and remove (`extra`). */
      missing: z.int(),
      extra: z.int(),
    }),
  ),
  untouched: z.array(z.object({ id: webhookId, endpoint: z.string() })),
  counts: z.record(differenceKind, z.int()),
  same: z.int(),
  refusal: z.string().nullable(),
})
export type Plan = z.infer<typeof plan>

export const subscriptionRoutes = {
  /** Sums up all webhooks of the network. */
  'subscription.summary': takes({
    ...onNetwork,
    limit: z.int().min(1).max(100).default(8),
  }).returns({
    /**
     * Failed attempts in each of the last 24 hours, the current hour last; null if the hour was not
     * sampled.
     */
    failedAttempts: z.array(z.int().nullable()),
    watched: z.int(),
    /** Watched accounts, failing ones first. If none is watched: the accounts with the latest deliveries. */
    rows: z.array(subscription.extend({ webhook: webhookId })),
    /** True if the accounts of all webhooks were read from the gateway at least once. */
    isLoaded: z.boolean(),
  }),
  'subscription.list': takes({
    ...ofWebhook,
    filter: subscriptionFilter.prefault({}),
    sort: subscriptionSort.prefault({}),
    ...page,
  }).returns({
    total: z.int(),
    rows: z.array(subscription),
    counts: z.object({
      all: z.int(),
      failing: z.int(),
      watched: z.int(),
      behind: z.int(),
      neverDelivered: z.int(),
    }),
    mirror: mirrorState,
  }),
  'subscription.refresh': takes(ofWebhook).returns(mirrorState),
  'subscription.cancelRefresh': takes(ofWebhook).returns(mirrorState),
  'subscription.watch': takes({
    ...ofWebhook,
    accounts: z.array(rawAddress).min(1).max(1000),
    watched: z.boolean(),
  }).returns({}),
  'subscription.add': takes({ ...ofWebhook, draft: z.string() }).returns(change),
  'subscription.remove': takes({
    ...ofWebhook,
    of: z.union([
      z.object({ accounts: z.array(rawAddress).min(1).max(10_000) }),
      /** Selects all that match the filter; refused if more than `most` match. */
      z.object({ filter: subscriptionFilter, most: z.int().nonnegative().optional() }),
    ]),
  }).returns(change),
  'subscription.export': takes({
    ...onNetwork,
    webhooks: orNull(z.array(webhookId)),
    format: subscriptionsFormat,
  }).returns(exportFile),

  'plan.begin': takes({
    ...onNetwork,
    file: z.string().max(300),
    format: subscriptionsFormat,
    replaces: orNull(z.string()),
  }).returns({ id: z.string() }),
  'plan.append': takes({ id: z.string(), base64: z.base64().max(950_000) }).returns({
    bytes: z.int(),
  }),
  'plan.compare': takes({ id: z.string() }).returns(plan),
  'plan.differences': takes({
    id: z.string(),
    kind: orNull(differenceKind),
    ...page,
  }).returns({ total: z.int(), differences: z.array(difference) }),
  'plan.apply': takes({ id: z.string() }).returns(change),

  'change.items': takes({
    ...byId,
    state: orNull(changeItem.shape.state),
    ...page,
  }).returns({ total: z.int(), items: z.array(changeItem) }),
  'change.undo': takes(byId).returns(change),
} as const
