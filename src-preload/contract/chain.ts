import { z } from 'zod'
import { currencyName } from '../domain/amount.ts'
import { fiatCurrencies } from '../domain/fiat.ts'
import { networkId, onNetwork } from './network.ts'
import { takes, moment, logicalTime, hash, addressText, orNull } from './route.ts'

const units = z.string().regex(/^-?\d+$/)
const hex = z.string().regex(/^(0x)?[0-9a-fA-F]*$/)

export const accountRef = z.object({
  address: z.string(),
  name: z.string().nullable(),
  label: z.string().nullable(),
  isScam: z.boolean(),
  isWallet: z.boolean(),
})
export type AccountRef = z.infer<typeof accountRef>

export const asset = z.object({
  jetton: z.string().nullable(),
  /** Id of an extra currency; absent for the native coin and jettons. */
  extraCurrency: z.int().optional(),
  symbol: z.string(),
  decimals: z.int().nonnegative(),
  /** Display multiplier of a jetton: displayed amount = units × scale. */
  scale: z.object({ numerator: units, denominator: units }).optional(),
})
export type Asset = z.infer<typeof asset>

/** The displayed name of an asset. A jetton can call itself TON, too. */
export function assetName({ jetton, extraCurrency, symbol }: Asset): string {
  return jetton === null && extraCurrency === undefined ? currencyName(symbol) : symbol
}

export const decodedField = z.object({
  name: z.string(),
  kind: z.enum(['text', 'address', 'ton', 'number', 'bytes', 'cell']),
  value: z.string(),
})
export type DecodedField = z.infer<typeof decodedField>

const decodedBody = z.object({
  /** Name from the standard's documentation in snake case, such as `jetton_transfer`. */
  operation: z.string(),
  fields: z.array(decodedField),
})
export type DecodedBody = z.infer<typeof decodedBody>

const messageView = z.object({
  type: z.enum(['internal', 'external_in', 'external_out']),
  hash,
  source: accountRef.nullable(),
  destination: accountRef.nullable(),
  value: units,
  extra: z.array(z.object({ asset, units })),
  /** Fee for instant hypercube routing, credited to the receiver; almost always `0`. */
  ihrFee: units,
  forwardFee: units,
  /** Null where the gateway does not state it. */
  importFee: units.nullable(),
  createdLt: logicalTime,
  createdAt: moment,
  bounce: z.boolean(),
  bounced: z.boolean(),
  /** `0x` and eight digits; null for a body without one. */
  opcode: z.string().nullable(),
  operation: z.string().nullable(),
  comment: z.string().nullable(),
  body: decodedBody.nullable(),
  rawBody: hex.nullable(),
  init: hex.nullable(),
})
export type MessageView = z.infer<typeof messageView>

const phases = z.object({
  storage: z
    .object({ collected: units, due: units.nullable(), statusChange: z.string() })
    .nullable(),
  credit: z.object({ collected: units, credit: units }).nullable(),
  compute: z
    .object({
      skipped: z.string().nullable(),
      success: z.boolean().nullable(),
      gasFees: units.nullable(),
      gasUsed: z.string().nullable(),
      steps: z.int().nullable(),
      exitCode: z.int().nullable(),
      exitWords: z.string().nullable(),
    })
    .nullable(),
  action: z
    .object({
      success: z.boolean(),
      resultCode: z.int(),
      resultWords: z.string().nullable(),
      totalActions: z.int(),
      skippedActions: z.int(),
      forwardFees: units,
      totalFees: units,
    })
    .nullable(),
  bounce: z.string().nullable(),
})
export type Phases = z.infer<typeof phases>

export const accountStatus = z.enum(['nonexist', 'uninit', 'active', 'frozen'])
export type AccountStatus = z.infer<typeof accountStatus>

const rawCheck = z.object({
  /** `unchecked`: the gateway returned no raw data. */
  state: z.enum(['agrees', 'differs', 'unchecked']),
  problem: z.string().nullable(),
})
export type RawCheck = z.infer<typeof rawCheck>

