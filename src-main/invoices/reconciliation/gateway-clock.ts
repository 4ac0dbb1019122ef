/** The clock that dates invoices and blocks of a network, as far as it was read. */
import type { NetworkId } from '../../../src-preload/contract/network.ts'

export type GatewayClock = {
  /** Milliseconds; by this computer's clock until it was read. */
  now(network: NetworkId): number
  /** @throws AppError where it cannot be read */
  read(network: NetworkId): Promise<number>
}

export function createGatewayClock(deps: {
  readonly chainNow: (network: NetworkId) => Promise<number>
  readonly now: () => number
}): GatewayClock {
  const offsets = new Map<NetworkId, number>()
  return {
    now: (network) => deps.now() + (offsets.get(network) ?? 0),
    async read(network) {
      const at = await deps.chainNow(network)
      offsets.set(network, at - deps.now())
      return at
    },
  }
}
