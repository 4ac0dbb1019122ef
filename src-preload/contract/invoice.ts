import { z } from 'zod'
import { invoicePeriods, invoiceSorts, matterKinds } from '../domain/invoice-words.ts'
import { networkId } from './network.ts'
import { payment } from './payment.ts'
import { captureId, route } from './route.ts'
import { sandboxCurrency } from './sandbox.ts'

const moment = z.int()
/** Minimal units as a decimal string: 9 decimals of TON, 6 of USDT. */
const units = z.string().regex(/^\d{1,30}$/)

export const invoiceCurrency = sandboxCurrency
export type InvoiceCurrency = z.infer<typeof invoiceCurrency>

/** As the gateway has it. One that is not documented is shown as it is. */
const invoiceState = z.string().min(1).max(40)

export const matterKind = z.enum(matterKinds)
export type MatterKind = z.infer<typeof matterKind>

/** How a fact about an invoice was learnt. */
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

/** One of the local ledger. Moments are milliseconds by the gateway's clock, addresses raw. */
export const invoice = z.object({
  network: networkId,
  id: z.string(),
  status: invoiceState,
  /** What a delivery told that the gateway has not confirmed yet; anybody could have sent it. */
  reported: z.object({ status: invoiceState, at: moment }).nullable(),
  /** False for one that only a delivery has told of. */
  isConfirmed: z.boolean(),
  currency: invoiceCurrency,
  amount: units,
  /** Sum of the payments on the chain that belong to it; null while the chain was not read so far. */
  received: units.nullable(),
  overpayment: units,
  /**
   * Sums of payments that name this invoice and count for none: in another asset than it asks for, or
   * at another address.
   */
  uncounted: z.array(z.object({ currency: invoiceCurrency, amount: units })),
  description: z.string(),
  payTo: z.string(),
  paidBy: z.string().nullable(),
  payerLabel: z.string().nullable(),
  createdAt: moment,
  expiresAt: moment,
  /** Last change of its status; the creation before the first. */
  changedAt: moment,
  /** Of the block whose payment reached the amount; null while none is known. */
  paidAt: moment.nullable(),
  matters: z.array(matterKind),
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
  /** The delivery, or the transaction, that tells of it. */
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
    ]),
  ),
})
export type Advice = z.infer<typeof advice>

const invoiceReport = z.object({
  capture: captureId,
  receivedAt: moment,
  status: invoiceState,
  /** What the gateway said when it was asked because of it. */
  outcome: z.enum(['waiting', 'confirmed', 'differs', 'unknown-there', 'stale']),
})
export type InvoiceReport = z.infer<typeof invoiceReport>

export const invoiceDetail = invoice.extend({
  /** Asks for what is still due; `raw` has the gateway's own. */
  paymentLink: z.string(),
  /** What a payment must carry to be found by it; null when the link names none. */
  comment: z.string().nullable(),
  firstSeenAt: moment,
  firstSource: invoiceSource,
  confirmedAt: moment.nullable(),
  events: z.array(invoiceEvent),
  payments: z.array(payment),
  /** Of no invoice, but they name this one, or are exactly its amount in its time at its address. */
  unlinked: z.array(payment),
  reports: z.array(invoiceReport),
  advice,
  raw: z.string(),
})
export type InvoiceDetail = z.infer<typeof invoiceDetail>

/** Whole units, such as `12.5`: with both currencies chosen it goes for either. */
const decimal = z.string().regex(/^\d{1,18}(\.\d{1,9})?$/, 'Give an amount such as 12.5.')

export const invoiceFilter = z.object({
  statuses: z.array(invoiceState).max(20).default([]),
  currencies: z.array(invoiceCurrency).default([]),
  /** `from` is included, `to` is not. `ended`: the last change of what is not pending any more. */
  period: z
    .object({
      by: z.enum(invoicePeriods),
      from: moment.nullable(),
      to: moment.nullable(),
    })
    .nullable()
    .default(null),
  amountFrom: decimal.nullable().default(null),
  amountTo: decimal.nullable().default(null),
  overpaid: z.boolean().default(false),
  /** `any`: with at least one open matter. */
  matter: z
    .union([matterKind, z.literal('any')])
    .nullable()
    .default(null),
  /** Seconds from creation to payment: where a bar of the distribution leads. */
  paidWithin: z
    .object({ from: z.int().nonnegative(), to: z.int().nullable() })
    .nullable()
    .default(null),
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

/** How well the ledger of a network agrees with its gateway and its chain. */
const invoiceSync = z.object({
  network: networkId,
  /** `off`: there is nothing to ask with; `problem` says what to do. */
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
    /** All of them had been read up to this block time. */
    readTo: moment.nullable(),
    isReading: z.boolean(),
    problem: z.string().nullable(),
  }),
  /** To be added to this computer's clock for the gateway's, in milliseconds. */
  clockOffset: z.int(),
})
export type InvoiceSync = z.infer<typeof invoiceSync>

const onNetwork = z.object({ network: networkId })
const invoiceIdText = z.string().trim().min(1).max(100)
const one = onNetwork.extend({ id: invoiceIdText })
const order = { filter: invoiceFilter.prefault({}), sort: invoiceSort.prefault({}) }

/** A place in the order of a list, as a page gave it. */
const invoiceCursor = z.string().max(10_000)

const invoicePageInput = onNetwork.extend({
  ...order,
  /** The rows after a place, or before one; null is the start, or the end, of the list. */
  from: z
    .union([
      z.object({ after: invoiceCursor.nullable() }),
      z.object({ before: invoiceCursor.nullable() }),
    ])
    .default({ after: null }),
  /** Leaves out so many rows next to the place: for a jump of the scroll bar. */
  skip: z.int().nonnegative().default(0),
  limit: z.int().min(1).max(500),
})
export type InvoicePageInput = z.infer<typeof invoicePageInput>

export const invoiceRoutes = {
  'invoice.page': route(
    invoicePageInput,
    z.object({
      /** Of the filter. */
      total: z.int(),
      invoices: z.array(invoice),
      /** For the pages before and after this one; null where there are no more rows. */
      before: invoiceCursor.nullable(),
      after: invoiceCursor.nullable(),
    }),
  ),
  'invoice.counts': route(
    onNetwork,
    z.object({
      total: z.int(),
      /** By the gateway's word alone. */
      byStatus: z.record(z.string(), z.int()),
      matters: z.int(),
    }),
  ),
  'invoice.get': route(one, invoiceDetail),
  'invoice.fetch': route(one, invoiceDetail),
  'invoice.setNote': route(one.extend({ text: z.string().trim().min(1).max(2000) }), invoiceDetail),
  'invoiceView.list': route(z.undefined(), z.array(invoiceView)),
  'invoiceView.save': route(
    z.object({
      id: z.int().positive().nullable().default(null),
      name: z.string().trim().min(1, 'Give it a name.').max(60, 'At most 60 characters.'),
      ...order,
    }),
    invoiceView,
  ),
  'invoiceView.remove': route(z.object({ id: z.int().positive() }), z.object({})),
  'invoiceSync.state': route(onNetwork, invoiceSync),
  /** Now, whatever the clock says; ends when listing and chain are read. `full`: all anew. */
  'invoiceSync.run': route(onNetwork.extend({ full: z.boolean().default(false) }), invoiceSync),
  'invoiceSync.stop': route(onNetwork, invoiceSync),
} as const

export type InvoiceEvents = {
  'invoice.changed': { readonly network: string; readonly ids: readonly string[] | null }
  'invoiceView.changed': Record<string, never>
  'invoiceSync.changed': InvoiceSync
}
