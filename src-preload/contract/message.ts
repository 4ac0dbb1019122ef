import { z } from 'zod'
import { accountRef, asset } from './chain/references.ts'
import { eventView, trace } from './chain/transaction.ts'
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
  /**
   * The event that the gateway would recognize in the trace, without transactions; null if the
   * gateway does not report one.
   */
  event: eventView.nullable(),
  /** Null if the destination is no wallet, or if the gateway could not estimate the risk. */
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

const text = (max: number, message: string) => z.string().trim().max(max, message).default('')
const address = z.string().trim().max(100, 'The address is too long.')

/** The message that a wallet must send. Amounts are decimal texts as users enter them. */
const messageOrder = z.object({
  kind: z.enum(['transfer', 'jetton', 'message', 'call']),
  /** The sending wallet; empty to build the message without emulation. */
  from: address.default(''),
  /** The receiver; in a jetton transfer, the new owner of the jettons. */
  to: address.min(1, 'Enter an address.'),
  /** The amount of the native coin; in a jetton transfer, the coins attached for its fees. */
  amount: z.string().trim().min(1, 'Enter an amount.').max(60, 'The amount is too long.'),
  bounce: z.boolean().default(true),
  comment: text(1000, 'At most 1000 characters.'),
  /** The jetton's address and the amount, for a jetton transfer. */
  jetton: text(100, 'The address is too long.'),
  jettonAmount: text(60, 'The amount is too long.'),
  /** The body of a call as BOC. */
  body: text(800_000, 'The body is too long.'),
  /** A message that a dictionary describes, selected by its code and opcode. */
  message: z
    .object({ codeHash: hash, opcode: z.string(), name: z.string() })
    .nullable()
    .default(null),
  /** The entered values of that message, by the key of their form field. */
  values: z.record(z.string(), z.string().max(800_000, 'The value is too long.')).default({}),
})
export type MessageOrder = z.infer<typeof messageOrder>

const hex = z.string().regex(/^[0-9a-f]*$/)
const builtMessage = z.object({
  /** The receiver of the message; in a jetton transfer, the sender's jetton wallet. */
  to: z.string(),
  /** A `ton://transfer/…` link for a wallet. */
  link: z.string(),
  body: hex.nullable(),
  /** The internal message as BOC. */
  message: hex,
  /** The wallet's external message, with zeros for its signature, for the emulation only. */
  unsigned: hex.nullable(),
})
export type BuiltMessage = z.infer<typeof builtMessage>

export const messageRoutes = {
  'message.emulate': takes({
    network: networkId,
    boc,
    /** Balances in nanotons that the emulation assumes instead of the real ones. */
    balances: z
      .array(z.object({ address: address.min(1, 'Enter an address.'), nanotons: units }))
      .max(20, 'At most 20 balances.')
      .default([]),
    /**
     * True if the message has no signature: only the wallet's emulation, which does not verify it,
     * is requested.
     */
    isUnsigned: z.boolean().default(false),
  }).returns(emulation),
  /** Builds a message for a wallet to sign. Nothing is sent. */
  'message.build': takes({ network: networkId, order: messageOrder }).returns(builtMessage),
  /** Sends once and never repeats: after an unclear response the chain is watched instead. */
  'message.send': takes({ network: networkId, boc }).returns({
    network: networkId,
    messageHash: hash,
    validUntil: z.int().nullable(),
    /** True if the connection broke before the response, so that the message may have been sent. */
    isUncertain: z.boolean(),
  }),
  'message.watch': takes({
    network: networkId,
    messageHash: hash,
    validUntil: z.int().nullable(),
  }).returns(messageState),
} as const
