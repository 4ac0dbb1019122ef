import { z } from 'zod'
import { route } from './route.ts'

/** Where deliveries are sent on. Used exactly as given, but for what the rule says of its path. */
export const targetUrl = z
  .string()
  .trim()
  .min(1, 'Give a URL.')
  .max(2000, 'At most 2000 characters.')
  .refine((text) => {
    const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
    return url !== null && url.username === '' && url.password === '' && url.hash === ''
  }, 'Give a URL such as http://localhost:3000/webhook, without user or fragment.')

const targetVerdict = z.object({
  /** As it is used: normalised by the URL standard. */
  url: z.string(),
  /**
   * `loopback`: freely. `public`: once a person has confirmed its host. `refused`: never; `problem`
   * says why.
   */
  kind: z.enum(['loopback', 'public', 'refused']),
  /** What is to be confirmed, for a public one: host and port. */
  host: z.string(),
  isConfirmed: z.boolean(),
  addresses: z.array(z.string()),
  problem: z.string().nullable(),
})
export type TargetVerdict = z.infer<typeof targetVerdict>

export const targetRoutes = {
  /** What would be done with a URL, resolved now. */
  'target.check': route(z.object({ url: targetUrl }), targetVerdict),
  /** A person's yes to a host that is not on this computer. */
  'target.confirm': route(z.object({ host: z.string().min(1).max(300) }), z.object({})),
  'target.confirmed': route(z.undefined(), z.array(z.string())),
  /** Takes the yes back: what is to go there fails until it is given again. */
  'target.forget': route(z.object({ host: z.string() }), z.object({})),
} as const

export const targetAnswer = z.object({
  /** Null where no answer came. */
  status: z.int().nullable(),
  durationUs: z.int(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string(),
  bodyBytes: z.int(),
  isCut: z.boolean(),
  problem: z.string().nullable(),
})
export type TargetAnswer = z.infer<typeof targetAnswer>
