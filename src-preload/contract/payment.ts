import { z } from 'zod'
import { networkId } from './network.ts'
import { route } from './route.ts'
import { sandboxCurrency } from './sandbox.ts'

const moment = z.int()
const units = z.string().regex(/^\d{1,30}$/)

const paymentEvidence = z.object({
  kind: z.enum(['comment', 'address', 'amount', 'payer', 'time', 'person']),
  fits: z.boolean(),
  text: z.string(),
})
export type PaymentEvidence = z.infer<typeof paymentEvidence>

/** A transfer in TON or USDT that an address of invoices received, as the chain has it. */
export const payment = z.object({
  key: z.int().positive(),
  network: networkId,
  account: z.string(),
  hash: z.string(),
  lt: z.string().regex(/^\d+$/),
  at: moment,
  currency: sandboxCurrency,
  amount: units,
  payer: z.string(),
  payerLabel: z.string().nullable(),
  comment: z.string().nullable(),
  /** Null: it belongs to none. */
  invoice: z.string().nullable(),
  /** Of one that belongs to none: the invoice that it names, and does not count for. */
  names: z.string().nullable(),
  certainty: z.enum(['certain', 'likely', 'guess']).nullable(),
  evidence: z.array(paymentEvidence),
  /** Whether it came while its invoice could be paid; null without one. */
  inTime: z.boolean().nullable(),
})
export type Payment = z.infer<typeof payment>

const onNetwork = z.object({ network: networkId })
const one = onNetwork.extend({ key: z.int().positive() })

const paymentFilter = z.object({
  only: z.enum(['linked', 'unmatched']).nullable().default(null),
  from: moment.nullable().default(null),
  to: moment.nullable().default(null),
  currencies: z.array(sandboxCurrency).default([]),
  text: z.string().max(200).default(''),
})
export type PaymentFilter = z.infer<typeof paymentFilter>

export const paymentRoutes = {
  'payment.page': route(
    onNetwork.extend({
      filter: paymentFilter.prefault({}),
      offset: z.int().nonnegative(),
      limit: z.int().min(1).max(500),
    }),
    z.object({ total: z.int(), payments: z.array(payment) }),
  ),
  /** Invoices it could be of, likeliest first, at most ten. */
  'payment.candidates': route(
    one,
    z.array(
      z.object({
        invoice: z.string(),
        description: z.string(),
        status: z.string(),
        amount: units,
        currency: sandboxCurrency,
        /** False where the invoice asks for another asset: the payment cannot pay it. */
        canLink: z.boolean(),
        evidence: z.array(paymentEvidence),
      }),
    ),
  ),
  /** By the person's word, which no rule changes again. */
  'payment.link': route(one.extend({ invoice: z.string().min(1).max(100) }), payment),
  'payment.unlink': route(one, payment),
} as const

export type PaymentEvents = {
  'payment.changed': { readonly network: string }
}