/** What the owner of a wallet signed in an external message. */
const walletOrder = z.object({
  /** Such as `wallet_v4r2`. */
  wallet: z.string(),
  subwalletId: z.int(),
  /** Null for highload wallets, which number their orders by `queryId`. */
  seqno: z.int().nullable(),
  queryId: z.string().nullable(),
  /** Null for an order that never expires. */
  validUntil: moment.nullable(),
  messages: z.array(
    z.object({
      mode: z.int(),
      /** Null for a message that cannot be parsed. */
      destination: accountRef.nullable(),
      /** Of the order; null as above. `amount` tells whether the wallet was to send it. */
      value: units.nullable(),
      amount: z.enum(['value', 'remaining_value', 'whole_balance']),
      operation: z.string().nullable(),
      comment: z.string().nullable(),
      /** The asset is null when the jetton is unknown. */
      jetton: z
        .object({ units, asset: asset.nullable(), recipient: accountRef.nullable() })
        .nullable(),
      /** Null if that is unknown. */
      isSent: z.boolean().nullable(),
    }),
  ),
})
export type WalletOrder = z.infer<typeof walletOrder>

const transactionView = z.object({
  hash,
  lt: logicalTime,
  account: accountRef,
  at: moment,
  success: z.boolean(),
  failure: z.string().nullable(),
  aborted: z.boolean(),
  destroyed: z.boolean(),
  /** A value of the gateway's enumeration, such as `TransOrd`. */
  type: z.string(),
  /** An `AccountStatus`, or an undocumented value. */
  statusBefore: z.string(),
  statusAfter: z.string(),
  /** Everywhere on the bridge: what the account paid, forward fees included. */
  fees: units,
  /** Null when the gateway reports 0 for an active account. */
  balanceAfter: units.nullable(),
  block: z.string(),
  previous: z.object({ hash, lt: logicalTime }).nullable(),
  stateBefore: z.string(),
  stateAfter: z.string(),
  inMessage: messageView.nullable(),
  order: orNull(walletOrder),
  outMessages: z.array(messageView),
  phases,
  raw: hex,
})
export type TransactionView = z.infer<typeof transactionView>

const sentencePart = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('words'), text: z.string() }),
  z.object({ kind: z.literal('account'), account: accountRef }),
  z.object({ kind: z.literal('amount'), units, asset }),
  z.object({ kind: z.literal('quote'), text: z.string() }),
])
export type SentencePart = z.infer<typeof sentencePart>

const valueFlow = z.object({
  account: accountRef,
  ton: units,
  fees: units,
  /** The asset is null when the jetton is unknown. */
  jettons: z.array(z.object({ asset: asset.nullable(), units })),
  extra: z.array(z.object({ asset, units })),
})
export type ValueFlow = z.infer<typeof valueFlow>

/** One transaction of a trace. Parents precede their children, depth first. */
const traceNode = z.object({
  hash: hash.nullable(),
  parent: z.int().nonnegative().nullable(),
  depth: z.int().nonnegative(),
  account: accountRef,
  lt: logicalTime,
  at: moment,
  success: z.boolean(),
  source: accountRef.nullable(),
  value: units,
  jetton: z.object({ asset, units }).nullable(),
  opcode: z.string().nullable(),
  operation: z.string().nullable(),
  comment: z.string().nullable(),
  bounced: z.boolean(),
  exitCode: z.int().nullable(),
  failure: z.string().nullable(),
  fees: units,
  interfaces: z.array(z.string()),
})
export type TraceNode = z.infer<typeof traceNode>

export const trace = z.object({
  nodes: z.array(traceNode),
  /** False while messages of the trace are still being processed. */
  isComplete: z.boolean(),
  flow: z.array(valueFlow),
  sentence: z.array(sentencePart),
})
export type Trace = z.infer<typeof trace>

export const transactionAnswer = z.object({
  network: networkId,
  transaction: transactionView,
  trace: trace.nullable(),
  traceProblem: z.string().nullable(),
  /** True while jettons of the trace are still being fetched. */
  isPartial: z.boolean(),
  check: rawCheck,
  fetchedAt: moment,
  /** Reason why stored data is shown instead of the network's; null when the data is current. */
  offline: z.string().nullable(),
})
export type TransactionAnswer = z.infer<typeof transactionAnswer>

