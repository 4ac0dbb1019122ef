import { codeHashOf } from './account-state.ts'
import { walletInterface, walletVersionOf } from '../../ton/wallet.ts'
import type { Chain, TraceNode } from '../chain/chain.ts'
import type { AccountBook } from './account-book.ts'
import { serializeTransaction } from './transaction-json.ts'

type PrintedTrace = {
  readonly transaction: object
  readonly interfaces: readonly string[]
  readonly children: readonly PrintedTrace[]
  readonly emulated: boolean
}

/** Trace of the service. */
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
