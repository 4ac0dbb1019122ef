import type { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { TroubleData } from '../../gateway/trouble.ts'
import { readRefusal } from '../../jobs/refusal.ts'

/** What it means that asking for an invoice has failed. */
type IssueTrouble =
  /** It was not made, and this line will not be. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It was not made; nothing more can be until a person has done something. */
  | { readonly kind: 'standstill'; readonly message: string }
  /** It was not made, and may be at the next try. */
  | { readonly kind: 'later'; readonly message: string; readonly afterMs: number }
  /** It may have been made. */
  | { readonly kind: 'unclear'; readonly message: string }

/**
 * @param wasSent false where the request never left this computer
 * @throws what is no AppError: a mistake of ours
 */
export function readIssueTrouble(error: unknown, wasSent: boolean): IssueTrouble {
  const refusal = readRefusal(error)
  const { message } = refusal
  const { code, data } = error as AppError
  const { status, isUnsent, retryAfterMs = 0 } = (data ?? {}) as TroubleData
  const isRedirect = status !== undefined && status >= 300 && status < 400
  if (refusal.kind === 'standstill' || isRedirect) return { kind: 'standstill', message }
  if (!wasSent || isUnsent === true || code === gatewayCodes.rateLimited) {
    return { kind: 'later', message, afterMs: retryAfterMs }
  }
  const isRefused = refusal.kind === 'request' || code === gatewayCodes.notAccepted
  // A request that took the gateway too long to read may still have been read.
  return isRefused && status !== 408 ? { kind: 'refused', message } : { kind: 'unclear', message }
}
