/** The fixed words of a capture: the contract, the query language and the window use the same lists. */

/** What a delivery says it is; `unknown` where its body is none of the documented events. */
export const captureKinds = [
  'account_tx',
  'opcode_msg',
  'new_contracts',
  'mempool_msg',
  'invoice',
  'unknown',
] as const
export type CaptureKind = (typeof captureKinds)[number]

/** `truncated`: longer than the limit, the beginning kept. `partial`: broken off or too slow. Stored by place. */
export const completenesses = ['complete', 'truncated', 'partial'] as const

/** How the bearer token of a delivery compares with the token of its webhook. Stored by place. */
export const tokenVerdicts = ['right', 'wrong', 'missing', 'unchecked'] as const
export type TokenVerdict = (typeof tokenVerdicts)[number]

/** Only a `received` capture counts as a delivery; you create the others yourself. */
export const captureOrigins = ['received', 'rebuilt', 'imported', 'test'] as const
export type CaptureOrigin = (typeof captureOrigins)[number]

/** How far a capture's explanation is; `none`: there is nothing to request from a gateway. */
export const meaningStates = ['none', 'waiting', 'known', 'unavailable'] as const
export type MeaningState = (typeof meaningStates)[number]

/** The state of all forwarding of one capture in a word: the worst state of its targets. */
export const forwardSummaries = ['waiting', 'failed', 'delivered', 'dropped'] as const
export type ForwardSummary = (typeof forwardSummaries)[number]
