import { z } from 'zod'
import { networkId, onNetwork } from '../network.ts'
import { hash, takes } from '../route.ts'

const searchTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('transaction'), hash, title: z.string() }),
  z.object({ kind: z.literal('account'), address: z.string(), title: z.string() }),
  z.object({
    kind: z.literal(['jetton', 'nft', 'collection']),
    address: z.string(),
    title: z.string(),
  }),
  /** A block's id is like `(-1,8000000000000000,123)`. */
  z.object({ kind: z.literal('block'), id: z.string(), title: z.string() }),
  z.object({ kind: z.literal('invoice'), id: z.string(), title: z.string() }),
])
export type SearchTarget = z.infer<typeof searchTarget>

const searchResult = z.object({
  network: networkId,
  targets: z.array(searchTarget),
  problem: z.string().nullable(),
  /** The network of a pasted link if it is another one; then nothing was looked up. */
  linkNetwork: z.string().nullable(),
})
export type SearchResult = z.infer<typeof searchResult>

export const searchRoutes = {
  'search.find': takes({
    ...onNetwork,
    text: z.string().trim().min(1, 'Enter something to search for.').max(100_000),
  }).returns(searchResult),
} as const
