/** The fixed words of the sandbox: its own program, the contract and the window use the same lists. */

export const sandboxRoots = [
  'query',
  'webhooks',
  'testnet-query',
  'testnet-webhooks',
  'invoices',
] as const

/** How an invoice is paid in the sandbox. */
export const payHows = [
  'exact',
  'under',
  'over',
  'rest',
  'late',
  'twice',
  'wrong-asset',
  'no-comment',
] as const
export type PayHow = (typeof payHows)[number]
