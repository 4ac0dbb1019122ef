import { badOpcode, parseOpcode } from '../domain/opcode.ts'
import { z } from 'zod'
import { hasSecondUrl, secondUrlProblem } from '../domain/urls.ts'
import { networkId, onNetwork } from './network.ts'
import { shownResponse, targetUrl } from './target.ts'
import { returns, takes, moment, byId, captureId, orNull } from './route.ts'

/** An int64 as its decimal string, because ids may exceed 2^53. */
export const webhookId = z.string().regex(/^\d{1,19}$/, 'A webhook id is a whole number.')

export const ofWebhook = { ...onNetwork, webhook: webhookId }

export const webhookStatus = z.enum(['online', 'offline', 'suspended'])
export type WebhookStatus = z.infer<typeof webhookStatus>

/** A webhook as last reported by the gateway, with local data. Fields that the gateway omits are null. */
const webhook = z.object({
  network: networkId,
  id: webhookId,
  endpoint: z.string(),
  status: webhookStatus.nullable(),
  statusSince: moment.nullable(),
  lastOnlineAt: moment.nullable(),
  failedAttempts: z.int().nullable(),
  accounts: z.int().nullable(),
  opcodes: z.int().nullable(),
  mempool: z.boolean().nullable(),
  newContracts: z.boolean().nullable(),
  /** The last four characters of the bearer token; null if the gateway does not show the token. */
  tokenHint: z.string().nullable(),
  tokenKnown: z.boolean(),
  /** True if the endpoint is this receiver, directly or through the public URL. */
  isHere: z.boolean(),
  failing: z.int(),
  subscriptionsReadAt: moment.nullable(),
})
export type Webhook = z.infer<typeof webhook>

const webhookList = z.object({
  network: networkId,
  webhooks: z.array(webhook),
  readAt: moment.nullable(),
  problem: z.string().nullable(),
})
export type WebhookList = z.infer<typeof webhookList>

/** An http or https URL without credentials; the gateway may be stricter. */
const endpointUrl = z
  .string()
  .trim()
  .max(2048, 'At most 2048 characters.')
  .superRefine((text, context) => {
    const problem = endpointProblem(text)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })

