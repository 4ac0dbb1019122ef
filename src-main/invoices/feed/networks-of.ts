import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { whyNotAsked } from '../sync/askable.ts'

/**
 * Which networks a delivery may be of, the likeliest first: it does not say. Those whose ledger has the
 * invoice, before those that can be asked, before those that could be; the chosen one first among
 * equals. Pure.
 */
export function networksOf(
  isKnown: (network: NetworkId) => boolean,
  networks: readonly Network[],
  current: NetworkId,
): NetworkId[] {
  const rank = (network: Network): number => {
    if (isKnown(network.id)) return 0
    if (whyNotAsked(network) === null) return 1
    return network.kind === 'sandbox' || (network.urls?.console ?? null) !== null ? 2 : 3
  }
  const ranked = networks.map((network) => ({
    id: network.id,
    rank: 2 * rank(network) + Number(network.id !== current),
  }))
  const likely = ranked.filter((each) => each.rank < 6)
  return likely.toSorted((one, other) => one.rank - other.rank).map(({ id }) => id)
}
