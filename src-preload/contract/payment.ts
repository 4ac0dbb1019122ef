import { z } from 'zod'
import { networkId, onNetwork } from './network.ts'
import { takes, moment, units, orNull } from './route.ts'
import { sandboxCurrency } from './sandbox.ts'

const paymentEvidence = z.object({
  kind: z.enum(['comment', 'address', 'amount', 'payer', 'time', 'person']),
  fits: z.boolean(),
  text: z.string(),
})
export type PaymentEvidence = z.infer<typeof paymentEvidence>

/** A payment on the chain in TON or USDT to an address of invoices. */
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
  invoice: z.string().nullable(),
  /** The invoice that an unlinked payment names without counting for it. */
  names: z.string().nullable(),
  certainty: z.enum(['certain', 'likely', 'guess']).nullable(),
  evidence: z.array(paymentEvidence),
  /** True when the payment arrived while its invoice could be paid; null without an invoice. */
  inTime: z.boolean().nullable(),
})
export type Payment = z.infer<typeof payment>

const one = { ...onNetwork, key: z.int().positive() }

const paymentFilter = z.object({
  only: orNull(z.enum(['linked', 'unmatched'])),
  from: orNull(moment),
  to: orNull(moment),
  currencies: z.array(sandboxCurrency).default([]),
  text: z.string().max(200).default(''),
})
export type PaymentFilter = z.infer<typeof paymentFilter>

export const paymentRoutes = {
  'payment.page': takes({
    ...onNetwork,
    filter: paymentFilter.prefault({}),
    offset: z.int().nonnegative(),
    limit: z.int().min(1).max(500),
  }).returns({ total: z.int(), payments: z.array(payment) }),
  /** At most ten invoices, the best match first. */
  'payment.candidates': takes(one).returns(
    z.array(
      z.object({
        invoice: z.string(),
        description: z.string(),
        status: z.string(),
        amount: units,
        currency: sandboxCurrency,
        /** False when the invoice requests another asset. */
        canLink: z.boolean(),
        evidence: z.array(paymentEvidence),
      }),
    ),
  ),
  /** A link made by the user; no rule changes it. */
  'payment.link': takes({ ...one, invoice: z.string().min(1).max(100) }).returns(payment),
  'payment.unlink': takes(one).returns(payment),
} as const
