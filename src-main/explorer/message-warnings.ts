import type { Asset } from '../../src-preload/contract/chain.ts'
import type { NetworkKind } from '../../src-preload/contract/network.ts'
import { formatAssetAmount } from '../ton/amount.ts'
import type { WalletOrders } from '../ton/wallet-orders.ts'
import type { ReadNode } from './read-trace.ts'

type MessageFacts = {
  readonly network: { readonly kind: NetworkKind; readonly name: string }
  readonly nodes: readonly ReadNode[]
  readonly orders: WalletOrders | null
  readonly risk: {
    readonly transfersAll: boolean
    readonly ton: string
    readonly jettons: readonly { readonly asset: Asset; readonly units: string }[]
    readonly nftCount: number
  } | null
  readonly validUntil: number | null
}

/** What is to be minded before sending, the gravest first. */
export function warningsOf(facts: MessageFacts): string[] {
  const { network, nodes, orders, risk, validUntil } = facts
  const [root] = nodes
  const warnings: string[] = []
  if (network.kind === 'mainnet') {
    warnings.push(
      'This is the main network: what is sent there is real money and cannot be taken back.',
    )
  } else if (network.kind === 'custom') {
    warnings.push(`${network.name} is a network of your own: make sure whose money it moves.`)
  }
  // By the time of the network, in which it was emulated: the sandbox may be in another year.
  if (validUntil !== null && root !== undefined && validUntil <= root.transaction.utime * 1000) {
    warnings.push('The order has run out already: the wallet will refuse it. Sign a new one.')
  }
  if (risk?.transfersAll === true) {
    warnings.push('The wallet sends all the TON it holds, not only the amounts named.')
  }
  if (risk !== null) warnings.push(...lossesOf(risk))
  warnings.push(...nodes.flatMap(failureWarning))
  const skipped = root?.transaction.action_phase?.skipped_actions ?? 0
  if (skipped > 0) {
    warnings.push(
      `${skipped === 1 ? 'One message' : `${skipped} messages`} would not be sent at all: the wallet does not hold enough TON for it.`,
    )
  }
  if (root !== undefined && root.transaction.orig_status !== 'active') {
    warnings.push('The destination has not been set up yet: this message puts its contract there.')
  }
  for (const { transaction } of nodes.filter(isLostOnTheWay)) {
    warnings.push(
      `${transaction.account.address} has no contract yet: what is sent there stays until its owner sets one up.`,
    )
  }
  if (orders === null) {
    warnings.push(
      'The destination is no wallet known here: what the message orders cannot be read.',
    )
  }
  return warnings
}

function lossesOf({ jettons, nftCount }: NonNullable<MessageFacts['risk']>): string[] {
  const amounts = jettons.map(
    ({ asset, units }) => `${formatAssetAmount(BigInt(units), asset)} ${asset.symbol}`,
  )
  const nfts = nftCount === 0 ? [] : [nftCount === 1 ? 'an NFT' : `${nftCount} NFTs`]
  const all = [...amounts, ...nfts]
  return all.length === 0 ? [] : [`The wallet may lose ${all.join(' and ')}.`]
}

function failureWarning({ failure, index, transaction }: ReadNode): string[] {
  if (failure === null) return []
  const where =
    index === 0 ? 'The wallet’s own transaction' : `At ${transaction.account.address} it`
  return [`${where} would fail (${failure}).`]
}

/** It arrives, without code to take it. */
function isLostOnTheWay({ index, transaction, failure }: ReadNode): boolean {
  return index > 0 && failure === null && transaction.end_status !== 'active'
}
