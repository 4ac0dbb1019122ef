import { z } from 'zod'
import { returns, takes } from './route.ts'

const secretsState = z.object({
  /** `session`: in memory only, by the user's choice. `none`: secrets cannot be stored. */
  place: z.enum(['keychain', 'session', 'none']),
  problem: z.string().nullable(),
})
export type SecretsState = z.infer<typeof secretsState>

/** A webhook's bearer token for checking deliveries. The token itself is never returned. */
const webhookToken = z.object({
  id: z.string(),
  label: z.string(),
  hint: z.string(),
  createdAt: z.int(),
  present: z.boolean(),
})
export type WebhookToken = z.infer<typeof webhookToken>

export const secretRoutes = {
  'secrets.state': returns(secretsState),
  /** Keeps secrets in memory until the app ends, for computers without a keychain. */
  'secrets.useSessionOnly': returns(secretsState),
  'secrets.retryKeychain': returns(secretsState),
  'webhookToken.list': returns(z.array(webhookToken)),
  'webhookToken.add': takes({
    label: z.string().trim().min(1, 'Enter a name.').max(100),
    token: z
      .string()
      .trim()
      .min(8, 'A webhook token has at least 8 characters.')
      .max(4096)
      .regex(/^[\x21-\x7e]+$/, 'A token is printable ASCII without spaces.'),
  }).returns(webhookToken),
  'webhookToken.remove': takes({ id: z.string() }).returns({}),
} as const
