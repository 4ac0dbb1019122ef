import { z } from 'zod'
import { accountRef, asset, trace } from './chain.ts'
import { networkId } from './network.ts'
import { route } from './route.ts'

const units = z.string().regex(/^\d+$/)
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const boc = z.string().trim().min(1, 'Paste a message as BOC.').max(800_000)

const emulation = z.object({
  network: networkId,
  /** Of the message in its normal form, which the chain keeps. */
  messageHash: hash,
  destination: accountRef,
  /** When the wallet's order runs out (Unix ms); null when the message says nothing of it. */
  validUntil: z.int().nullable(),
  trace,
  /** Null when the destination is no wallet and the gateway could not judge the risk. */
  risk: z
    .object({
      transfersAll: z.boolean(),
      ton: units,
      jettons: z.array(z.object({ asset, units })),
      nftCount: z.int(),
    })
    .nullable(),
  warnings: z.array(z.string()),
})
export type Emulation = z.infer<typeof emulation>

const messageState = z.object({
  network: networkId,
  messageHash: hash,
  state: z.enum(['waiting', 'found', 'expired']),
  transactionHash: hash.nullable(),
  transactionSuccess: z.boolean().nullable(),
})
export type MessageState = z.infer<typeof messageState>

export const messageRoutes = {
  'message.emulate': route(z.object({ network: networkId, boc }), emulation),
  /** Sent once and never again by itself: an unclear answer is followed, not repeated. */
  'message.send': route(
    z.object({ network: networkId, boc }),
    z.object({
      network: networkId,
      messageHash: hash,
      validUntil: z.int().nullable(),
      /** The answer was unclear (a connection broken off); it may or may not be on its way. */
      isUncertain: z.boolean(),
    }),
  ),
  'message.follow': route(
    z.object({ network: networkId, messageHash: hash, validUntil: z.int().nullable() }),
    messageState,
  ),
} as const
