import {
  type AccountStatus,
  type AccountStatusChange,
  type ComputeSkipReason,
  type Message,
  type Transaction,
  type TransactionDescription,
  beginCell,
  storeStateInit,
} from '@ton/core'
import { formatCell } from '../../ton/boc.ts'
import { decodeMessageBody, formatBody, readOperation } from '../../ton/decode-body.ts'
import { describeActionResult, describeExitCode } from '../../ton/exit-codes.ts'
import { hashOfBigint, messageHashesOf } from '../../ton/hash.ts'
import { formatOpcode } from '../../ton/opcodes.ts'
import { walletInterface, walletVersionOf } from '../../ton/wallet.ts'
import type { Chain } from '../chain/create-chain.ts'
import type { ExecutedTransaction, TraceNode } from '../chain/chain.ts'
import { type AccountBook, codeHashOf } from './accounts.ts'

export function serializeTransaction(executed: ExecutedTransaction, book: AccountBook) {
  const { transaction, lt } = executed
  const { inMessage, description, stateUpdate } = transaction
  const hashes = messageHashesOf(executed.cell)
  const print = (message: Message, hash: string | null | undefined) =>
    serializeMessage(message, { hash: hash ?? '', transactionLt: lt }, book)
  return {
    hash: executed.hash,
    lt,
    account: book.describe(executed.account),
    success: isSuccess(description),
    utime: executed.utime,
    orig_status: statuses[transaction.oldStatus],
    end_status: statuses[transaction.endStatus],
    total_fees: transaction.totalFees.coins,
    end_balance: executed.endBalance,
    transaction_type: types[description.type],
    state_update_old: stateUpdate.oldHash.toString('hex'),
    state_update_new: stateUpdate.newHash.toString('hex'),
    ...(inMessage ? { in_msg: print(inMessage, hashes.incoming) } : {}),
    out_msgs: transaction.outMessages
      .values()
      .map((message, index) => print(message, hashes.outgoing[index])),
    block: serializeBlockId({
      workchain: workchainOf(executed.account),
      seqno: executed.blockSeqno,
    }),
    ...serializePrevious(transaction),
    ...serializePhases(description),
    aborted: 'aborted' in description && description.aborted,
    destroyed: 'destroyed' in description && description.destroyed,
    raw: formatCell(executed.cell),
  }
}

const statuses: Record<AccountStatus, string> = {
  'non-existing': 'nonexist',
  uninitialized: 'uninit',
  active: 'active',
  frozen: 'frozen',
}

