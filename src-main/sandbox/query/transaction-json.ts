import type {
  AccountStatus,
  AccountStatusChange,
  ComputeSkipReason,
  Message,
  Transaction,
  TransactionDescription,
} from '@ton/core'
import { formatCell } from '../../ton/boc.ts'
import { describeActionResult, describeExitCode } from '../../ton/exit-codes.ts'
import { hashOfBigint, messageHashesOf } from '../../ton/hash.ts'
import type { ExecutedTransaction } from '../chain/chain.ts'
import type { AccountBook } from './account-book.ts'
import { serializeBlockId, workchainOf } from './block-id.ts'
import { serializeMessage } from './message-json.ts'
import { isSuccess } from './transaction-facts.ts'

/** Transaction of the service. */
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

/** A suspended account is among them on the chain; @ton/core has no word for it. */
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
