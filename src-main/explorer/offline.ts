import { AppError } from '../../src-preload/domain/app-error.ts'
import { gatewayCodes, networkCodes } from '../../src-preload/domain/error-codes.ts'

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
