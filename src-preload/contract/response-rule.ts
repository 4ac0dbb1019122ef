import { z } from 'zod'
import { microseconds, returns, takes, byId, orNull } from './route.ts'

export const responseAction = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('answer'),
    status: z.int().min(200).max(599),
    headers: z
      .array(
        z.tuple([
          z
            .string()
            .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'Enter a header name.')
            // Tondesk itself sets the headers that frame a response on its connection.
            .regex(
              /^(?!(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|date)$)/i,
              'Tondesk sets this header itself.',
            ),
          z
            .string()
            .max(1000)
            .regex(/^[\t\x20-\x7e]*$/, 'Use printable ASCII characters only.'),
        ]),
      )
      .max(30)
      .default([]),
    body: z.string().max(100_000).default(''),
    delayMs: z.int().min(0).max(600_000).default(0),
  }),
  /** Accepts the request and sends no response for up to ten minutes. */
  z.object({ kind: z.literal('hang') }),
  /** Closes the connection after this number of response bytes. */
  z.object({ kind: z.literal('cut'), after: z.int().min(0).max(1000).default(0) }),
])
export type ResponseAction = z.infer<typeof responseAction>

const ruleFields = {
  /** The filter uses only fields that are known on arrival. Empty: every delivery matches. */
  filter: z.string().max(2000).default(''),
  action: responseAction,
  /** Number of deliveries after which the rule turns itself off; null for no limit. */
  next: orNull(z.int().min(1).max(1_000_000)),
  enabled: z.boolean().default(true),
}

const responseRule = z.object({
  id: z.int().positive(),
  ...ruleFields,
  createdAt: microseconds,
  used: z.int(),
  left: z.int().nullable(),
  problem: z.string().nullable(),
  /** Earlier rules that match every delivery that this rule would match. */
  conflicts: z.array(z.string()),
})
export type ResponseRule = z.infer<typeof responseRule>

export const responseRuleRoutes = {
  /** Returns rules in evaluation order: the first rule that matches applies. */
  'responseRule.list': returns(z.array(responseRule)),
  'responseRule.save': takes({
    id: orNull(z.int().positive()),
    ...ruleFields,
  }).returns(responseRule),
  'responseRule.setEnabled': takes({ ...byId, enabled: z.boolean() }).returns(responseRule),
  'responseRule.remove': takes(byId).returns({}),
  'responseRule.sort': takes({ ids: z.array(z.int().positive()) }).returns(z.array(responseRule)),
  'responseRule.allOff': returns(z.array(responseRule)),
} as const
