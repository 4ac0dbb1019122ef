import type { TraceNode } from '../chain/chain.ts'
import type { Action } from './actions.ts'
import { creditOf, feesOf, sentBy } from './transaction-facts.ts'

/** What an account has gained, or lost: minimal units. */
export type AccountFlow = {
  /** Fees are taken off already. */
  readonly grams: bigint
  readonly fees: bigint
  /** By master; none of zero. */
  readonly jettons: ReadonlyMap<string, bigint>
}

/** Of all accounts that took part, by raw address, in the order in which they did. */
export function valueFlow(
  root: TraceNode,
  actions: readonly Action[],
): ReadonlyMap<string, AccountFlow> {
  const flows = new Map<string, { grams: bigint; fees: bigint; jettons: Map<string, bigint> }>()

  function flowOf(account: string) {
    const known = flows.get(account)
    if (known !== undefined) return known
    const made = { grams: 0n, fees: 0n, jettons: new Map<string, bigint>() }
    flows.set(account, made)
    return made
  }

  function addTransactions({ transaction, children }: TraceNode): void {
    const flow = flowOf(transaction.account)
    const fees = feesOf(transaction)
    const sent = sentBy(transaction).reduce(
      (sum, { info }) => sum + (info.type === 'internal' ? info.value.coins + info.ihrFee : 0n),
      0n,
    )
    flow.grams += creditOf(transaction) - sent - fees
    flow.fees += fees
    for (const child of children) addTransactions(child)
  }

  function addJettons(account: string, master: string, amount: bigint): void {
    const { jettons } = flowOf(account)
    const sum = (jettons.get(master) ?? 0n) + amount
    if (sum === 0n) jettons.delete(master)
    else jettons.set(master, sum)
  }

  addTransactions(root)
  for (const { isOk, details } of actions) {
    if (!isOk) continue
    if (details.type === 'JettonTransfer') {
      addJettons(details.sender, details.master, -details.amount)
      if (details.recipient !== null) addJettons(details.recipient, details.master, details.amount)
    } else if (details.type === 'JettonMint') {
      addJettons(details.recipient, details.master, details.amount)
    } else if (details.type === 'JettonBurn') {
      addJettons(details.sender, details.master, -details.amount)
    }
  }
  return flows
}
