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

/** A transaction that fits any rule of a watch matches; without rules every transaction does. Amounts are minimums. */
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

/** A rule in the form that the user entered: amounts are decimal numbers. */
const enteredRule = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('incoming'), amount: z.string().max(40) }),
  z.object({ kind: z.literal('failure') }),
  z.object({ kind: z.literal('opcode'), opcode: z.string().max(20) }),
  z.object({ kind: z.literal('jetton'), jetton: addressText, amount: z.string().max(40) }),
])
export type EnteredRule = z.infer<typeof enteredRule>

const watchChoices = {
  /** The reports of a match, besides a capture. */
  report: z.enum(['none', 'notice', 'incident']),
  /** Each match becomes a capture, which is marked as watched. */
  makesCaptures: z.boolean(),
  /** Forwarding rules send these captures like deliveries. */
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
  /** The last check in this run of the app. */
  checkedAt: moment.nullable(),
  everyMs: z.int(),
  /** Transactions are known that were not read yet. */
  isBehind: z.boolean(),
  /** Why the account is not checked at present, and when it is checked again. */
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
  /** Transactions that were not read, and why. */
  gap: z.object({ at: moment, why: z.string() }).nullable(),
  /** The webhook that delivers this account to the receiver: the watch makes no captures meanwhile. */
  deliveredBy: z.string().nullable(),
})
export type Watch = z.infer<typeof watch>

export const watchRoutes = {
  /** The watched accounts of all networks. */
  'watch.list': returns(z.array(watch)),
  /** Adds a watched account, or changes the one of this account. Jettons are looked up at the gateway. */
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
