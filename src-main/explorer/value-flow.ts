/** What each account gained or lost over a whole trace, from its own messages and fees. */
import type { Asset, ValueFlow } from '../../src-preload/contract/index.ts'
import type { TransactionAnswer } from '../gateway/query-answers.ts'
import type { Naming } from './account-refs.ts'
import type { AssetOf } from './jetton-movement.ts'
import { jettonsIn } from './jetton-movement.ts'
import type { ReadNode } from './read-trace.ts'

/** Nanotons; `ton` without fees, so that an account's balance has grown by `ton - fees`. */
export type TonFlow = { readonly ton: bigint; readonly fees: bigint }

type Flow = { ton: bigint; fees: bigint; jettons: Map<string, { asset: Asset; units: bigint }> }

/** In the order in which the accounts took part; those that only looked on are left out. */
export function showValueFlow(
  nodes: readonly ReadNode[],
  assetOf: AssetOf,
  name: Naming,
): ValueFlow[] {
  const flows = new Map<string, Flow>()

  function flowOf(account: string): Flow {
    const known = flows.get(account)
    if (known !== undefined) return known
    const made: Flow = { ton: 0n, fees: 0n, jettons: new Map() }
    flows.set(account, made)
    return made
  }

  for (const { transaction } of nodes) {
    const flow = flowOf(transaction.account.address)
    const { ton, fees } = tonFlowOf(transaction)
    flow.ton += ton
    flow.fees += fees
  }
  for (const { account, asset, units } of nodes.flatMap((node) => jettonChanges(node, assetOf))) {
    const { jettons } = flowOf(account)
    const key = asset.jetton ?? ''
    jettons.set(key, { asset, units: (jettons.get(key)?.units ?? 0n) + units })
  }

  return [...flows].flatMap(([account, { ton, fees, jettons }]) => {
    const moved = [...jettons.values()].filter(({ units }) => units !== 0n)
    if (ton === 0n && fees === 0n && moved.length === 0) return []
    return [
      {
        account: name(account),
        ton: ton.toString(),
        fees: fees.toString(),
        jettons: moved.map(({ asset, units }) => ({ asset, units: units.toString() })),
      },
    ]
  })
}

export function tonFlowOf(transaction: TransactionAnswer): TonFlow {
  const { in_msg: incoming, out_msgs: outgoing, credit_phase: credit } = transaction
  let ton = credit ? BigInt(credit.credit) : BigInt(incoming?.value ?? 0)
  let fees = BigInt(transaction.total_fees)
  for (const message of outgoing) {
    ton -= BigInt(message.value) + BigInt(message.ihr_fee)
    // Its sender has paid for the way; the share of this block is in `total_fees` already.
    fees += BigInt(message.fwd_fee)
  }
  return { ton, fees }
}

type JettonChange = { readonly account: string; readonly asset: Asset; readonly units: bigint }

/** Of owners: the wallets in between are but their purses. */
function jettonChanges(node: ReadNode, assetOf: AssetOf): JettonChange[] {
  const { message, parent, failure, transaction } = node
  const body = message?.body
  const amount = message === null ? null : jettonsIn(message)
  const asset = amount === null ? null : assetOf(amount.wallet)
  if (!body || amount === null || asset === null || failure !== null) return []
  const change = (account: string | undefined, units: bigint) =>
    account === undefined ? [] : [{ account, asset, units }]
  if (body.name === 'jetton_internal_transfer') {
    return [...change(senderOf(parent), -amount.units), ...change(receiverOf(node), amount.units)]
  }
  if (body.name === 'jetton_burn_notification') {
    return change(body.sender?.toRawString(), -amount.units)
  }
  // After an internal transfer it tells what is counted already; some wallets send another message.
  const isCounted = parent?.message?.body?.name === 'jetton_internal_transfer'
  if (body.name !== 'jetton_notify' || isCounted) return []
  return [
    ...change(body.sender?.toRawString(), -amount.units),
    ...change(transaction.account.address, amount.units),
  ]
}

/** Nobody, where the jettons are new. */
function senderOf(order: ReadNode | null): string | undefined {
  const message = order?.message
  return message?.body?.name === 'jetton_transfer' ? message.answer.source?.address : undefined
}

/** The owner of the wallet that has received; the wallet itself where nothing tells whose it is. */
function receiverOf({ parent, children, transaction }: ReadNode): string {
  const order = parent?.message?.body
  if (order?.name === 'jetton_transfer' && order.destination !== null) {
    return order.destination.toRawString()
  }
  if (order?.name === 'jetton_mint' && order.toAddress !== null)
    return order.toAddress.toRawString()
  const notified = children.find(({ message }) => message?.body?.name === 'jetton_notify')
  return (notified?.transaction ?? transaction).account.address
}
