/** Estimates the clock with which the gateway dates invoices and blocks. */
import type { NetworkId } from '../../../src-preload/contract/network.ts'

export type GatewayClock = ReturnType<typeof createGatewayClock>

export function createGatewayClock(deps: {
  readonly chainNow: (network: NetworkId) => Promise<number>
  readonly now: () => number
}) {
  const offsets = new Map<NetworkId, { readonly ms: number; readonly request: number }>()
  let requests = 0
  return {
    /** The time in milliseconds; this computer's clock until the gateway's was read. */
    now: (network: NetworkId) => deps.now() + (offsets.get(network)?.ms ?? 0),
    /** @throws AppError if the clock cannot be read */
    async read(network: NetworkId) {
      const request = (requests += 1)
      const at = await deps.chainNow(network)
      // A slow response must not replace that of a later request.
      if (request > (offsets.get(network)?.request ?? 0)) {
        offsets.set(network, { ms: at - deps.now(), request })
      }
      return at
    },
  }
}
