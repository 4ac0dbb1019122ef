/** Modes a contract sends a message with, as far as they matter to who reads it. */
export const sendMode = {
  /** A bit: the sender pays the forward fee beside the value. */
  feesSeparately: 1,
  /** This and above: the value is not what the message says. */
  remainingValue: 64,
  allBalance: 128,
} as const
