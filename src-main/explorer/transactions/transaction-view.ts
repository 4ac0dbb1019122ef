import type {
  MessageView,
  TransactionView,
  Phases,
  DecodedBody,
  DecodedField,
  WalletOrder as OrderView,
} from '../../../src-preload/contract/chain/transaction.ts'
import type { MessageResponse, TransactionResponse } from '../../gateway/query-responses.ts'
import type { Naming } from '../../chain/addresses.ts'
import {
  failureOf,
  describeActionExit,
  describeBounce,
  describeExitOf,
  describeSkip,
} from '../../chain/failure.ts'
import { feesOf } from '../../chain/history-row.ts'
import {
  type AssetOf,
  orderedJettons,
  ordersIn,
  readMessage,
  extraBalances,
} from '../../chain/read-trace.ts'
import { parseTransaction } from '../../chain/check-transaction.ts'
import { showBody } from '../../chain/decoded-fields.ts'
import { readBoc } from '../../ton/boc.ts'
import { readComment } from '../../ton/payload.ts'
import { readOperation } from '../../ton/decode-body.ts'
import { operationName } from '../../ton/opcodes.ts'
import { formatOpcode } from '../../../src-preload/domain/opcode.ts'
import {
  type SignedOrders,
  type WalletOrder,
  matchOrders,
  readOrder,
  sendMode,
} from '../../ton/wallet.ts'

export function showTransaction(
  transaction: TransactionResponse,
  name: Naming,
  assetOf: AssetOf,
  interfaces: readonly string[] = [],
): TransactionView {
  const { in_msg: incoming, prev_trans_hash: hash, prev_trans_lt: lt } = transaction
  const failure = failureOf(transaction)
  const orders = incoming ? ordersIn(incoming, interfaces) : null
  return {
    hash: transaction.hash,
    lt: transaction.lt,
    account: name(transaction.account),
    at: transaction.utime * 1000,
    success: failure === null,
    failure,
    aborted: transaction.aborted,
    type: transaction.transaction_type,
    statusBefore: transaction.orig_status,
    statusAfter: transaction.end_status,
    fees: feesOf(transaction).toString(),
    // The open edition of the service always sends 0, which an active account rarely has.
    balanceAfter:
      transaction.end_balance === '0' && transaction.end_status === 'active'
        ? null
        : transaction.end_balance,
    block: transaction.block,
    previous: hash && lt ? { hash, lt } : null,
    stateBefore: transaction.state_update_old,
    stateAfter: transaction.state_update_new,
    inMessage: incoming ? showMessage(incoming, name, orders) : null,
    order: orders && showOrder(orders, transaction, { name, assetOf }),
    outMessages: transaction.out_msgs.map((message) => showMessage(message, name)),
    phases: showPhases(transaction),
    raw: transaction.raw,
  }
}

function showPhases(transaction: TransactionResponse): Phases {
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

function showCompute({ compute_phase: phase }: TransactionResponse): Phases['compute'] {
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

function showAction({ action_phase: phase }: TransactionResponse): Phases['action'] {
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
  response: MessageResponse,
  name: Naming,
  orders: SignedOrders | null = null,
): MessageView {
  const message = readMessage(response)
  const { opcode, operation, comment } = message
  const { source, destination } = response
  return {
    type: types[response.msg_type],
    hash: response.hash,
    source: source ? name(source) : null,
    destination: destination ? name(destination) : null,
    value: response.value,
    extra: extraBalances(response.value_extra),
    ihrFee: response.ihr_disabled ? '0' : response.ihr_fee,
    forwardFee: response.fwd_fee,
    importFee: response.import_fee,
    createdLt: response.created_lt,
    createdAt: response.created_at * 1000,
    bounce: response.bounce,
    bounced: response.bounced,
    opcode,
    operation,
    comment,
    body: (orders && listOrders(orders)) ?? showBody(message),
    rawBody: response.raw_body ?? null,
    init: response.init?.boc ?? null,
  }
}

const forever = 0xffffffff

function showOrder(
  { wallet, subwalletId, validUntil, seqno, queryId, orders, isDeferred }: SignedOrders,
  { raw }: TransactionResponse,
  { name, assetOf }: { readonly name: Naming; readonly assetOf: AssetOf },
): OrderView {
  const cell = isDeferred ? null : readBoc(raw)
  const sent = cell && parseTransaction(cell)?.transaction.outMessages.values()
  return {
    wallet,
    subwalletId,
    seqno,
    queryId: queryId === null ? null : String(queryId),
    validUntil: validUntil >= forever ? null : validUntil * 1000,
    messages: matchOrders(orders, sent ?? []).map(({ mode, order, isSent }) => {
      const jetton = orderedJettons(order)
      const opcode = order && readOperation(order.body)
      return {
        mode,
        destination: order && name(order.info.dest.toRawString()),
        value: order && String(order.info.value.coins),
        amount: amountOf(mode),
        operation: opcode === null ? null : (operationName(opcode) ?? formatOpcode(opcode)),
        comment: order && readComment(order.body),
        jetton: jetton && {
          units: String(jetton.amount),
          asset: assetOf(jetton.wallet) ?? null,
          recipient: jetton.destination && name(jetton.destination.toRawString()),
        },
        isSent: sent ? isSent : null,
      }
    }),
  }
}

function amountOf(mode: number): OrderView['messages'][number]['amount'] {
  if (mode >= sendMode.allBalance) return 'whole_balance'
  return mode >= sendMode.remainingValue ? 'remaining_value' : 'value'
}

const listOrders = ({ wallet, subwalletId, validUntil, seqno, queryId, orders }: SignedOrders) =>
  ({
    operation: `${wallet}_order`,
    fields: [
      number('subwallet_id', subwalletId),
      number('valid_until', validUntil),
      seqno === null ? number('query_id', queryId ?? 0n) : number('seqno', seqno),
      ...orders.flatMap((order, index) => orderFields(order, `messages.${index}`)),
    ],
  }) satisfies DecodedBody

function orderFields({ mode, message: cell }: WalletOrder, at: string): DecodedField[] {
  const message = readOrder(cell)
  const fields = [number(`${at}.mode`, mode)]
  if (message === null) return fields
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

const number = (name: string, value: number | bigint): DecodedField => ({
  name,
  kind: 'number',
  value: String(value),
})
const text = (name: string, value: string): DecodedField => ({ name, kind: 'text', value })