const jettonBalance = z.object({
  asset,
  name: z.string(),
  balance: units,
  walletAddress: z.string(),
  /** The gateway's verdict: `whitelist`, `graylist`, `blacklist` or `none`. */
  verification: z.string(),
  lock: orNull(z.object({ units, until: moment })),
  /** Price of one jetton in `currency` of the account, a decimal; null without a rate. For display only. */
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
  /** Such as `wallet_v4r2`; null for an unknown kind. */
  walletKind: z.string().nullable(),
  interfaces: z.array(z.string()),
  getMethods: z.array(z.string()),
  isSuspended: z.boolean(),
  memoRequired: z.boolean(),
  extra: z.array(z.object({ asset, units })).default([]),
  jettons: z.array(jettonBalance).nullable(),
  /** Of the jettons' prices, which were loaded at `fetchedAt`. */
  currency: z.enum(fiatCurrencies).default('USD'),
  unreadJettons: z.array(z.string()).default([]),
  note: z.string(),
  fetchedAt: moment,
  offline: z.string().nullable(),
})
export type AccountView = z.infer<typeof accountView>

const assetChange = z.object({ asset, units })
export type AssetChange = z.infer<typeof assetChange>

/** What the gateway recognized in one trace. */
const actionView = z.object({
  /** A kind of the gateway's document, such as `JettonSwap`, or any other text. */
  kind: z.string(),
  /** `unknown`: the gateway reports neither success nor failure. */
  status: z.enum(['ok', 'failed', 'unknown']),
  sentence: z.array(sentencePart),
  /** Hashes of the transactions that the action consists of. */
  transactions: z.array(hash),
  /** False if the loaded trace has no such transfer; null if that was not compared. */
  isConfirmed: orNull(z.boolean()),
})
export type ActionView = z.infer<typeof actionView>

export const eventView = z.object({
  /** Hash of the first transaction of the trace. */
  id: hash,
  isScam: z.boolean(),
  /** True while messages of the trace are still being processed. */
  inProgress: z.boolean(),
  actions: z.array(actionView),
})
export type EventView = z.infer<typeof eventView>

const accountEvent = eventView.extend({
  /** What the successful actions changed for the account, one entry per asset. */
  changes: z.array(assetChange),
  /** Nanotons that the account received (negative: paid) beside the actions, such as fees. */
  extra: units,
})
export type AccountEvent = z.infer<typeof accountEvent>

const historyRow = z.object({
  /** Of the transaction, or of the first transaction of the event. */
  hash,
  lt: logicalTime,
  at: moment,
  direction: z.enum(['in', 'out', 'other']),
  success: z.boolean(),
  peer: accountRef.nullable(),
  /** Signed change of this account; null when no value moved. */
  change: z.object({ asset, units }).nullable(),
  opcode: z.string().nullable(),
  operation: z.string().nullable(),
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
  /** `TON`, or a jetton's address. */
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
  /** What the rows are; pass it for further pages of the same list. */
  view: historyView,
  /** Reason why the rows are transactions although events were requested. */
  viewProblem: z.string().nullable(),
  rows: z.array(historyRow),
  /** Pass as `before` for older rows; null at the account's first transaction. */
  older: logicalTime.nullable(),
  newer: logicalTime.nullable(),
  scanned: z.int(),
  /** True when the oldest transaction read has no predecessor. */
  isBeginning: z.boolean(),
  /** Why transactions are missing: they could not be parsed, or the gateway left them out. */
  unread: z.array(z.string()),
  offline: z.string().nullable(),
})
export type HistoryPage = z.infer<typeof historyPage>

const searchTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('transaction'), hash, title: z.string() }),
  z.object({ kind: z.literal('account'), address: z.string(), title: z.string() }),
  z.object({
    kind: z.literal(['jetton', 'nft', 'collection']),
    address: z.string(),
    title: z.string(),
  }),
  /** Example: `(-1,8000000000000000,123)`. */
  z.object({ kind: z.literal('block'), id: z.string(), title: z.string() }),
  z.object({ kind: z.literal('invoice'), id: z.string(), title: z.string() }),
])
export type SearchTarget = z.infer<typeof searchTarget>

const searchAnswer = z.object({
  network: networkId,
  targets: z.array(searchTarget),
  problem: z.string().nullable(),
  /** Network of a pasted link that is not for this one; nothing was looked up in this case. */
  linkNetwork: z.string().nullable(),
})
export type SearchAnswer = z.infer<typeof searchAnswer>

