import type { Trace, TraceNode } from '../../src-preload/contract/chain.ts'
import { type LabelsOf, accountsOf, createNaming, type Naming } from './account-refs.ts'
import { type AssetOf, jettonsIn } from './jetton-movement.ts'
import { valueOf } from './read-message.ts'
import { type ReadNode, namedIn } from './read-trace.ts'
import { describeTrace } from './sentence.ts'
import { showValueFlow } from './value-flow.ts'

/** A trace as the window shows it, and how its accounts are named. */
export function showTrace(
  nodes: readonly ReadNode[],
  { assetOf, labelsOf }: { readonly assetOf: AssetOf; readonly labelsOf: LabelsOf },
): { readonly trace: Trace; readonly name: Naming } {
  const accounts = nodes.flatMap(({ transaction }) => [...accountsOf(transaction)])
  const name = createNaming(accounts, namedIn(nodes), labelsOf)
  const isEmulated = nodes[0]?.isEmulated ?? false
  const trace: Trace = {
    nodes: nodes.map((node) => showNode(node, assetOf, name)),
    isComplete: isComplete(nodes),
    flow: showValueFlow(nodes, assetOf, name),
    sentence: describeTrace(nodes, { name, assetOf, isEmulated }),
  }
  return { trace, name }
}

/** No message of it is still on its way. */
export function isComplete(nodes: readonly ReadNode[]): boolean {
  const [root] = nodes
  return nodes.every(
    ({ underWay, isEmulated }) => underWay.length === 0 && isEmulated === root?.isEmulated,
  )
}

function showNode(
  { transaction, interfaces, isEmulated, parent, depth, message, exitCode, failure }: ReadNode,
  assetOf: AssetOf,
  name: Naming,
): TraceNode {
  const source = message?.answer.source
  const amount = message === null ? null : jettonsIn(message)
  const asset = amount === null ? undefined : assetOf(amount.wallet)
  return {
    // What is only emulated has one too, of a transaction that will never be.
    hash: isEmulated ? null : transaction.hash,
    parent: parent?.index ?? null,
    depth,
    account: name(transaction.account),
    lt: transaction.lt,
    at: transaction.utime * 1000,
    success: failure === null,
    source: source ? name(source) : null,
    value: message === null ? '0' : valueOf(message.answer).toString(),
    jetton: amount === null || !asset ? null : { asset, units: amount.units.toString() },
    opcode: message?.opcode ?? null,
    operation: message?.operation ?? null,
    comment: message?.comment ?? null,
    bounced: message?.answer.bounced ?? false,
    exitCode,
    failure,
    fees: transaction.total_fees,
    interfaces: [...interfaces],
  }
}
