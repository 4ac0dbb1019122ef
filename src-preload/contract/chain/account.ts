import { z } from 'zod'
import { fiatCurrencies } from '../../domain/fiat.ts'
import { networkId, onNetwork } from '../network.ts'
import { addressText, hash, logicalTime, moment, orNull, takes } from '../route.ts'
import { accountRef, asset, units } from './references.ts'
import { eventView } from './transaction.ts'

export const accountStatus = z.enum(['nonexist', 'uninit', 'active', 'frozen'])
export type AccountStatus = z.infer<typeof accountStatus>

const jettonBalance = z.object({
  asset,
  name: z.string(),
  balance: units,
  walletAddress: z.string(),
  /** The gateway's verdict: `whitelist`, `graylist`, `blacklist` or `none`. */
  verification: z.string(),
  lock: orNull(z.object({ units, until: moment })),
  /** The price of one jetton in the account's `currency`, as a decimal; null if unknown. For display only. */
  price: orNull(z.string()),
})
export type JettonBalance = z.infer<typeof jettonBalance>

export const accountView = z.object({
  network: networkId,
  account: accountRef,
  forms: z.object({ raw: z.string(), bounceable: z.string(), nonBounceable: z.string() }),
  status: accountStatus,
  balance: units,
  lastActivity: moment.nullable(),
  /** The kind of wallet, such as `wallet_v4r2`; null for an unknown kind. */
  walletKind: z.string().nullable(),
  interfaces: z.array(z.string()),
  getMethods: z.array(z.string()),
  isSuspended: z.boolean(),
  memoRequired: z.boolean(),
  extra: z.array(z.object({ asset, units })).default([]),
  jettons: z.array(jettonBalance).nullable(),
  /** The currency of the jettons' prices, which were loaded at `fetchedAt`. */
  currency: z.enum(fiatCurrencies).default('USD'),
  unreadJettons: z.array(z.string()).default([]),
  note: z.string(),
  fetchedAt: moment,
  offline: z.string().nullable(),
})
export type AccountView = z.infer<typeof accountView>

const assetChange = z.object({ asset, units })
export type AssetChange = z.infer<typeof assetChange>

const accountEvent = eventView.extend({
  /** Changes of the account by the successful actions, one for each asset. */
  changes: z.array(assetChange),
  /** Nanotons that the account received (negative: paid) in addition to the actions, such as fees. */
  extra: units,
})
export type AccountEvent = z.infer<typeof accountEvent>

const historyRow = z.object({
  /** The hash of the transaction, or of the first transaction of the event. */
  hash,
  lt: logicalTime,
  at: moment,
  direction: z.enum(['in', 'out', 'other']),
  success: z.boolean(),
  peer: accountRef.nullable(),
  /** The signed change of this account; null if no value moved. */
  change: z.object({ asset, units }).nullable(),
  opcode: z.string().nullable(),
  operation: z.string().nullable(),
  /**
   * The standard or contract of the catalogue that defines the operation, if its name comes from
   * the catalogue.
   */
  operationSource: z.string().optional(),
  comment: z.string().nullable(),
  fees: units,
  outMessages: z.int(),
  failure: z.string().nullable(),
  /** Null for a row that is a transaction. */
  event: orNull(accountEvent),
})
export type HistoryRow = z.infer<typeof historyRow>

const historyFilter = z.object({
  direction: orNull(z.enum(['in', 'out'])),
  /** `TON` or a jetton's address. */
  asset: orNull(z.string().max(100)),
  opcode: orNull(z.string().max(12)),
  from: orNull(moment),
  to: orNull(moment),
})
export type HistoryFilter = z.infer<typeof historyFilter>

export const historyView = z.enum(['events', 'transactions'])
export type HistoryView = z.infer<typeof historyView>

const historyPage = z.object({
  network: networkId,
  /** The kind of the rows; pass this for further pages of the same list. */
  view: historyView,
  /** Reason why the rows are transactions although events were requested. */
  viewProblem: z.string().nullable(),
  rows: z.array(historyRow),
  /** Pass this as `before` for older rows; null at the account's first transaction. */
  older: logicalTime.nullable(),
  newer: logicalTime.nullable(),
  scanned: z.int(),
  /** True if the oldest transaction in the rows has no predecessor. */
  isBeginning: z.boolean(),
  /** Why transactions are missing: they could not be parsed, or the gateway left them out. */
  unread: z.array(z.string()),
  offline: z.string().nullable(),
})
export type HistoryPage = z.infer<typeof historyPage>

export const accountRoutes = {
  'account.get': takes({ ...onNetwork, address: addressText }).returns(accountView),
  'account.history': takes({
    ...onNetwork,
    address: addressText,
    before: orNull(logicalTime),
    after: orNull(logicalTime),
    limit: z.int().min(1).max(200).default(50),
    filter: historyFilter.prefault({}),
    /** `events` ignores `after`, because a gateway lists events from newest to oldest only. */
    view: historyView.default('transactions'),
    /** Requests events even if the gateway has responded before that it lists none. */
    refresh: z.boolean().default(false),
  }).returns(historyPage),
} as const
