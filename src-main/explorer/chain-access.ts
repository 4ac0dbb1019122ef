import type { NetworkId, NetworkKind } from '../../src-preload/contract/network.ts'
import type { QueryClient } from '../gateway/query.ts'

/** What the explorer needs of the networks. */
export type ChainAccess = {
  /** @throws AppError NETWORK_UNKNOWN; NETWORK_UNAVAILABLE, with the way out */
  query(network: NetworkId): QueryClient
  /** Aborted as soon as another network is chosen. */
  interest(network: NetworkId): AbortSignal
  /** @throws AppError NETWORK_UNKNOWN */
  info(network: NetworkId): {
    readonly kind: NetworkKind
    readonly name: string
    readonly testOnly: boolean
  }
}