/** Id example: `(-1,8000000000000000,123)`. */
const blockRow = z.object({
  id: z.string(),
  at: moment,
  seqno: z.int(),
  workchain: z.int(),
  shard: z.string(),
  /** Null if the gateway does not report it. */
  transactionCount: z.int().nullable(),
  isKeyBlock: z.boolean(),
})
export type BlockRow = z.infer<typeof blockRow>

const latestBlocks = z.object({
  network: networkId,
  /** Newest first; each masterchain block before the blocks of its shards. */
  blocks: z.array(blockRow),
  /** Pass as `before` for older blocks; null at the first block. */
  older: z.int().nullable(),
  /** False if the gateway does not list the blocks of the shards. */
  hasShards: z.boolean(),
})

const blockView = z.object({
  ...blockRow.shape,
  network: networkId,
  rootHash: z.string(),
  fileHash: z.string(),
  transactionCount: z.int(),
  startLt: logicalTime.nullable(),
  endLt: logicalTime.nullable(),
  /** The id that the next block will have; two after a split. It may not exist yet, or belong to a merged shard. */
  next: z.array(z.string()),
  previous: z.array(z.string()),
  previousKeyBlock: z.string().nullable(),
  /** The masterchain block to which the block of a shard refers. */
  masterReference: z.string().nullable(),
  inMessages: z.int().nullable(),
  outMessages: z.int().nullable(),
  /** Amounts other than zero, in the units of the native coin. */
  flow: z.array(z.object({ name: z.string(), units })),
  /** Null for a block of a shard, and if the gateway does not report the shards. */
  shards: z.array(blockRow).nullable(),
  transactions: z.array(
    z.object({
      hash,
      lt: logicalTime,
      account: accountRef,
      success: z.boolean(),
      failure: z.string().nullable(),
      fees: units,
    }),
  ),
  unread: z.array(z.string()),
})
export type BlockView = z.infer<typeof blockView>

const cellNode = z.object({
  depth: z.int().nonnegative(),
  bits: z.int().nonnegative(),
  /** Hexadecimal, with the completion tag `_` when the bits are no whole number of digits. */
  data: z.string(),
  refs: z.int().nonnegative(),
  kind: z.enum(['ordinary', 'pruned', 'library', 'merkle_proof', 'merkle_update']),
  hash,
})
export type CellNode = z.infer<typeof cellNode>

const transactionId = z.string().trim().min(1).max(100)

export const chainRoutes = {
  'search.find': takes({
    ...onNetwork,
    text: z.string().trim().min(1, 'Enter something to search for.').max(100_000),
  }).returns(searchAnswer),
  /** Accepts the hash (hex, base64, base64url) of a transaction or of one of its messages. */
  'transaction.get': takes({
    ...onNetwork,
    id: transactionId,
    refresh: z.boolean().optional(),
    /** Responds as soon as the trace is known. If the answer is partial, request it without this flag to wait for the rest. */
    partial: z.boolean().optional(),
  }).returns(transactionAnswer),
  'account.get': takes({ ...onNetwork, address: addressText }).returns(accountView),
  'account.history': takes({
    ...onNetwork,
    address: addressText,
    before: orNull(logicalTime),
    after: orNull(logicalTime),
    limit: z.int().min(1).max(200).default(50),
    filter: historyFilter.prefault({}),
    /** `events` ignores `after`: a gateway lists events downward only. */
    view: historyView.default('transactions'),
    /** Asks for events even if the gateway answered that it lists none. */
    refresh: z.boolean().default(false),
  }).returns(historyPage),
  /** `limit` counts masterchain blocks, each of which costs a request. */
  'block.latest': takes({
    ...onNetwork,
    before: orNull(z.int().positive()),
    limit: z.int().min(1).max(20).default(5),
  }).returns(latestBlocks),
  /** The event of a transaction, by the hash of any transaction of its trace. */
  'transaction.event': takes({ ...onNetwork, id: transactionId }).returns(
    z.object({ network: networkId, event: eventView.nullable() }),
  ),
  'block.get': takes({ ...onNetwork, id: z.string().trim().max(200) }).returns(blockView),
  /** Returns at most the first 2,000 cells. */
  'cell.tree': takes({ boc: z.string().max(800_000) }).returns({
    cells: z.array(cellNode),
    total: z.int(),
    base64: z.string(),
    hex: z.string(),
  }),
} as const
