export const invoiceCurrencies = ['TON', 'USDT'] as const

export const invoiceStatuses = ['pending', 'paid', 'cancelled', 'expired'] as const

/** Why an invoice or a payment needs a decision. The index in this list is stored, so only append to it. */
export const discrepancyKinds = [
  'overpaid',
  /** The payment came after expiry, so its whole amount counts as overpayment. */
  'paid-late',
  'paid-after-cancel',
  'partial',
  /** The chain shows full payment in time, but the gateway still reports pending. */
  'chain-ahead',
  /** The gateway reports paid, but the chain, read past that moment, shows less. */
  'gateway-ahead',
  /** A webhook reported a state that the gateway does not confirm. */
  'reported-differs',
  'unmatched',
] as const

/**
 * The moment of an invoice that a period refers to. `ended`: the last change of an invoice that is
 * not pending.
 */
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
  'order',
] as const

/** Columns with the fiat value of an invoice's payments; empty if no currency is chosen. */
export const fiatColumns = [
  'fiat_value',
  'fiat_currency',
  'fiat_rate',
  'fiat_rate_at',
  'fiat_source',
] as const

/** The columns of exports. Their names are also the header and are never translated. */
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
  'due',
  'to_return',
  /** Received amounts that do not count for the invoice, such as `295 USDT`. */
  'uncounted',
  'order_reference',
  'refunded',
  /** The missing part that the tolerance accepted. */
  'accepted_short',
  /** The invoice whose rest this one requests, or the one that requests the rest. */
  'counts_with',
  ...fiatColumns,
] as const

export const maxIssuedInvoices = 1000

export const maxOrderReference = 100

/** Limits of the form in the service's console (gateway-facts 3.8); the server's limits are not public. */
export const issueLimits = {
  least: '0.001',
  most: '100000',
  longestSeconds: 90 * 24 * 60 * 60,
  descriptionCharacters: 255,
} as const
