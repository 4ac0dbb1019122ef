import { z } from 'zod'
import { maxIssuedInvoices } from '../domain/invoice-values.ts'
import { invoiceCurrency, invoiceFilter, orderReference } from './invoice.ts'
import { exportFile, jobFields } from './lookup.ts'
import { networkId, onNetwork } from './network.ts'
import { takes, moment, units, byId, orNull } from './route.ts'

const issueLine = z.object({
  index: z.int().nonnegative(),
  line: z.int().positive(),
  text: z.string(),
  currency: invoiceCurrency.nullable(),
  amount: units.nullable(),
  lifeTimeSeconds: z.int().nullable(),
  description: z.string(),
  orderReference: z.string(),
  /** The invoice whose rest this one requests. */
  restOf: z.string().nullable(),
  problem: z.string().nullable(),
  /** A possible mistake that the user should check before issuing: a repeated line, a very large amount. */
  warning: z.string().nullable(),
})
export type IssueLine = z.infer<typeof issueLine>

/** A draft is stored until it is issued or discarded, so that it is never issued twice. */
const issueDraft = z.object({
  id: z.string(),
  network: networkId,
  createdAt: moment,
  lines: z.int(),
  valid: z.int(),
  invalid: z.int(),
  beyond: z.int(),
  totals: z.array(z.object({ currency: invoiceCurrency, count: z.int(), amount: units })),
  remarks: z.array(z.string()),
  job: z.int().positive().nullable(),
})
export type IssueDraft = z.infer<typeof issueDraft>

/** Issues or cancels one invoice after another and continues after a restart. */
export const invoiceJob = z.object({
  ...jobFields,
  network: networkId,
  kind: z.enum(['issue', 'cancel']),
  createdAt: moment,
  finishedAt: moment.nullable(),
  total: z.int(),
  done: z.int(),
  failed: z.int(),
  /**
   * Number of requests with an unknown outcome: their invoices are searched for, and the requests
   * are never repeated.
   */
  unclear: z.int(),
})
export type InvoiceJob = z.infer<typeof invoiceJob>

const invoiceJobItem = z.object({
  index: z.int().nonnegative(),
  state: z.enum(['waiting', 'asked', 'done', 'failed', 'unclear']),
  invoice: z.string().nullable(),
  currency: invoiceCurrency,
  amount: units,
  description: z.string(),
  orderReference: z.string(),
  /** The invoice whose rest this one requests. */
  restOf: z.string().nullable(),
  paymentLink: z.string().nullable(),
  message: z.string().nullable(),
})
export type InvoiceJobItem = z.infer<typeof invoiceJobItem>

const draft = { draft: z.string().min(1).max(60) }
const page = { offset: z.int().nonnegative(), limit: z.int().min(1).max(1000) }

const typedLine = z.object({
  amount: z.string().max(200),
  currency: invoiceCurrency,
  lifeTimeSeconds: z.int(),
  description: z.string().max(20_000).default(''),
  orderReference: orderReference.default(''),
  /** The amount must be the rest of this invoice; both then count together. */
  restOf: orNull(z.string().max(100)),
})

export const invoiceJobRoutes = {
  'invoiceIssue.draft': takes({
    ...onNetwork,
    id: orNull(z.string().max(60)),
    lines: z.array(typedLine).min(1).max(maxIssuedInvoices),
  }).returns(issueDraft),
  /**
   * Columns are found by the header or, without one, in this order: amount, currency, description,
   * lifetime.
   */
  'invoiceIssue.draftFile': takes({
    ...onNetwork,
    text: z.string().max(2_000_000),
    currency: invoiceCurrency,
    lifeTimeSeconds: z.int(),
    /** How to read `1,234`. `ask`: the line is a problem and is not issued. */
    comma: z.enum(['ask', 'fraction', 'thousands']).default('ask'),
  }).returns(issueDraft),
  'invoiceIssue.lines': takes({
    ...draft,
    onlyInvalid: z.boolean().default(false),
    ...page,
  }).returns({ total: z.int(), lines: z.array(issueLine) }),
  'invoiceIssue.drafts': takes(onNetwork).returns(z.array(issueDraft)),
  'invoiceIssue.discard': takes(draft).returns({}),
  /** Issues the valid lines. A repeated call returns the same job. */
  'invoiceIssue.start': takes(draft).returns(invoiceJob),
  /** Settles an unclear item: links the given invoice, repeats the request, or skips the item. */
  'invoiceIssue.resolve': takes({
    ...byId,
    index: z.int().nonnegative(),
    as: z.union([
      z.object({ invoice: z.string().min(1).max(100) }),
      z.object({ again: z.literal(true) }),
      z.object({ left: z.literal(true) }),
    ]),
  }).returns(invoiceJobItem),
  'invoiceIssue.export': takes(byId).returns(exportFile),
  'invoiceCancel.start': takes({
    ...onNetwork,
    invoices: z.union([
      z.object({ ids: z.array(z.string().min(1).max(100)).min(1).max(10_000) }),
      /** Selects pending invoices, at most 10,000. */
      z.object({ filter: invoiceFilter }),
    ]),
  }).returns(invoiceJob),
  'invoiceJob.items': takes({
    ...byId,
    state: orNull(invoiceJobItem.shape.state),
    ...page,
  }).returns({ total: z.int(), items: z.array(invoiceJobItem) }),
} as const
