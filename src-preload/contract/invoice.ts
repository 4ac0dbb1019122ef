import { z } from 'zod'
import {
  invoicePeriods,
  invoiceSorts,
  discrepancyKinds,
  maxOrderReference,
} from '../domain/invoice-values.ts'
import { networkId, onNetwork } from './network.ts'
import { payment } from './payment.ts'
import { captureId, returns, takes, moment, units, orNull, byId } from './route.ts'
import { sandboxCurrency } from './sandbox.ts'

export const invoiceCurrency = sandboxCurrency
export type InvoiceCurrency = z.infer<typeof invoiceCurrency>

/** The gateway's value, which may be undocumented. */
const invoiceState = z.string().min(1).max(40)

export const discrepancyKind = z.enum(discrepancyKinds)
export type DiscrepancyKind = z.infer<typeof discrepancyKind>

export const orderReference = z
  .string()
  .trim()
  .max(maxOrderReference, `At most ${maxOrderReference} characters.`)

const invoiceSource = z.enum([
  'created-here',
  'cancelled-here',
  'listing',
  'fetch',
  'webhook',
  'chain',
  'person',
])
export type InvoiceSource = z.infer<typeof invoiceSource>

/** An invoice of the local ledger. Times are those of the gateway's clock. */
export const invoice = z.object({
  network: networkId,
  id: z.string(),
  status: invoiceState,
  /** A state that a delivery claims and the gateway has not confirmed; anyone could have sent the delivery. */
  reported: z.object({ status: invoiceState, at: moment }).nullable(),
  /** False if only a delivery has mentioned the invoice. */
  isConfirmed: z.boolean(),
  currency: invoiceCurrency,
  amount: units,
  /** Sum of the invoice's payments on the chain; null until the chain has been read. */
  received: units.nullable(),
  overpayment: units,
  /** Sum of the transfers on the chain that refund this invoice. */
  refunded: units,
  /** Payments that name this invoice but have another asset or address, so they do not count. */
  uncounted: z.array(z.object({ currency: invoiceCurrency, amount: units })),
  description: z.string(),
  /** The user's own note, which the gateway never receives; empty for none. */
  orderReference: z.string(),
  payTo: z.string(),
  /** The payer's address according to the gateway. */
  paidBy: z.string().nullable(),
  /** `paidBy`, else the sender of the latest payment for the invoice, whether it counts or not. */
  payer: z.string().nullable(),
  payerLabel: z.string().nullable(),
  createdAt: moment,
  expiresAt: moment,
  /** Time of the last status change; initially the creation. */
  changedAt: moment,
  /** Time of the block whose payment completed the amount; null if unknown. */
  paidAt: moment.nullable(),
  matters: z.array(discrepancyKind),
  /** Counts as paid although a part is missing: the tolerance when it decided, and what is missing now. */
  accepted: z.object({ tolerance: units, short: units }).nullable(),
  /**
   * An invoice and those for its rest count as one: the amount of the first and the money of all. `isLast`:
   * the one that is to be paid, and that has the discrepancies of all; `other`: that one, of the last the first.
   * Null for an invoice alone.
   */
  together: z
    .object({
      other: z.string(),
      isLast: z.boolean(),
      status: invoiceState,
      amount: units,
      received: units,
      overpayment: units,
      refunded: units,
    })
    .nullable(),
})
export type Invoice = z.infer<typeof invoice>

const invoiceEvent = z.object({
  at: moment,
  seenAt: moment,
  source: invoiceSource,
  kind: z.enum([
    'created',
    'status',
    'overpayment',
    'reported',
    'payment',
    'cancel-asked',
    'handled',
    'reopened',
    'note',
    'linked',
    'unlinked',
  ]),
  text: z.string(),
  capture: captureId.nullable(),
  transaction: z.string().nullable(),
})
export type InvoiceEvent = z.infer<typeof invoiceEvent>

export const advice = z.object({
  tone: z.enum(['good', 'act', 'wait', 'neutral']),
  title: z.string(),
  text: z.string(),
  acts: z.array(
    z.enum([
      'share-link',
      'cancel',
      'prepare-refund',
      'mark-handled',
      'fetch',
      'read-chain',
      'find-payment',
      'issue-again',
      'issue-rest',
    ]),
  ),
})
export type Advice = z.infer<typeof advice>

const invoiceReport = z.object({
  capture: captureId,
  receivedAt: moment,
  status: invoiceState,
  outcome: z.enum(['waiting', 'confirmed', 'differs', 'unknown-there', 'stale']),
})
export type InvoiceReport = z.infer<typeof invoiceReport>

export const invoiceDetail = invoice.extend({
  /** A link that requests the amount still due; `raw` has the gateway's link. */
  paymentLink: z.string(),
  /** The comment that identifies a payment; null if the link has none. */
  comment: z.string().nullable(),
  firstSeenAt: moment,
  firstSource: invoiceSource,
  confirmedAt: moment.nullable(),
  events: z.array(invoiceEvent),
  payments: z.array(payment),
  /** Unlinked payments that name this invoice or match its amount, time and address. */
  unlinked: z.array(payment),
  reports: z.array(invoiceReport),
  advice,
  raw: z.string(),
})
export type InvoiceDetail = z.infer<typeof invoiceDetail>