const types: Record<TransactionDescription['type'], string> = {
  generic: 'TransOrd',
  'tick-tock': 'TransTickTock',
  'split-prepare': 'TransSplitPrepare',
  'split-install': 'TransSplitInstall',
  'merge-prepare': 'TransMergePrepare',
  'merge-install': 'TransMergeInstall',
  storage: 'TransStorage',
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

function serializePrevious(transaction: Transaction) {
  if (transaction.prevTransactionLt === 0n) return {}
  return {
    prev_trans_hash: hashOfBigint(transaction.prevTransactionHash),
    prev_trans_lt: transaction.prevTransactionLt,
  }
}

function serializePhases(description: TransactionDescription) {
  const compute = 'computePhase' in description ? description.computePhase : null
  const storage = 'storagePhase' in description ? description.storagePhase : null
  const credit = 'creditPhase' in description ? description.creditPhase : null
  const action = 'actionPhase' in description ? description.actionPhase : null
  const bounce = 'bouncePhase' in description ? description.bouncePhase : null
  return {
    ...(compute ? { compute_phase: serializeCompute(compute) } : {}),
    ...(storage ? { storage_phase: serializeStorage(storage) } : {}),
    ...(credit
      ? {
          credit_phase: {
            fees_collected: credit.dueFeesColelcted ?? 0n,
            credit: credit.credit.coins,
          },
        }
      : {}),
    ...(action ? { action_phase: serializeAction(action) } : {}),
    ...(bounce ? { bounce_phase: bounceTypes[bounce.type] } : {}),
  }
}

type Phases = Extract<TransactionDescription, { type: 'generic' }>

function serializeCompute(phase: Phases['computePhase']) {
  if (phase.type === 'skipped') return { skipped: true, skip_reason: skipReasons[phase.reason] }
  const meaning = describeExitCode(phase.exitCode)
  return {
    skipped: false,
    success: phase.success,
    gas_fees: phase.gasFees,
    gas_used: phase.gasUsed,
    vm_steps: phase.vmSteps,
    exit_code: phase.exitCode,
    ...(meaning === null ? {} : { exit_code_description: meaning }),
  }
}

function serializeStorage(phase: NonNullable<Phases['storagePhase']>) {
  const due = phase.storageFeesDue ?? null
  return {
    fees_collected: phase.storageFeesCollected,
    ...(due === null ? {} : { fees_due: due }),
    status_change: statusChanges[phase.statusChange],
  }
}

function serializeAction(phase: NonNullable<Phases['actionPhase']>) {
  const meaning = describeActionResult(phase.resultCode)
  return {
    success: phase.success,
    result_code: phase.resultCode,
    total_actions: phase.totalActions,
    skipped_actions: phase.skippedActions,
    fwd_fees: phase.totalFwdFees ?? 0n,
    total_fees: phase.totalActionFees ?? 0n,
    ...(meaning === null ? {} : { result_code_description: meaning }),
  }
}

/**
 * Message of the service.
 * @param facts.hash of the original cell
 * @param facts.transactionLt replaces an external message's creation time
 */
function serializeMessage(
  message: Message,
  facts: { readonly hash: string; readonly transactionLt: bigint },
  book: AccountBook,
) {
  return {
    ...serializeInfo(message, facts.transactionLt, book),
    hash: facts.hash,
    ...serializeInit(message),
    ...serializeContent(message),
  }
}

function serializeInfo({ info }: Message, transactionLt: bigint, book: AccountBook) {
  switch (info.type) {
    case 'internal':
      return {
        msg_type: 'int_msg',
        created_lt: info.createdLt,
        ihr_disabled: info.ihrDisabled,
        bounce: info.bounce,
        bounced: info.bounced,
        value: info.value.coins,
        fwd_fee: info.forwardFee,
        ihr_fee: info.ihrFee,
        destination: book.describe(info.dest.toRawString()),
        source: book.describe(info.src.toRawString()),
        import_fee: 0,
        created_at: info.createdAt,
      }
    case 'external-in':
      return {
        ...external,
        msg_type: 'ext_in_msg',
        created_lt: transactionLt,
        destination: book.describe(info.dest.toRawString()),
        import_fee: info.importFee,
        created_at: 0,
      }
    case 'external-out':
      return {
        ...external,
        msg_type: 'ext_out_msg',
        created_lt: info.createdLt,
        source: book.describe(info.src.toRawString()),
        import_fee: 0,
        created_at: info.createdAt,
      }
  }
}

const external = {
  ihr_disabled: false,
  bounce: false,
  bounced: false,
  value: 0,
  fwd_fee: 0,
  ihr_fee: 0,
}

function serializeInit({ init }: Message) {
  if (init === undefined || init === null) return {}
  const cell = beginCell().store(storeStateInit(init)).endCell()
  return { init: { boc: formatCell(cell), interfaces: [] } }
}

function serializeContent(message: Message) {
  const { body } = message
  if (body.bits.length === 0 && body.refs.length === 0) return {}
  const operation = readOperation(body)
  const decoded = decodeMessageBody(message)
  const printed = decoded === null ? null : formatBody(decoded)
  return {
    ...(operation === null ? {} : { op_code: formatOpcode(operation) }),
    raw_body: formatCell(body),
    ...(printed === null ? {} : { decoded_op_name: printed.name, decoded_body: printed.value }),
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
export function isSuccess(description: TransactionDescription): boolean {
  const compute = 'computePhase' in description ? description.computePhase : null
  const action = 'actionPhase' in description ? description.actionPhase : null
  return (compute?.type !== 'vm' || compute.success) && (action?.success ?? true)
}

export function isBouncing({ transaction }: ExecutedTransaction): boolean {
  const { description } = transaction
  return description.type === 'generic' && description.bouncePhase?.type === 'ok'
}

export function isWithoutState({ transaction }: ExecutedTransaction): boolean {
  const { description } = transaction
  if (!('computePhase' in description)) return false
  const { computePhase } = description
  return computePhase.type === 'skipped' && computePhase.reason === 'no-state'
}

export function feesOf({ transaction }: ExecutedTransaction): bigint {
  const { description, totalFees } = transaction
  const action = 'actionPhase' in description ? description.actionPhase : null
  const bounce = 'bouncePhase' in description ? description.bouncePhase : null
  const forwarded = (action?.totalFwdFees ?? 0n) - (action?.totalActionFees ?? 0n)
  return totalFees.coins + forwarded + (bounce?.type === 'ok' ? bounce.forwardFees : 0n)
}

export function creditOf({ transaction }: ExecutedTransaction): bigint {
  const { description } = transaction
  const credit = 'creditPhase' in description ? description.creditPhase : null
  return credit?.credit.coins ?? 0n
}

export function sentBy({ transaction }: ExecutedTransaction): Message[] {
  return transaction.outMessages.values()
}

/** Each height has one masterchain and one basechain block with the same number. */
export type BlockId = { readonly workchain: number; readonly seqno: number }

export const shard = '8000000000000000'

export function serializeBlockId({ workchain, seqno }: BlockId): string {
  return `(${workchain},${shard},${seqno})`
}

export function workchainOf(account: string): number {
  return Number(account.slice(0, account.indexOf(':')))
}
