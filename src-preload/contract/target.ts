import { z } from 'zod'
import { hasSecondUrl, secondUrlProblem } from '../domain/urls.ts'
import { returns, takes } from './route.ts'

/** A forwarding target, used unchanged except for the rule's path options. */
export const targetUrl = z
  .string()
  .trim()
  .min(1, 'Enter a URL.')
  .max(2000, 'At most 2000 characters.')
  .refine((text) => {
    const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
    return url !== null && url.username === '' && url.password === '' && url.hash === ''
  }, 'Enter a URL such as http://localhost:3000/webhook, without user name or fragment.')
  .refine((text) => !hasSecondUrl(text), secondUrlProblem)

const targetVerdict = z.object({
  url: z.string(),
  /**
   * `loopback`: always allowed. `public`: allowed once the user confirms its host. `refused`: never
   * allowed; `problem` says why.
   */
  kind: z.enum(['loopback', 'public', 'refused']),
  /** The host and port that the user must confirm for a public target. */
  host: z.string(),
  isConfirmed: z.boolean(),
  addresses: z.array(z.string()),
  problem: z.string().nullable(),
})
export type TargetVerdict = z.infer<typeof targetVerdict>

export const targetRoutes = {
  'target.check': takes({ url: targetUrl }).returns(targetVerdict),
  'target.confirm': takes({ host: z.string().min(1).max(300) }).returns({}),
  'target.confirmed': returns(z.array(z.string())),
  /** Revokes the confirmation: deliveries to the host fail until the user confirms it again. */
  'target.forget': takes({ host: z.string() }).returns({}),
} as const

export const shownResponse = z.object({
  isDelivered: z.boolean(),
  /** Null if the target sent no response or is not an HTTP server. */
  status: z.int().nullable(),
  durationUs: z.int(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string(),
  bodyBytes: z.int(),
  isCut: z.boolean(),
  problem: z.string().nullable(),
})
export type ShownResponse = z.infer<typeof shownResponse>
