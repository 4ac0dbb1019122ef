/** The fixed words and limits of an invoice: the contract, the ledger and the window use the same lists. */

export const invoiceCurrencies = ['TON', 'USDT'] as const

export const invoiceStatuses = ['pending', 'paid', 'cancelled', 'expired'] as const

/** Why an invoice, or a payment, needs a person's decision. Stored by place: only added to, never reordered. */
export const matterKinds = [
  /** Paid, and more than was asked. */
  'overpaid',
  /** Paid after it had expired; all of it counts as overpayment. */
  'paid-late',
  'paid-after-cancel',
  /** Something arrived in time, but not all. */
  'partial',
  /** All of it is on the chain, in time, and the gateway still says pending. */
  'chain-ahead',
  /** The gateway says paid, and the chain, read beyond that moment, shows less. */
  'gateway-ahead',
  /** A webhook told of a state that the gateway does not confirm. */
  'reported-differs',
  /** Came to an address of invoices, and belongs to none. */
  'unmatched',
] as const

/** Which moment of an invoice a period is about. `ended`: the last change of what is not pending any more. */
export const invoicePeriods = ['created', 'ended', 'expires'] as const

export const invoiceSorts = [
  'id',
  'status',
  'amount',
  'received',
  'overpayment',
  'description',
  'payer',
  'created',
  'expires',
  'changed',
] as const

/** Columns of an export. Language-neutral: these are the header, too. */
export const invoiceColumns = [
  'network',
  'id',
  'status',
  'currency',
  'amount',
  'received',
  'overpayment',
  'description',
  'payer',
  'payer_label',
  'pay_to',
  'created',
  'expires',
  'changed',
  'paid_on_chain',
  'transactions',
  'matters',
  'payment_link',
  /** What its payer still has to pay, and what is still to be returned. */
  'due',
  'to_return',
  /** What came for it and is not counted, such as `295 USDT`. */
  'uncounted',
] as const

/** Invoices in one go. */
export const issueMost = 1000

/** What the console's own form allows (gateway-facts 3.8); servers' limits are not public. */
export const issueLimits = {
  /** Whole units. */
  least: '0.001',
  most: '100000',
  longestSeconds: 90 * 24 * 60 * 60,
  descriptionCharacters: 255,
} as const
