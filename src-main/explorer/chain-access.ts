import type { NetworkId, NetworkKind } from '../../src-preload/contract/network.ts'
import type { QueryClient } from '../gateway/query.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { gatewayCodes, networkCodes } from '../../src-preload/domain/error-codes.ts'

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

const reasons: ReadonlySet<string> = new Set([
  gatewayCodes.unreachable,
  gatewayCodes.timeout,
  gatewayCodes.keyRefused,
  gatewayCodes.forbidden,
  gatewayCodes.rateLimited,
  gatewayCodes.failed,
  gatewayCodes.badAnswer,
  networkCodes.unavailable,
])

/**
 * The sentence of an error that says nothing of what was asked, only that it could not be asked:
 * what is stored may stand in. Null for any other.
 */
export function offlineReason(error: unknown): string | null {
  return error instanceof AppError && reasons.has(error.code) ? error.message : null
}
