import { z } from 'zod'
import { networkId } from './network.ts'
import {
  addressText,
  byId,
  captureId,
  hash,
  moment,
  rawAddress,
  returns,
  takes,
  units,
} from './route.ts'

const opcode = z.int().min(0).max(0xffffffff)

/**
 * A transaction matches a watch if it matches any rule of the watch, or if the watch has no rules.
 * Amounts are minimums.
 */
const watchRule = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('incoming'), units }),
  z.object({ kind: z.literal('failure') }),
  z.object({ kind: z.literal('opcode'), opcode }),
  z.object({
    kind: z.literal('jetton'),
    jetton: rawAddress,
    /** The jetton wallet of the account, whose transactions are read. */
    wallet: rawAddress,
    units,
    symbol: z.string(),
    decimals: z.int(),
  }),
])
export type WatchRule = z.infer<typeof watchRule>

/** A rule as the user entered it: amounts are decimal numbers. */
const enteredRule = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('incoming'), amount: z.string().max(40) }),
  z.object({ kind: z.literal('failure') }),
  z.object({ kind: z.literal('opcode'), opcode: z.string().max(20) }),
  z.object({ kind: z.literal('jetton'), jetton: addressText, amount: z.string().max(40) }),
])
export type EnteredRule = z.infer<typeof enteredRule>

const watchChoices = {
  /** How a match is reported, in addition to a capture. */
  report: z.enum(['none', 'notice', 'incident']),
  /** Stores each match as a capture that is marked as watched. */
  makesCaptures: z.boolean(),
  /** True if forwarding rules send these captures like deliveries. */
  isForwarded: z.boolean(),
}

const watch = z.object({
  ...watchChoices,
  id: z.int(),
  network: networkId,
  address: rawAddress,
  label: z.string().nullable(),
  rules: z.array(watchRule),
  isPaused: z.boolean(),
  createdAt: moment,
  /** The time of the last check since the app's start. */
  checkedAt: moment.nullable(),
  everyMs: z.int(),
  /** True if transactions are known that were not read yet. */
  isBehind: z.boolean(),
  /** Why the account is not checked at present, and when the next check is. */
  problem: z.string().nullable(),
  matches: z.int(),
  lastMatch: z
    .object({
      at: moment,
      account: rawAddress,
      hash,
      what: z.string(),
      capture: captureId.nullable(),
    })
    .nullable(),
  /** When and why transactions were not read. */
  gap: z.object({ at: moment, why: z.string() }).nullable(),
  /** The webhook that delivers this account to the receiver; meanwhile the watch stores no captures. */
  deliveredBy: z.string().nullable(),
})
export type Watch = z.infer<typeof watch>

export const watchRoutes = {
  /** Lists the watched accounts of all networks. */
  'watch.list': returns(z.array(watch)),
  /**
   * Adds a watched account, or changes the existing watch of the account. Jettons are looked up at
   * the gateway.
   */
  'watch.save': takes({
    ...watchChoices,
    network: networkId,
    address: addressText,
    rules: z.array(enteredRule).max(10, 'At most 10 rules.'),
  }).returns(watch),
  /** A resumed watch continues where it was paused. */
  'watch.setPaused': takes({ ...byId, isPaused: z.boolean() }).returns(watch),
  'watch.remove': takes(byId).returns({}),
  /** Checks the watched accounts of the network now. */
  'watch.check': takes({ network: networkId }).returns({}),
} as const
