import {
  type AccountStatus,
  type AccountStatusChange,
  type ComputeSkipReason,
  type Cell,
  type Message,
  beginCell,
  storeStateInit,
} from '@ton/core'
import { formatCell } from '../../ton/boc.ts'
import {
  type DecodedBody,
  decodeMessageBody,
  formatBody,
  readOperation,
} from '../../ton/decode-body.ts'
import { describeActionResult, describeExitCode } from '../../ton/exit-codes.ts'
import { hashOfBigint, messageHashesOf } from '../../ton/hash.ts'
import { formatOpcode } from '../../../src-preload/domain/opcode.ts'
import { walletInterface, walletVersionOf } from '../../ton/wallet.ts'
import type { Chain } from '../chain/create-chain.ts'
import type { ExecutedTransaction, TraceNode } from '../chain/chain.ts'
import { type AccountBook, codeHashOf } from './accounts.ts'

export function serializeTransaction(executed: ExecutedTransaction, book: AccountBook) {
  const { transaction, lt } = executed
  const { inMessage, stateUpdate } = transaction
  const description = descriptionOf(executed)
  const hashes = messageHashesOf(executed.cell)
  const print = (message: Message, hash: string | null | undefined) =>
    serializeMessage(message, hash ?? '', lt, book)
  return {
    hash: executed.hash,
    lt,
    account: book.describe(executed.account),
    success: isSuccess(executed),
    utime: executed.utime,
    orig_status: statuses[transaction.oldStatus],
    end_status: statuses[transaction.endStatus],
    total_fees: transaction.totalFees.coins,
    end_balance: executed.endBalance,
    transaction_type: 'TransOrd',
    state_update_old: stateUpdate.oldHash.toString('hex'),
    state_update_new: stateUpdate.newHash.toString('hex'),
    in_msg: inMessage ? print(inMessage, hashes.incoming) : undefined,
    out_msgs: transaction.outMessages
      .values()
      .map((message, index) => print(message, hashes.outgoing[index])),
    block: serializeBlockId(workchainOf(executed.account), executed.blockSeqno),
    ...(transaction.prevTransactionLt === 0n
      ? {}
      : {
          prev_trans_hash: hashOfBigint(transaction.prevTransactionHash),
          prev_trans_lt: transaction.prevTransactionLt,
        }),
    ...serializePhases(description),
    aborted: description.aborted,
    destroyed: description.destroyed,
    raw: formatCell(executed.cell),
  }
}

const statuses: Record<AccountStatus, string> = {
  'non-existing': 'nonexist',
  uninitialized: 'uninit',
  active: 'active',
  frozen: 'frozen',
}

const statusChanges: Record<AccountStatusChange, string> = {
  unchanged: 'acst_unchanged',
  frozen: 'acst_frozen',
  deleted: 'acst_deleted',
}

/** The chain also has suspended accounts, which @ton/core does not know. */
const skipReasons: Record<ComputeSkipReason, string> = {
  'no-state': 'cskip_no_state',
  'bad-state': 'cskip_bad_state',
  'no-gas': 'cskip_no_gas',
}

const bounceTypes = {
  'negative-funds': 'TrPhaseBounceNegfunds',
  'no-funds': 'TrPhaseBounceNofunds',
  ok: 'TrPhaseBounceOk',
} as const

/** The chain only executes messages, so there are no other kinds of transactions. */
export function descriptionOf({ transaction: { description } }: ExecutedTransaction) {
  if (description.type === 'generic') return description
  throw new Error(`the chain has a transaction of type ${description.type}`)
}

type Description = ReturnType<typeof descriptionOf>

function serializePhases(description: Description) {
  const { storagePhase: storage, creditPhase: credit, actionPhase: action } = description
  return {
    compute_phase: serializeCompute(description.computePhase),
    storage_phase: storage && {
      fees_collected: storage.storageFeesCollected,
      fees_due: storage.storageFeesDue ?? undefined,
      status_change: statusChanges[storage.statusChange],
    },
    credit_phase: credit && {
      fees_collected: credit.dueFeesColelcted ?? 0n,
      credit: credit.credit.coins,
    },
    action_phase: action && {
      success: action.success,
      result_code: action.resultCode,
      total_actions: action.totalActions,
      skipped_actions: action.skippedActions,
      fwd_fees: action.totalFwdFees ?? 0n,
      total_fees: action.totalActionFees ?? 0n,
      result_code_description: describeActionResult(action.resultCode) ?? undefined,
    },
    bounce_phase: description.bouncePhase && bounceTypes[description.bouncePhase.type],
  }
}

