import { z } from 'zod'
import { hasSecondUrl, secondUrlProblem } from '../domain/urls.ts'
import { returns, takes } from './route.ts'

export const networkId = z
  .string()
  .regex(/^(sandbox|testnet|mainnet|custom-[0-9a-f]{8})$/, 'Network not found.')
export type NetworkId = z.infer<typeof networkId>

export const onNetwork = { network: networkId }

const networkKind = z.enum(['sandbox', 'testnet', 'mainnet', 'custom'])
export type NetworkKind = z.infer<typeof networkKind>

/** The API roots (specification section 1). `console` is absent for networks without invoices. */
const networkUrls = z.object({
  query: z.string(),
  webhooks: z.string(),
  testnetWebhooks: z.string().nullable(),
  console: z.string().nullable(),
})
export type NetworkUrls = z.infer<typeof networkUrls>

/** `api`: the key for queries and webhooks. `invoices`: the token of the invoices application. */
export const secretSlot = z.enum(['api', 'invoices'])
export type SecretSlot = z.infer<typeof secretSlot>

export const storedSecret = z.object({
  hint: z.string(),
  addedAt: z.int(),
  /** False if the keychain lost the secret, or if it belonged to an earlier session. */
  present: z.boolean(),
  /**
   * The origins for which the secret was entered, if the network's origins differ now, so that the
   * secret is not sent. Empty if they are unknown.
   */
  givenFor: z.array(z.string()).optional(),
})
export type StoredSecret = z.infer<typeof storedSecret>

const network = z.object({
  id: networkId,
  kind: networkKind,
  name: z.string(),
  urls: networkUrls.nullable(),
  testOnly: z.boolean(),
  /**
   * The sandbox has no stored secrets, because its process passes its keys to the main process at
   * each start.
   */
  secrets: z.object({ api: storedSecret.nullable(), invoices: storedSecret.nullable() }),
  /** URLs of a block explorer with the placeholders `{hash}` and `{address}`. */
  explorer: z.object({ transaction: z.string(), address: z.string() }).nullable(),
  problem: z.string().nullable(),
})
export type Network = z.infer<typeof network>

const networksState = z.object({ current: networkId, networks: z.array(network) })
export type NetworksState = z.infer<typeof networksState>

/**
 * https, or http to this computer, without credentials, query or fragment. Plain http to another
 * host would reveal the key on its way.
 */
const baseUrl = z
  .string()
  .trim()
  .max(500)
  .superRefine((text, context) => {
    const problem = baseUrlProblem(text)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })

export function baseUrlProblem(text: string): string | null {
  let url
  try {
    url = new URL(text.trim())
  } catch {
    return 'Enter a URL such as https://gateway.example.com.'
  }
  if (url.username !== '' || url.password !== '')
    return 'A URL must not contain a user name or password.'
  if (url.search !== '' || url.hash !== '') return 'Remove the query (?) and the fragment (#).'
  if (hasSecondUrl(text)) return secondUrlProblem
  if (url.protocol === 'https:') return null
  if (url.protocol !== 'http:') return 'A URL begins with https://.'
  const isLoopback = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  return isLoopback ? null : 'Plain http is allowed for this computer only. Use https.'
}

const customNetwork = z.object({
  name: z.string().trim().min(1, 'Enter a name.').max(60),
  urls: z.object({
    query: baseUrl,
    webhooks: baseUrl,
    testnetWebhooks: baseUrl.nullable(),
    console: baseUrl.nullable(),
  }),
  testOnly: z.boolean(),
})
export type CustomNetwork = z.infer<typeof customNetwork>

const networkCheck = z.object({
  root: z.enum(['query', 'webhooks', 'invoices']),
  outcome: z.enum([
    'ok',
    'no-key',
    'wrong-key',
    /** The key is valid but has no permission for webhooks or invoices. */
    'no-capability',
    'limited',
    'unreachable',
    'unexpected',
    'absent',
  ]),
  message: z.string(),
  milliseconds: z.int().nullable(),
  /** The rate limit that the response states; null if it states none. */
  perSecond: z.number().nullable(),
})
export type NetworkCheck = z.infer<typeof networkCheck>

/** A secret is printable ASCII without spaces, as an HTTP header allows. */
const secret = z
  .string()
  .trim()
  .min(8, 'A key has at least 8 characters.')
  .max(4096)
  .regex(/^[\x21-\x7e]+$/, 'A key is printable ASCII without spaces.')

const one = { id: networkId }

export const networkRoutes = {
  'network.list': returns(networksState),
  /** Cancels pending requests of the previous network; its jobs continue. */
  'network.select': takes(one).returns(networksState),
  'network.add': takes(customNetwork).returns(network),
  'network.change': takes(customNetwork.extend({ id: networkId })).returns(network),
  /** Also deletes the network's secrets. Its lookups stay readable. */
  'network.remove': takes(one).returns(networksState),
  /** Secrets are write-only: no route returns one. */
  'network.setSecret': takes({ id: networkId, slot: secretSlot, secret }).returns(network),
  'network.removeSecret': takes({ id: networkId, slot: secretSlot }).returns(network),
  'network.test': takes(one).returns(z.array(networkCheck)),
} as const
