/** `unknown`: the body is none of the documented events. */
export const captureKinds = [
  'account_tx',
  'opcode_msg',
  'new_contracts',
  'mempool_msg',
  'invoice',
  'unknown',
] as const
export type CaptureKind = (typeof captureKinds)[number]

/**
 * `truncated`: longer than the limit, the beginning is kept. `partial`: broken off or too slow. `missing`:
 * imported from a file that does not contain the body. The index in this list is stored.
 */
export const completenesses = ['complete', 'truncated', 'partial', 'missing'] as const

/** The bearer of a delivery compared with its webhook's token. The index in this list is stored. */
export const tokenVerdicts = ['right', 'wrong', 'missing', 'unchecked'] as const
export type TokenVerdict = (typeof tokenVerdicts)[number]

/** Only a `received` capture counts as a delivery; the user creates the others. */
export const captureOrigins = ['received', 'rebuilt', 'imported', 'test', 'watched'] as const
export type CaptureOrigin = (typeof captureOrigins)[number]

/** How far a capture's explanation is; `none`: there is nothing to request from a gateway. */
export const explanationStates = ['none', 'waiting', 'known', 'unavailable'] as const
export type ExplanationState = (typeof explanationStates)[number]

export const forwardSummaries = ['waiting', 'failed', 'delivered', 'dropped'] as const
export type ForwardSummary = (typeof forwardSummaries)[number]