function serializeCompute(phase: Description['computePhase']) {
  if (phase.type === 'skipped') return { skipped: true, skip_reason: skipReasons[phase.reason] }
  return {
    skipped: false,
    success: phase.success,
    gas_fees: phase.gasFees,
    gas_used: phase.gasUsed,
    vm_steps: phase.vmSteps,
    exit_code: phase.exitCode,
    exit_code_description: describeExitCode(phase.exitCode) ?? undefined,
  }
}

/**
 * Serializes a Message of the service.
 * @param hash the hash of the original cell
 * @param transactionLt replaces an external message's creation time
 */
function serializeMessage(
  message: Message,
  hash: string,
  transactionLt: bigint,
  book: AccountBook,
) {
  return {
    ...serializeInfo(message, transactionLt, book),
    hash,
    init: serializeInit(message),
    ...serializeContent(message),
  }
}

const messageTypes = {
  internal: 'int_msg',
  'external-in': 'ext_in_msg',
  'external-out': 'ext_out_msg',
} as const

function serializeInfo({ info }: Message, transactionLt: bigint, { describe }: AccountBook) {
  const isInternal = info.type === 'internal'
  const isIncoming = info.type === 'external-in'
  return {
    msg_type: messageTypes[info.type],
    created_lt: isIncoming ? transactionLt : info.createdLt,
    ihr_disabled: isInternal && info.ihrDisabled,
    bounce: isInternal && info.bounce,
    bounced: isInternal && info.bounced,
    value: isInternal ? info.value.coins : 0,
    fwd_fee: isInternal ? info.forwardFee : 0,
    ihr_fee: isInternal ? info.ihrFee : 0,
    destination: info.type === 'external-out' ? undefined : describe(info.dest.toRawString()),
    source: isIncoming ? undefined : describe(info.src.toRawString()),
    import_fee: isIncoming ? info.importFee : 0,
    created_at: isIncoming ? 0 : info.createdAt,
  }
}

function serializeInit({ init }: Message) {
  if (!init) return undefined
  const cell = beginCell().store(storeStateInit(init)).endCell()
  return { boc: formatCell(cell), interfaces: [] }
}

function serializeContent(message: Message) {
  const { body } = message
  if (body.bits.length === 0 && body.refs.length === 0) return {}
  return { ...serializeOperation(body, decodeMessageBody(message)), raw_body: formatCell(body) }
}

export function serializeOperation(body: Cell, decoded: DecodedBody | null) {
  const operation = readOperation(body)
  const formatted = decoded === null ? null : formatBody(decoded)
  return {
    op_code: operation === null ? undefined : formatOpcode(operation),
    decoded_op_name: formatted?.name,
    decoded_body: formatted?.value,
  }
}

type PrintedTrace = {
  readonly transaction: object
  readonly interfaces: readonly string[]
  readonly children: readonly PrintedTrace[]
  readonly emulated: boolean
}

export function serializeTrace(
  { transaction, children }: TraceNode,
  deps: { readonly book: AccountBook; readonly chain: Chain; readonly isEmulated: boolean },
): PrintedTrace {
  const codeHash = codeHashOf(deps.chain.account(transaction.account))
  const version = codeHash === null ? null : walletVersionOf(codeHash)
  return {
    transaction: serializeTransaction(transaction, deps.book),
    interfaces: version === null ? [] : [walletInterface(version)],
    children: children.map((child) => serializeTrace(child, deps)),
    emulated: deps.isEmulated,
  }
}

/** Skipped code counts as success, as on the service. */
export function isSuccess(executed: ExecutedTransaction): boolean {
  const { computePhase: compute, actionPhase: action } = descriptionOf(executed)
  return (compute.type !== 'vm' || compute.success) && (action?.success ?? true)
}

export const isBouncing = (executed: ExecutedTransaction): boolean =>
  descriptionOf(executed).bouncePhase?.type === 'ok'

export function isWithoutState(executed: ExecutedTransaction): boolean {
  const { computePhase } = descriptionOf(executed)
  return computePhase.type === 'skipped' && computePhase.reason === 'no-state'
}

/**
 * The fees that the account pays. A skipped action costs a fine, which is in the total, and
 * forwards nothing.
 */
export const feesOf = ({ transaction }: ExecutedTransaction): bigint =>
  transaction.outMessages
    .values()
    .reduce(
      (sum, { info }) => sum + (info.type === 'internal' ? info.forwardFee : 0n),
      transaction.totalFees.coins,
    )

export const shard = '8000000000000000'

/** Each height has one masterchain and one basechain block with the same number. */
export const serializeBlockId = (workchain: number, seqno: number): string =>
  `(${workchain},${shard},${seqno})`

export const workchainOf = (account: string): number =>
  Number(account.slice(0, account.indexOf(':')))
