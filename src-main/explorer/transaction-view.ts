import type {
  MessageView,
  TransactionView,
  Phases,
  DecodedBody,
  DecodedField,
} from '../../src-preload/contract/chain.ts'
import type { MessageAnswer, TransactionAnswer } from '../gateway/query-answers.ts'
import type { Naming } from './addresses.ts'
import {
  failureOf,
  describeActionExit,
  describeBounce,
  describeExitOf,
  describeSkip,
} from './failure.ts'
import { readMessage, showExtra } from './read-trace.ts'
import { showBody } from './decoded-fields.ts'
import { type Cell, type MessageRelaxed, loadMessageRelaxed } from '@ton/core'
import { readBoc } from '../ton/boc.ts'
import { readComment } from '../ton/payload.ts'
import { readOperation } from '../ton/decode-body.ts'
import { operationName, formatOpcode } from '../ton/opcodes.ts'
import {
  type WalletOrder,
  decodeWalletOrders,
  walletInterface,
  walletVersionAmong,
} from '../ton/wallet.ts'

export function showTransaction(
  transaction: TransactionAnswer,
  name: Naming,
  interfaces: readonly string[] = [],
): TransactionView {
  const { in_msg: incoming, prev_trans_hash: hash, prev_trans_lt: lt } = transaction
  const failure = failureOf(transaction)
  return {
    hash: transaction.hash,
    lt: transaction.lt,
    account: name(transaction.account),
    at: transaction.utime * 1000,
    success: failure === null,
    failure,
    aborted: transaction.aborted,
    destroyed: transaction.destroyed,
    type: transaction.transaction_type,
    statusBefore: transaction.orig_status,
    statusAfter: transaction.end_status,
    fees: transaction.total_fees,
    // The open edition of the service always sends 0, which an active account hardly ever has.
    balanceAfter:
      transaction.end_balance === '0' && transaction.end_status === 'active'
        ? null
        : transaction.end_balance,
    block: transaction.block,
    previous: hash && lt ? { hash, lt } : null,
    stateBefore: transaction.state_update_old,
    stateAfter: transaction.state_update_new,
    inMessage: incoming ? showMessage(incoming, name, interfaces) : null,
    outMessages: transaction.out_msgs.map((message) => showMessage(message, name)),
    phases: showPhases(transaction),
    raw: transaction.raw,
  }
}

function showPhases(transaction: TransactionAnswer): Phases {
  const { storage_phase: storage, credit_phase: credit, bounce_phase: bounce } = transaction
  return {
    storage: storage
      ? {
          collected: storage.fees_collected,
          due: storage.fees_due ?? null,
          statusChange: storage.status_change,
        }
      : null,
    credit: credit ? { collected: credit.fees_collected, credit: credit.credit } : null,
    compute: showCompute(transaction),
    action: showAction(transaction),
    bounce: bounce ? describeBounce(bounce) : null,
  }
}

function showCompute({ compute_phase: phase }: TransactionAnswer): Phases['compute'] {
  if (!phase) return null
  const exitCode = phase.exit_code ?? null
  return {
    skipped: phase.skipped ? describeSkip(phase.skip_reason) : null,
    success: phase.success ?? null,
    gasFees: phase.gas_fees ?? null,
    gasUsed: phase.gas_used ?? null,
    steps: phase.vm_steps ?? null,
    exitCode,
    exitWords: exitCode === null ? null : describeExitOf(exitCode, phase.exit_code_description),
  }
}

function showAction({ action_phase: phase }: TransactionAnswer): Phases['action'] {
  if (!phase) return null
  return {
    success: phase.success,
    resultCode: phase.result_code,
    resultWords: describeActionExit(phase.result_code, phase.result_code_description),
    totalActions: phase.total_actions,
    skippedActions: phase.skipped_actions,
    forwardFees: phase.fwd_fees,
    totalFees: phase.total_fees,
  }
}

const types = {
  int_msg: 'internal',
  ext_in_msg: 'external_in',
  ext_out_msg: 'external_out',
} as const

function showMessage(
  answer: MessageAnswer,
  name: Naming,
  interfaces: readonly string[] = [],
): MessageView {
  const message = readMessage(answer)
  const { opcode, operation, comment } = message
  const { source, destination } = answer
  return {
    type: types[answer.msg_type],
    hash: answer.hash,
    source: source ? name(source) : null,
    destination: destination ? name(destination) : null,
    value: answer.value,
    extra: showExtra(answer.value_extra),
    ihrFee: answer.ihr_disabled ? '0' : answer.ihr_fee,
    forwardFee: answer.fwd_fee,
    importFee: answer.import_fee,
    createdLt: answer.created_lt,
    createdAt: answer.created_at * 1000,
    bounce: answer.bounce,
    bounced: answer.bounced,
    opcode,
    operation,
    comment,
    body: showOrders(answer, interfaces) ?? showBody(message),
    rawBody: answer.raw_body ?? null,
    init: answer.init?.boc ?? null,
  }
}

function showOrders(
  { msg_type, raw_body }: MessageAnswer,
  interfaces: readonly string[],
): DecodedBody | null {
  const version = msg_type === 'ext_in_msg' ? walletVersionAmong(interfaces) : null
  const body = readBoc(raw_body)
  const orders = version === null || body === null ? null : decodeWalletOrders(version, body)
  if (orders === null) return null
  const { subwalletId, validUntil, seqno } = orders
  return {
    operation: `${walletInterface(orders.version)}_order`,
    fields: [
      number('subwallet_id', subwalletId),
      number('valid_until', validUntil),
      number('seqno', seqno),
      ...orders.orders.flatMap((order, index) => orderFields(order, `messages.${index}`)),
    ],
  }
}

function orderFields({ mode, message: cell }: WalletOrder, at: string): DecodedField[] {
  const message = readRelaxed(cell)
  const fields = [number(`${at}.mode`, mode)]
  if (message?.info.type !== 'internal') return fields
  const { dest, value } = message.info
  const opcode = readOperation(message.body)
  const comment = readComment(message.body)
  const description =
    comment !== null
      ? [text(`${at}.comment`, comment)]
      : opcode === null
        ? []
        : [text(`${at}.operation`, operationName(opcode) ?? formatOpcode(opcode))]
  return [
    ...fields,
    { name: `${at}.destination`, kind: 'address', value: dest.toRawString() },
    { name: `${at}.value`, kind: 'ton', value: value.coins.toString() },
    ...description,
  ]
}

/** The owner may have signed an invalid message. */
function readRelaxed(cell: Cell): MessageRelaxed | null {
  try {
    return loadMessageRelaxed(cell.beginParse())
  } catch {
    return null
  }
}

const number = (name: string, value: number): DecodedField => ({
  name,
  kind: 'number',
  value: String(value),
})
const text = (name: string, value: string): DecodedField => ({ name, kind: 'text', value })
