import { z } from 'zod'
import { accountRef, asset, trace } from './chain.ts'
import { networkId } from './network.ts'
import { takes, hash } from './route.ts'

const units = z.string().regex(/^\d+$/)
const boc = z.string().trim().min(1, 'Paste a message as BOC.').max(800_000)

const emulation = z.object({
  network: networkId,
  /** Hash of the normalized message, which the chain stores. */
  messageHash: hash,
  destination: accountRef,
  /** Expiry of the wallet's order (Unix ms); null when the message has none. */
  validUntil: z.int().nullable(),
  trace,
  /** Null when the destination is no wallet, or the gateway could not estimate the risk. */
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
  'message.emulate': takes({ network: networkId, boc }).returns(emulation),
  /** Sent once and never repeated: after an unclear response the chain is watched instead. */
  'message.send': takes({ network: networkId, boc }).returns({
    network: networkId,
    messageHash: hash,
    validUntil: z.int().nullable(),
    /** The connection broke before the response; the message may or may not have been sent. */
    isUncertain: z.boolean(),
  }),
  'message.follow': takes({
    network: networkId,
    messageHash: hash,
    validUntil: z.int().nullable(),
  }).returns(messageState),
} as const