/** An amount in whole units, such as `12.5`. Without a currency filter, both currencies match. */
const decimal = z.string().regex(/^\d{1,18}(\.\d{1,9})?$/, 'Enter an amount such as 12.5.')

export const invoiceFilter = z.object({
  statuses: z.array(invoiceState).max(20).default([]),
  currencies: z.array(invoiceCurrency).default([]),
  /** `from` is inclusive, `to` exclusive. `ended`: the last change of an invoice that is not pending. */
  period: orNull(
    z.object({ by: z.enum(invoicePeriods), from: moment.nullable(), to: moment.nullable() }),
  ),
  amountFrom: orNull(decimal),
  amountTo: orNull(decimal),
  overpaid: z.boolean().default(false),
  /** `any`: invoices with at least one open discrepancy. */
  matter: orNull(z.union([discrepancyKind, z.literal('any')])),
  /** Range of seconds from creation to payment. */
  paidWithin: orNull(z.object({ from: z.int().nonnegative(), to: z.int().nullable() })),
  text: z.string().max(200).default(''),
})
export type InvoiceFilter = z.infer<typeof invoiceFilter>

export const invoiceSort = z.object({
  by: z.enum(invoiceSorts).default('created'),
  descending: z.boolean().default(true),
})
export type InvoiceSort = z.infer<typeof invoiceSort>

const invoiceView = z.object({
  id: z.int().positive(),
  name: z.string(),
  filter: invoiceFilter,
  sort: invoiceSort,
})
export type InvoiceView = z.infer<typeof invoiceView>

const invoiceSync = z.object({
  network: networkId,
  /** `off`: there is no token; `problem` says what to do. */
  status: z.enum(['off', 'waiting', 'reading']),
  problem: z.string().nullable(),
  lastAt: moment.nullable(),
  fullAt: moment.nullable(),
  nextAt: moment.nullable(),
  reading: z.object({ read: z.int(), expected: z.int().nullable() }).nullable(),
  reportsWaiting: z.int(),
  unread: z.array(z.string()),
  chain: z.object({
    addresses: z.int(),
    /** Block time up to which all payments were read. */
    readTo: moment.nullable(),
    isReading: z.boolean(),
    problem: z.string().nullable(),
  }),
  /** The number of milliseconds to add to this computer's clock to get the time of the gateway's clock. */
  clockOffset: z.int(),
})
export type InvoiceSync = z.infer<typeof invoiceSync>

const one = { ...onNetwork, id: z.string().trim().min(1).max(100) }
const order = { filter: invoiceFilter.prefault({}), sort: invoiceSort.prefault({}) }

const invoiceCursor = z.string().max(10_000)

const invoicePageInput = z.object({
  ...onNetwork,
  ...order,
  /** The page after or before a cursor; null is the start or the end of the list. */
  from: z
    .union([
      z.object({ after: invoiceCursor.nullable() }),
      z.object({ before: invoiceCursor.nullable() }),
    ])
    .default({ after: null }),
  /** Number of rows to skip after the cursor, for jumps of the scroll bar. */
  skip: z.int().nonnegative().default(0),
  limit: z.int().min(1).max(500),
})
export type InvoicePageInput = z.infer<typeof invoicePageInput>

export const invoiceRoutes = {
  'invoice.page': takes(invoicePageInput).returns({
    total: z.int(),
    invoices: z.array(invoice),
    /** The cursors of the adjacent pages; null at the ends of the list. */
    before: invoiceCursor.nullable(),
    after: invoiceCursor.nullable(),
  }),
  'invoice.counts': takes(onNetwork).returns({
    total: z.int(),
    byStatus: z.record(z.string(), z.int()),
    matters: z.int(),
  }),
  'invoice.get': takes(one).returns(invoiceDetail),
  'invoice.fetch': takes(one).returns(invoiceDetail),
  'invoice.setNote': takes({ ...one, text: z.string().trim().min(1).max(2000) }).returns(
    invoiceDetail,
  ),
  'invoice.setOrder': takes({ ...one, reference: orderReference }).returns(invoiceDetail),
  'invoiceView.list': returns(z.array(invoiceView)),
  'invoiceView.save': takes({
    id: orNull(z.int().positive()),
    name: z.string().trim().min(1, 'Enter a name.').max(60, 'At most 60 characters.'),
    ...order,
  }).returns(invoiceView),
  'invoiceView.remove': takes(byId).returns({}),
  'invoiceSync.state': takes(onNetwork).returns(invoiceSync),
  /** Resolves when the list and the chain have been read. `full`: reads everything again. */
  'invoiceSync.run': takes({ ...onNetwork, full: z.boolean().default(false) }).returns(invoiceSync),
  'invoiceSync.stop': takes(onNetwork).returns(invoiceSync),
} as const
