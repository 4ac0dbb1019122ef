import { z } from 'zod'
import { networkId, onNetwork } from '../network.ts'
import { hash, logicalTime, moment, orNull, takes } from '../route.ts'
import { accountRef, asset, hex, units } from './references.ts'

export const decodedField = z.object({
  name: z.string(),
  kind: z.enum(['text', 'address', 'ton', 'number', 'bytes', 'cell']),
  value: z.string(),
})
export type DecodedField = z.infer<typeof decodedField>

const decodedBody = z.object({
  /** The name in the standard's documentation, in snake case, such as `jetton_transfer`. */
  operation: z.string(),
  /** The public standard or wallet version that defines the name, if the name comes from the catalogue. */
  source: z.string().optional(),
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
  /** The fee for instant hypercube routing, which is credited to the receiver; almost always `0`. */
  ihrFee: units,
  forwardFee: units,
  /** Null if the gateway does not state the fee. */
  importFee: units.nullable(),
  createdLt: logicalTime,
  createdAt: moment,
  bounce: z.boolean(),
  bounced: z.boolean(),
  /** `0x` and eight digits; null for a body without an opcode. */
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

const rawCheck = z.object({
  /** `unchecked`: the gateway returned no raw data. */
  state: z.enum(['agrees', 'differs', 'unchecked']),
  problem: z.string().nullable(),
})
export type RawCheck = z.infer<typeof rawCheck>

/** The order that the owner of a wallet signed in an external message. */
const walletOrder = z.object({
  /** The wallet's interface, such as `wallet_v4r2`. */
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
      /** Null for an unreadable message. */
      destination: accountRef.nullable(),
      /**
       * The amount of the order; null for an unreadable message. `amount` shows how the wallet
       * derives the amount to send.
       */
      value: units.nullable(),
      amount: z.enum(['value', 'remaining_value', 'whole_balance']),
      operation: z.string().nullable(),
      comment: z.string().nullable(),
      /** The asset is null if the jetton is unknown. */
      jetton: z
        .object({ units, asset: asset.nullable(), recipient: accountRef.nullable() })
        .nullable(),
      /** Null if it is unknown whether the wallet sent the message. */
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
  /** A value of the gateway's enumeration, such as `TransOrd`. */
  type: z.string(),
  /** An `AccountStatus`, or an undocumented value. */
  statusBefore: z.string(),
  statusAfter: z.string(),
  /** The amount that the account paid, including forward fees. All routes use this meaning. */
  fees: units,
  /** Null if the gateway reports 0 for an active account, which is wrong. */
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
  /** The asset is null if the jetton is unknown. */
  jettons: z.array(z.object({ asset: asset.nullable(), units })),
  extra: z.array(z.object({ asset, units })),
})
export type ValueFlow = z.infer<typeof valueFlow>

/** One transaction of a trace. Parents precede their children in depth-first order. */
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
  /**
   * The standard or contract of the catalogue that defines the operation, if its name comes from
   * the catalogue.
   */
  operationSource: z.string().optional(),
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

export const transactionResult = z.object({
  network: networkId,
  transaction: transactionView,
  trace: trace.nullable(),
  traceProblem: z.string().nullable(),
  /** True while jettons of the trace are still being fetched. */
  isPartial: z.boolean(),
  check: rawCheck,
  fetchedAt: moment,
  /** Why stored data is shown instead of the network's; null if the data is current. */
  offline: z.string().nullable(),
})
export type TransactionResult = z.infer<typeof transactionResult>

/** An action that the gateway recognized in a trace. */
const actionView = z.object({
  /** A kind of the gateway's OpenAPI document, such as `JettonSwap`, or any other text. */
  kind: z.string(),
  /** `unknown`: the gateway reports neither success nor failure. */
  status: z.enum(['ok', 'failed', 'unknown']),
  sentence: z.array(sentencePart),
  /** Hashes of the transactions that the action consists of. */
  transactions: z.array(hash),
  /** False if the loaded trace has no such transfer; null if the action was not compared. */
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

const cellNode = z.object({
  depth: z.int().nonnegative(),
  bits: z.int().nonnegative(),
  /** Hexadecimal, with the completion tag `_` if the number of bits is no multiple of four. */
  data: z.string(),
  kind: z.enum(['ordinary', 'pruned', 'library', 'merkle_proof', 'merkle_update']),
  hash,
})
export type CellNode = z.infer<typeof cellNode>

const transactionId = z.string().trim().min(1).max(100)

export const transactionRoutes = {
  /** Accepts the hash (hex, base64, base64url) of a transaction or of one of its messages. */
  'transaction.get': takes({
    ...onNetwork,
    id: transactionId,
    refresh: z.boolean().optional(),
    /**
     * Responds as soon as the trace is known. If the result is partial, send the request without
     * this flag to wait for the rest.
     */
    partial: z.boolean().optional(),
  }).returns(transactionResult),
  /** Returns the event of a transaction, by the hash of any transaction of its trace. */
  'transaction.event': takes({ ...onNetwork, id: transactionId }).returns(
    z.object({ network: networkId, event: eventView.nullable() }),
  ),
  /** Returns at most the first 2,000 cells. */
  'cell.tree': takes({ boc: z.string().max(800_000) }).returns({
    cells: z.array(cellNode),
    total: z.int(),
    base64: z.string(),
    hex: z.string(),
  }),
} as const
