export const sandboxRoots = [
  'query',
  'webhooks',
  'testnet-query',
  'testnet-webhooks',
  'invoices',
] as const

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
