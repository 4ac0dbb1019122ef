import type { Asset } from '../../../src-preload/contract/chain/references.ts'
import type {
  Trace,
  TraceNode,
  ValueFlow,
} from '../../../src-preload/contract/chain/transaction.ts'
import { type LabelsOf, accountsOf, createNamer, type Naming } from '../../chain/addresses.ts'
import { feesOf } from '../../chain/history-row.ts'
import {
  type AssetOf,
  isJettonMessage,
  jettonsIn,
  valueOf,
  type ReadNode,
  namedIn,
  assetOfExtra,
} from '../../chain/read-trace.ts'
import { describeTrace } from '../../chain/sentence.ts'
import type { MessageResponse, TransactionResponse } from '../../gateway/query-responses.ts'

export function showTrace(
  nodes: readonly ReadNode[],
  { assetOf, labelsOf }: { readonly assetOf: AssetOf; readonly labelsOf: LabelsOf },
): { readonly trace: Trace; readonly name: Naming } {
  const accounts = nodes.flatMap(({ transaction }) => [...accountsOf(transaction)])
  const name = createNamer(accounts, namedIn(nodes), labelsOf)
  const isEmulated = nodes[0]?.isEmulated ?? false
  const trace: Trace = {
    nodes: nodes.map((node) => showNode(node, assetOf, name)),
    isComplete: isComplete(nodes),
    flow: showValueFlow(nodes, assetOf, name),
    sentence: describeTrace(nodes, { name, assetOf, isEmulated }),
  }
  return { trace, name }
}

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
    // An emulated transaction's hash will never be on the chain.
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
    fees: feesOf(transaction).toString(),
    interfaces: [...interfaces],
  }
}

type Moved<A> = Map<string, { asset: A; units: bigint }>
/** The asset is null if the jetton is unknown. */
type Flow = { ton: bigint; fees: bigint; jettons: Moved<Asset | null>; extra: Moved<Asset> }

function showValueFlow(nodes: readonly ReadNode[], assetOf: AssetOf, name: Naming): ValueFlow[] {
  const flows = new Map<string, Flow>()

  function flowOf(account: string): Flow {
    const known = flows.get(account)
    if (known !== undefined) return known
    const created: Flow = { ton: 0n, fees: 0n, jettons: new Map(), extra: new Map() }
    flows.set(account, created)
    return created
  }

  for (const { transaction } of nodes) {
    const flow = flowOf(transaction.account.address)
    const { ton, fees } = tonFlowOf(transaction)
    flow.ton += ton
    flow.fees += fees
    for (const { id, asset, units } of extraChanges(transaction)) add(flow.extra, id, asset, units)
  }
  for (const { account, asset, units } of nodes.flatMap((node) => jettonChanges(node, assetOf))) {
    add(flowOf(account).jettons, asset?.jetton ?? '', asset, units)
  }

  return [...flows].flatMap(([account, { ton, fees, ...moved }]) => {
    const [jettons, extra] = [showMoved(moved.jettons), showMoved(moved.extra)]
    const isUnmoved = jettons.length === 0 && extra.length === 0
    if (ton === 0n && fees === 0n && isUnmoved) return []
    return [{ account: name(account), ton: String(ton), fees: String(fees), jettons, extra }]
  })
}

function add<A>(moved: Moved<A>, key: string, asset: A, units: bigint): void {
  moved.set(key, { asset, units: (moved.get(key)?.units ?? 0n) + units })
}

const showMoved = <A>(moved: Moved<A>) =>
  [...moved.values()].flatMap(({ asset, units }) =>
    units === 0n ? [] : [{ asset, units: units.toString() }],
  )

function extraChanges({ in_msg: incoming, out_msgs: outgoing }: TransactionResponse) {
  const changes = (message: MessageResponse, sign: 1n | -1n) =>
    message.value_extra.map((each) => ({
      id: String(each.preview.id),
      asset: assetOfExtra(each),
      units: sign * BigInt(each.amount),
    }))
  return [
    ...(incoming ? changes(incoming, 1n) : []),
    ...outgoing.flatMap((message) => changes(message, -1n)),
  ]
}

/** Amounts are nanotons. `ton` excludes fees: the balance changes by `ton - fees`. */
export function tonFlowOf(transaction: TransactionResponse) {
  const { in_msg: incoming, out_msgs: outgoing, credit_phase: credit } = transaction
  let ton = credit ? BigInt(credit.credit) : incoming ? valueOf(incoming) : 0n
  for (const message of outgoing) ton -= valueOf(message)
  return { ton, fees: feesOf(transaction) }
}

function jettonChanges(node: ReadNode, assetOf: AssetOf) {
  const { message, parent, failure, transaction } = node
  const body = message?.body
  const amount = message === null ? null : jettonsIn(message)
  // Contracts other than jetton wallets are ignored: anyone can claim to have sent jettons.
  if (!body || amount === null || failure !== null) return []
  if (!isJettonMessage(message, { node, parent }, assetOf)) return []
  const asset = assetOf(amount.wallet) ?? null
  const change = (account: string | undefined, units: bigint) =>
    account === undefined ? [] : [{ account, asset, units }]
  if (body.name === 'jetton_internal_transfer') {
    const order = parent?.message?.body?.name === 'jetton_transfer' ? parent.message : null
    const sender = order?.answer.source?.address
    return [...change(sender, -amount.units), ...change(receiverOf(node), amount.units)]
  }
  if (body.name === 'jetton_burn_notification') {
    return change(body.sender?.toRawString(), -amount.units)
  }
  // A notification after an internal transfer reports jettons that were already counted.
  const isCounted = parent?.message?.body?.name === 'jetton_internal_transfer'
  if (body.name !== 'jetton_notify' || isCounted) return []
  const { address } = transaction.account
  return [...change(body.sender?.toRawString(), -amount.units), ...change(address, amount.units)]
}

/** Returns the jetton wallet if its owner is unknown. */
function receiverOf({ parent, children, transaction }: ReadNode): string {
  const order = parent?.message?.body
  const owner =
    order?.name === 'jetton_transfer'
      ? order.destination
      : order?.name === 'jetton_mint'
        ? order.toAddress
        : null
  if (owner !== null) return owner.toRawString()
  const notified = children.find(({ message }) => message?.body?.name === 'jetton_notify')
  return (notified?.transaction ?? transaction).account.address
}
