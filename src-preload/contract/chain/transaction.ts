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
  /** Name from the standard's documentation in snake case, such as `jetton_transfer`. */
  operation: z.string(),
  /** The public standard or the wallet version that defines the name, where the catalogue supplied it. */
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

const rawCheck = z.object({
  /** `unchecked`: the gateway returned no raw data. */
  state: z.enum(['agrees', 'differs', 'unchecked']),
  problem: z.string().nullable(),
})
export type RawCheck = z.infer<typeof rawCheck>

/** The order that the owner of a wallet signed in an external message. */
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
      /** The amount of the order; null as above. `amount` shows whether the wallet was to send it. */
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
  /** The standard or contract of the catalogue that defines the operation, where the catalogue named it. */
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
  /** Reason why stored data is shown instead of the network's; null when the data is current. */
  offline: z.string().nullable(),
})
export type TransactionResult = z.infer<typeof transactionResult>

/** An action that the gateway recognized in one trace. */
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

const cellNode = z.object({
  depth: z.int().nonnegative(),
  bits: z.int().nonnegative(),
  /** Hexadecimal, with the completion tag `_` when the bits are no whole number of digits. */
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
     * Responds as soon as the trace is known. If the result is partial, request it without this flag to
     * wait for the rest.
     */
    partial: z.boolean().optional(),
  }).returns(transactionResult),
  /** The event of a transaction, by the hash of any transaction of its trace. */
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
