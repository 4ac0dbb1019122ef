import { AppError, gatewayCodes, networkCodes } from '../../src-preload/domain/app-error.ts'
import type { TroubleData } from '../gateway/trouble.ts'

export type Refusal =
  /** This request was refused: it is too large, or an address in it is invalid. */
  | { readonly kind: 'request'; readonly message: string }
  /** No request can succeed until the user has solved the problem. */
  | { readonly kind: 'standstill'; readonly message: string }
  /**
   * The cause ends without an action of the user. `isOwn`: the gateway received the request, so the
   * request may be at fault.
   */
  | {
      readonly kind: 'passing'
      readonly message: string
      readonly retryAfterMs: number
      readonly isOwn: boolean
      readonly isTimeout: boolean
    }

/** @throws any error other than AppError, because it is a bug */
export function readRefusal(error: unknown): Refusal {
  if (!(error instanceof AppError)) throw error
  const { code, message, data } = error
  switch (code) {
    case gatewayCodes.refused:
      return { kind: 'request', message }
    case gatewayCodes.keyRefused:
    case gatewayCodes.forbidden:
    case gatewayCodes.notFound:
    case networkCodes.unknown:
    case networkCodes.wrongKind:
      return { kind: 'standstill', message }
    default: {
      const { retryAfterMs = 0 } = (data ?? {}) as TroubleData
      const isTimeout = code === gatewayCodes.timeout
      const isOwn = isTimeout || code === gatewayCodes.failed || code === gatewayCodes.badAnswer
      return { kind: 'passing', message, retryAfterMs, isOwn, isTimeout }
    }
  }
}
