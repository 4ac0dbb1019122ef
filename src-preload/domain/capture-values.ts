/** `unknown`: the body is not a documented event. */
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
 * `truncated`: longer than the limit, so only the beginning is stored. `partial`: broken off or too slow.
 * `missing`: imported from a file that does not contain the body. The index in this list is stored.
 */
export const bodyCompleteness = ['complete', 'truncated', 'partial', 'missing'] as const

/**
 * The result of comparing a delivery's bearer token with its webhook's token. The index in this
 * list is stored.
 */
export const tokenVerdicts = ['right', 'wrong', 'missing', 'unchecked'] as const
export type TokenVerdict = (typeof tokenVerdicts)[number]

/** Only a `received` capture counts as a delivery; the others were created by the user. */
export const captureOrigins = ['received', 'rebuilt', 'imported', 'test', 'watched'] as const
export type CaptureOrigin = (typeof captureOrigins)[number]

/** The state of a capture's explanation; `none`: there is nothing to request from a gateway. */
export const explanationStates = ['none', 'waiting', 'known', 'unavailable'] as const
export type ExplanationState = (typeof explanationStates)[number]

export const forwardSummaries = ['waiting', 'failed', 'delivered', 'dropped'] as const
export type ForwardSummary = (typeof forwardSummaries)[number]
