import { z } from 'zod'
import { advice, invoice, discrepancyKind } from './invoice.ts'
import { networkId, onNetwork } from './network.ts'
import { payment } from './payment.ts'
import { takes, moment, units, page, orNull } from './route.ts'
import { sandboxCurrency } from './sandbox.ts'

/** A discrepancy that needs a decision, until it is handled or no longer exists. */
const discrepancy = z.object({
  key: z.int().positive(),
  network: networkId,
  kind: discrepancyKind,
  /** The invoice that a payment names without counting for it. */
  invoice: invoice.nullable(),
  payment: payment.nullable(),
  /** The amount to return or the missing amount; null if no amount is affected. */
  amount: units.nullable(),
  currency: sandboxCurrency,
  since: moment,
  advice,
  note: z.string(),
  handledAt: moment.nullable(),
  refund: z
    .object({ hash: z.string(), at: moment, amount: units, currency: sandboxCurrency })
    .nullable(),
})
export type Discrepancy = z.infer<typeof discrepancy>

/** A transfer for the user's own wallet to sign. Tondesk has no wallet key and sends no money. */
const refund = z.object({
  from: z.string(),
  to: z.string(),
  currency: sandboxCurrency,
  amount: units,
  comment: z.string(),
  links: z.object({ ton: z.string(), tonkeeper: z.string(), web: z.string() }),
  boc: z.string(),
  message: z.object({ to: z.string(), value: units }),
  warnings: z.array(z.string()),
})
export type Refund = z.infer<typeof refund>

const signedUnits = z.string().regex(/^-?\d+$/)

/** Compares the invoices of a period with the chain; differences come first. */
const reconciliationSummary = z.object({
  network: networkId,
  from: moment,
  to: moment,
  zone: z.string(),
  /** True if the chain was read past the period; otherwise `problems` says how far. */
  isComplete: z.boolean(),
  problems: z.array(z.string()),
  totals: z.array(
    z.object({
      currency: sandboxCurrency,
      paid: z.int(),
      paidAmount: units,
      overpayment: units,
      payments: z.int(),
      received: units,
      matched: units,
      unmatched: units,
      /**
       * `received` minus (`paidAmount` plus `overpayment` of the period's payments), with a sign; 0
       * if all amounts agree.
       */
      difference: signedUnits,
      /**
       * The parts of `difference` that are not `unmatched`: of invoices paid in the period, of those that the
       * user's tolerance accepts, and of others.
       */
      paidDifference: signedUnits,
      unpaidDifference: signedUnits,
      acceptedDifference: signedUnits,
      /** The missing parts of the accepted invoices. */
      shortfall: units,
    }),
  ),
  /** Rows in which gateway and chain differ or that need attention. These rows come first. */
  differences: z.int(),
  /** Number of open discrepancies in "Needs attention" about these rows. */
  needsAttention: z.int(),
})
export type ReconciliationSummary = z.infer<typeof reconciliationSummary>

const reconciliationRow = z.object({
  difference: z
    .enum([
      'no-payment',
      'payment-less',
      'payment-more',
      'no-invoice',
      'wrong-asset',
      'wrong-address',
      'wrong-comment',
      'not-paid',
      'accepted',
      'other-period',
      'other-payer',
    ])
    .nullable(),
  /** The row's part of its currency's total `difference`. */
  differenceAmount: signedUnits,
  /** True if "Needs attention" lists the row's invoice or payment. */
  needsAttention: z.boolean(),
  text: z.string(),
  invoice: invoice.nullable(),
  payments: z.array(payment),
})
export type ReconciliationRow = z.infer<typeof reconciliationRow>

const keys = z.array(z.int().positive()).min(1).max(10_000)
export const timeZone = z.string().min(1).max(60)
const reconciliationSpan = { ...onNetwork, from: moment, to: moment, zone: timeZone }

export const discrepancyRoutes = {
  /** Lists the discrepancies, the oldest first. */
  'discrepancy.page': takes({
    ...onNetwork,
    kind: orNull(discrepancyKind),
    handled: z.boolean().default(false),
    text: z.string().max(200).default(''),
    ...page,
  }).returns({
    total: z.int(),
    byKind: z.record(discrepancyKind, z.int()),
    matters: z.array(discrepancy),
  }),
  'discrepancy.get': takes({ ...onNetwork, key: z.int().positive() }).returns(discrepancy),
  'discrepancy.setNote': takes({
    ...onNetwork,
    key: z.int().positive(),
    note: z.string().max(2000),
  }).returns(discrepancy),
  /** A handled discrepancy reopens when its amount grows. */
  'discrepancy.handle': takes({ ...onNetwork, keys }).returns({ handled: z.int() }),
  'discrepancy.reopen': takes({ ...onNetwork, keys }).returns({ reopened: z.int() }),
  'refund.prepare': takes({
    ...onNetwork,
    key: z.int().positive(),
    amount: orNull(units),
    comment: orNull(z.string().max(120, 'At most 120 characters.')),
    to: orNull(z.string().max(100)),
  }).returns(refund),
  'reconciliation.read': takes(reconciliationSpan).returns(reconciliationSummary),
  'reconciliation.rows': takes({
    ...reconciliationSpan,
    onlyDifferences: z.boolean().default(false),
    ...page,
  }).returns({ total: z.int(), rows: z.array(reconciliationRow) }),
} as const
