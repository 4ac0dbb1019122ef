export const sandboxRoots = [
  'query',
  'webhooks',
  'testnet-query',
  'testnet-webhooks',
  'invoices',
] as const

/** The sandbox keeps this many calls. */
export const maxCalls = 10_000

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

/** Steps of background activity. */
export const maxActivityPerMinute = 600
