import { z } from 'zod'
import { advice, invoice, matterKind } from './invoice.ts'
import { networkId } from './network.ts'
import { payment } from './payment.ts'
import { route } from './route.ts'
import { sandboxCurrency } from './sandbox.ts'

const moment = z.int()
const units = z.string().regex(/^\d{1,30}$/)

/** One thing that needs a decision. It stays until it is handled, or is none any more. */
const matter = z.object({
  key: z.int().positive(),
  network: networkId,
  kind: matterKind,
  /** What it is about; beside `payment` the invoice that it names and does not count for, if any. */
  invoice: invoice.nullable(),
  payment: payment.nullable(),
  /** What is to be returned, or is missing; null where no amount is in question. */
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
export type Matter = z.infer<typeof matter>

/** A transfer to be signed in the person's own wallet. Tondesk holds no wallet key and sends nothing. */
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

/** Invoices against the chain for a period, what does not agree first. */
const closing = z.object({
  network: networkId,
  from: moment,
  to: moment,
  zone: z.string(),
  /** The chain was read beyond the period's end; otherwise `problems` says how far. */
  isComplete: z.boolean(),
  problems: z.array(z.string()),
  totals: z.array(
    z.object({
      currency: sandboxCurrency,
      /** Paid within the period by the gateway: how many, and what they asked. */
      paid: z.int(),
      paidAmount: units,
      overpayment: units,
      /** Received by the addresses of invoices within the period. */
      payments: z.int(),
      received: units,
      /** Of it, what belongs to invoices, and what to none. */
      matched: units,
      unmatched: units,
      /** Matched to what was paid in another period, or is not paid (partial, late). */
      matchedElsewhere: units,
      /** `received` minus (`paidAmount` plus `overpayment` of the period's payments): 0 when all agrees. Signed. */
      difference: z.string().regex(/^-?\d+$/),
    }),
  ),
  differences: z.int(),
})
export type Closing = z.infer<typeof closing>

const closingRow = z.object({
  /** What does not agree; null for a row that does. */
  difference: z
    .enum([
      'no-payment',
      'payment-less',
      'payment-more',
      'no-invoice',
      'not-paid',
      'other-period',
      'other-payer',
    ])
    .nullable(),
  text: z.string(),
  invoice: invoice.nullable(),
  payments: z.array(payment),
})
export type ClosingRow = z.infer<typeof closingRow>

const onNetwork = z.object({ network: networkId })
const keys = z.array(z.int().positive()).min(1).max(10_000)
const page = { offset: z.int().nonnegative(), limit: z.int().min(1).max(500) }
/** IANA name, such as `Europe/Berlin`. */
export const timeZone = z.string().min(1).max(60)
const closingSpan = onNetwork.extend({ from: moment, to: moment, zone: timeZone })

export const matterRoutes = {
  /** Oldest first. */
  'matter.page': route(
    onNetwork.extend({
      kind: matterKind.nullable().default(null),
      handled: z.boolean().default(false),
      text: z.string().max(200).default(''),
      ...page,
    }),
    z.object({
      total: z.int(),
      byKind: z.record(matterKind, z.int()),
      matters: z.array(matter),
    }),
  ),
  'matter.get': route(onNetwork.extend({ key: z.int().positive() }), matter),
  'matter.setNote': route(
    onNetwork.extend({ key: z.int().positive(), note: z.string().max(2000) }),
    matter,
  ),
  /** It comes back by itself when its amount grows. */
  'matter.handle': route(onNetwork.extend({ keys }), z.object({ handled: z.int() })),
  'matter.reopen': route(onNetwork.extend({ keys }), z.object({ reopened: z.int() })),
  'refund.prepare': route(
    onNetwork.extend({
      key: z.int().positive(),
      amount: units.nullable().default(null),
      comment: z.string().max(120, 'At most 120 characters.').nullable().default(null),
      /** Another address than the payer's, any form. */
      to: z.string().max(100).nullable().default(null),
    }),
    refund,
  ),
  'closing.read': route(closingSpan, closing),
  'closing.rows': route(
    closingSpan.extend({ onlyDifferences: z.boolean().default(false), ...page }),
    z.object({ total: z.int(), rows: z.array(closingRow) }),
  ),
} as const

export type MatterEvents = {
  'matter.changed': { readonly network: string; readonly open: number }
}
