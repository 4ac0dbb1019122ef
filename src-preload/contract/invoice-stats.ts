import { z } from 'zod'
import { invoiceCurrency } from './invoice.ts'
import { timeZone } from './discrepancy.ts'
import { networkId, onNetwork } from './network.ts'
import { takes, moment, units } from './route.ts'

const amounts = z.object({ TON: units, USDT: units })

const invoiceTally = z.object({
  created: z.int(),
  createdPaid: z.int(),
  paid: z.int(),
  expired: z.int(),
  cancelled: z.int(),
  volume: amounts,
  overpaid: z.int(),
  overpayment: amounts,
})
export type InvoiceTally = z.infer<typeof invoiceTally>

const invoiceSums = z.object({
  total: z.int(),
  pending: z.int(),
  paidAmount: units,
  pendingAmount: units,
})

const invoiceStep = z.enum(['hour', 'day', 'week', 'month'])

const span = {
  network: networkId,
  from: moment,
  to: moment,
  currencies: z.array(invoiceCurrency).default([]),
}

export const invoiceStatsRoutes = {
  'invoiceStats.totals': takes(span).returns({
    now: invoiceTally,
    before: invoiceTally,
    /**
     * The number of seconds from creation to payment of invoices paid in the period; accurate to 2
     * %, exact below ten minutes.
     */
    medianSeconds: z.int().nullable(),
    open: z.object({ count: z.int(), amount: amounts, withinHour: z.int() }),
  }),
  /** Returns at most 400 steps, each beginning at midnight of the time zone (weeks on Monday). */
  'invoiceStats.series': takes({ ...span, step: invoiceStep, zone: timeZone }).returns({
    steps: z.array(z.object({ startsAt: moment, endsAt: moment, tally: invoiceTally })),
  }),
  'invoiceStats.timeToPayment': takes(span).returns({
    buckets: z.array(
      z.object({
        fromSeconds: z.int(),
        toSeconds: z.int().nullable(),
        count: z.object({ TON: z.int(), USDT: z.int() }),
      }),
    ),
  }),
  /** Counts pending invoices of all periods: overdue ones, then by the time until they expire. */
  'invoiceStats.openByExpiry': takes({
    network: networkId,
    currencies: z.array(invoiceCurrency).default([]),
  }).returns({
    steps: z.array(
      z.object({
        from: moment.nullable(),
        to: moment.nullable(),
        count: z.int(),
        amount: amounts,
      }),
    ),
  }),
  'invoiceStats.gateway': takes(onNetwork).returns(
    z.array(
      z.object({
        currency: invoiceCurrency,
        gateway: invoiceSums,
        ledger: invoiceSums,
        agrees: z.boolean(),
      }),
    ),
  ),
} as const
