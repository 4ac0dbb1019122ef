import type { ExecutedTransaction, TraceNode } from './chain.ts'

/**
 * @param transactions of one trace, in the order of execution: parents come before their children
 * @returns null for none
 */
export function buildTrace(transactions: readonly ExecutedTransaction[]): TraceNode | null {
  const [first] = transactions
  if (first === undefined) return null
  const children = new Map<string, TraceNode[]>()
  const root = toNode(first)
  for (const transaction of transactions.slice(1)) {
    const node = toNode(transaction)
    children.get(transaction.parent ?? first.hash)?.push(node)
  }
  return root

  function toNode(transaction: ExecutedTransaction): TraceNode {
    const below: TraceNode[] = []
    children.set(transaction.hash, below)
    return { transaction, children: below }
  }
}
