import type { NetworkId, NetworkKind } from '../../src-preload/contract/network.ts'
import type { QueryClient } from '../gateway/query.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { gatewayCodes, networkCodes } from '../../src-preload/domain/error-codes.ts'

/** The explorer's access to the networks. */
export type ChainAccess = {
  /** @throws AppError NETWORK_UNKNOWN; NETWORK_UNAVAILABLE, with the way out */
  query(network: NetworkId): QueryClient
  /** The signal is aborted when the user chooses another network. */
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
 * The message of an error that means only that the gateway could not be reached, so that stored data may
 * be shown instead. Null for any other error.
 */
export function offlineReason(error: unknown): string | null {
  return error instanceof AppError && reasons.has(error.code) ? error.message : null
}

/** Whether the gateway responded that it does not know the object or does not support the request. */
export function isRefusal({ code }: AppError): boolean {
  return code === gatewayCodes.notFound || code === gatewayCodes.refused
}

export function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === gatewayCodes.notFound
}
