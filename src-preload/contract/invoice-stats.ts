import { z } from 'zod'
import { invoiceCurrency } from './invoice.ts'
import { timeZone } from './matter.ts'
import { networkId } from './network.ts'
import { route } from './route.ts'

const moment = z.int()
const units = z.string().regex(/^\d{1,30}$/)

const amounts = z.object({ TON: units, USDT: units })

/** What a span, or one step of it, adds up to. Only what the gateway has confirmed counts. */
const invoiceTally = z.object({
  /** Created in it; and of those, how many are paid by now. */
  created: z.int(),
  createdPaid: z.int(),
  paid: z.int(),
  expired: z.int(),
  cancelled: z.int(),
  /** Asked by the paid ones. */
  volume: amounts,
  /** Of what ended in it, whatever it ended as. */
  overpaid: z.int(),
  overpayment: amounts,
})
export type InvoiceTally = z.infer<typeof invoiceTally>

const invoiceStep = z.enum(['hour', 'day', 'week', 'month'])

const span = z.object({
  network: networkId,
  from: moment,
  to: moment,
  currencies: z.array(invoiceCurrency).default([]),
})
const onNetwork = z.object({ network: networkId })

export const invoiceStatsRoutes = {
  /** The span, and the one of the same length before it. */
  'invoiceStats.figures': route(
    span,
    z.object({
      now: invoiceTally,
      before: invoiceTally,
      /** From creation to payment, of those paid in it; to within 2 %, exact below ten minutes. */
      medianSeconds: z.int().nullable(),
      open: z.object({ count: z.int(), amount: amounts, withinHour: z.int() }),
    }),
  ),
  /** Steps begin at midnight of the zone (weeks on Monday); at most 400 of them. */
  'invoiceStats.series': route(
    span.extend({ step: invoiceStep, zone: timeZone }),
    z.object({
      steps: z.array(z.object({ startsAt: moment, endsAt: moment, tally: invoiceTally })),
    }),
  ),
  /** Of those paid in it. `to` is null for the last. */
  'invoiceStats.timeToPayment': route(
    span,
    z.object({
      buckets: z.array(
        z.object({
          fromSeconds: z.int(),
          toSeconds: z.int().nullable(),
          count: z.object({ TON: z.int(), USDT: z.int() }),
        }),
      ),
    }),
  ),
  /** Of pending ones, whatever the span: overdue, then by how soon they expire. */
  'invoiceStats.openByExpiry': route(
    z.object({ network: networkId, currencies: z.array(invoiceCurrency).default([]) }),
    z.object({
      steps: z.array(
        z.object({
          /** Null: whatever is before `to`, or after `from`. */
          from: moment.nullable(),
          to: moment.nullable(),
          count: z.int(),
          amount: amounts,
        }),
      ),
    }),
  ),
  'invoiceStats.gateway': route(
    onNetwork,
    z.array(
      z.object({
        currency: invoiceCurrency,
        gateway: z.object({
          total: z.int(),
          pending: z.int(),
          paidAmount: units,
          pendingAmount: units,
        }),
        ledger: z.object({
          total: z.int(),
          pending: z.int(),
          paidAmount: units,
          pendingAmount: units,
        }),
        agrees: z.boolean(),
      }),
    ),
  ),
} as const