export function endpointProblem(text: string): string | null {
  let url
  try {
    url = new URL(text.trim())
  } catch {
    return 'Enter a full URL such as https://example.com/hook.'
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'A URL begins with https://.'
  if (url.username !== '' || url.password !== '')
    return 'A URL must not contain a user name or password.'
  return hasSecondUrl(text) ? secondUrlProblem : null
}

/** A warning about an endpoint; it does not forbid its use. */
const endpointWarning = z.object({
  kind: z.enum([
    'not-public',
    'plain-http',
    /** The sandbox delivers only to this computer and to the hosts in its settings. */
    'host-not-allowed',
    'in-use',
    'wrong-path',
  ]),
  message: z.string(),
})
export type EndpointWarning = z.infer<typeof endpointWarning>

const endpointSuggestion = z.object({ url: z.string(), why: z.string() })
export type EndpointSuggestion = z.infer<typeof endpointSuggestion>

const opcodeSubscription = z.object({
  opcode: z.string(),
  name: z.string().nullable(),
  /** Null if the gateway states no documented status. */
  status: z.enum(['active', 'disabled']).nullable(),
  disabledAt: moment.nullable(),
  disabledReason: z.string().nullable(),
})
export type OpcodeSubscription = z.infer<typeof opcodeSubscription>

export const webhookLog = z.object({
  at: moment.nullable(),
  message: z.string(),
  eventType: z.string(),
})
export type WebhookLog = z.infer<typeof webhookLog>

const webhookUsage = z.object({
  startedAt: moment.nullable(),
  endedAt: moment.nullable(),
  accounts: z.int(),
  delivered: z.string(),
  failed: z.string(),
})
export type WebhookUsage = z.infer<typeof webhookUsage>

/** Deliveries of a webhook in the last 24 hours, counted by whole hours including the current one. */
const webhookHealth = z.object({
  webhook: webhookId,
  /** Attempts that this receiver acknowledged with 200; null if the deliveries do not arrive here. */
  accepted: z.int().nullable(),
  /** Failed attempts: those rejected here or those counted by the gateway, whichever number is larger. */
  failed: z.int(),
  /**
   * The number of milliseconds from the transaction's block to its accepted delivery, rounded to
   * three digits; null if no transaction is known, or if the chain's clock is not this computer's.
   */
  delay: z.object({ deliveries: z.int(), p50: z.int(), p95: z.int() }).nullable(),
  lastError: z.object({ at: moment, text: z.string(), capture: captureId.nullable() }).nullable(),
  /** Failed attempts per hour, oldest first. */
  failures: z.array(z.int()),
})
export type WebhookHealth = z.infer<typeof webhookHealth>

const moveStep = z.enum(['create', 'copy', 'compare', 'drain', 'switch', 'delete', 'done'])
export type MoveStep = z.infer<typeof moveStep>

/**
 * Moves a webhook to another endpoint by creating a new webhook, because the API cannot change
 * endpoints. Until `delete` both webhooks deliver, and the move can be rolled back.
 */
export const webhookMove = z.object({
  id: z.int().positive(),
  network: networkId,
  from: z.object({ id: webhookId, endpoint: z.string() }),
  to: z.object({ id: webhookId.nullable(), endpoint: z.string() }),
  step: moveStep,
  state: z.enum(['running', 'paused', 'done', 'rolling-back', 'rolled-back']),
  problem: z.string().nullable(),
  copied: z.int(),
  total: z.int().nullable(),
  /** Accounts of the old webhook with an undelivered event; the old webhook is kept until there are none. */
  undelivered: z.int(),
  createdAt: moment,
  finishedAt: moment.nullable(),
})
export type WebhookMove = z.infer<typeof webhookMove>

const one = { ...onNetwork, id: webhookId }
const opcode = z
  .string()
  .trim()
  .refine((text) => parseOpcode(text) !== null, badOpcode)

export const webhookRoutes = {
  /**
   * `fresh` requests the list from the gateway; after a failure `problem` is set and the stored
   * list is returned.
   */
  'webhook.list': takes({ ...onNetwork, fresh: z.boolean().default(false) }).returns(webhookList),
  'webhook.suggestEndpoints': takes(onNetwork).returns(z.array(endpointSuggestion)),
  'webhook.checkEndpoint': takes({ ...onNetwork, endpoint: endpointUrl }).returns(
    z.array(endpointWarning),
  ),
  /** Stores the new token in the keychain; the receiver immediately checks deliveries with it. */
  'webhook.create': takes({ ...onNetwork, endpoint: endpointUrl }).returns(webhook),
  /** The old token stops working; the new token is stored as at creation. */
  'webhook.rotateToken': takes(one).returns(webhook),
  /** Returns the bearer token for the user's own backend; only at the user's explicit request. */
  'webhook.revealToken': takes(one).returns({ token: z.string() }),
  'webhook.backOnline': takes(one).returns(webhook),
  'webhook.delete': takes({ ...one, endpoint: z.string() }).returns({}),
  'webhook.setMempool': takes({ ...one, on: z.boolean() }).returns(webhook),
  'webhook.setNewContracts': takes({ ...one, on: z.boolean() }).returns(webhook),
  'webhook.opcodes': takes(one).returns(z.array(opcodeSubscription)),
  'webhook.opcodeNames': returns(z.array(z.object({ opcode: z.string(), name: z.string() }))),
  'webhook.setOpcode': takes({ ...one, opcode, on: z.boolean() }).returns(
    z.array(opcodeSubscription),
  ),
  'webhook.logs': takes({ ...one, offset: z.int().nonnegative().default(0) }).returns({
    logs: z.array(webhookLog),
    next: z.int().nullable(),
  }),
  'webhook.health': takes(onNetwork).returns({
    from: moment,
    to: moment,
    webhooks: z.array(webhookHealth),
  }),
  /** Returns the request that `webhook.sendTestEvent` would send, with masked secrets. */
  'webhook.testEvent': takes(one).returns({
    /** `gateway`: the sandbox sends the event like any delivery. `direct`: this computer sends it. */
    sender: z.enum(['gateway', 'direct']),
    url: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    body: z.string(),
  }),
  /**
   * Sends a test event with the webhook's token to its endpoint, or from this computer to `url`.
   * The receiver marks its capture as a test.
   */
  'webhook.sendTestEvent': takes({ ...one, url: orNull(targetUrl) }).returns({
    response: shownResponse,
    capture: captureId.nullable(),
  }),
  'webhook.usage': takes(onNetwork).returns(webhookUsage),
  'move.start': takes({ ...one, endpoint: endpointUrl }).returns(webhookMove),
  'move.resume': takes(byId).returns(webhookMove),
  /** Deletes the new webhook; possible until the old webhook is deleted. */
  'move.rollBack': takes(byId).returns(webhookMove),
  'move.finish': takes(byId).returns(webhookMove),
} as const
