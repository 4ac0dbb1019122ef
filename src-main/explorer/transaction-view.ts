import type { MessageView, TransactionView } from '../../src-preload/contract/chain.ts'
import type { MessageAnswer, TransactionAnswer } from '../gateway/query-answers.ts'
import type { Naming } from './account-refs.ts'
import { failureOf } from './exit-words.ts'
import { showMessage } from './message-view.ts'
import { showPhases } from './phases-view.ts'
import { readMessage } from './read-message.ts'
import { showOrders } from './show-orders.ts'

/**
 * A transaction of the gateway as the window shows it.
 * @param interfaces of its account, as far as they are known
 */
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
    // The open edition of the service always says 0; an active account's balance is hardly ever that.
    balanceAfter:
      transaction.end_balance === '0' && transaction.end_status === 'active'
        ? null
        : transaction.end_balance,
    block: transaction.block,
    previous: hash && lt ? { hash, lt } : null,
    stateBefore: transaction.state_update_old,
    stateAfter: transaction.state_update_new,
    inMessage: incoming ? showIncoming(incoming, name, interfaces) : null,
    outMessages: transaction.out_msgs.map((message) => showMessage(readMessage(message), name)),
    phases: showPhases(transaction),
    raw: transaction.raw,
  }
}

function showIncoming(
  incoming: MessageAnswer,
  name: Naming,
  interfaces: readonly string[],
): MessageView {
  const shown = showMessage(readMessage(incoming), name)
  return { ...shown, body: showOrders(incoming, interfaces) ?? shown.body }
}
