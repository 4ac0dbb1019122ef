import { z } from 'zod'
import { fiatCurrencies } from '../domain/fiat.ts'
import { networkId, onNetwork } from './network.ts'
import { takes, moment, units, orNull } from './route.ts'
import { sandboxCurrency } from './sandbox.ts'

const paymentEvidence = z.object({
  kind: z.enum(['comment', 'address', 'amount', 'payer', 'time', 'person']),
  fits: z.boolean(),
  text: z.string(),
})
export type PaymentEvidence = z.infer<typeof paymentEvidence>

/** The value of a payment when it arrived, rounded half up to the currency's decimal places. */
const paymentFiat = z.object({
  currency: z.enum(fiatCurrencies),
  /** Decimals; the rate is the price of one whole unit of the payment's asset. Null if unknown. */
  value: z.string().nullable(),
  rate: z.string().nullable(),
  /** The time of the gateway's rate that is nearest to the payment. */
  rateAt: moment.nullable(),
  /** Why the value is unknown. */
  problem: z.string().nullable(),
})
export type PaymentFiat = z.infer<typeof paymentFiat>

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
  /** The invoice that an unlinked payment names; the payment does not count for it. */
  names: z.string().nullable(),
  /** The field in which that payment differs from the invoice; null if `names` is null. */
  uncounted: z.enum(['asset', 'address', 'comment']).nullable(),
  certainty: z.enum(['certain', 'likely', 'guess']).nullable(),
  evidence: z.array(paymentEvidence),
  /** True if the payment arrived while its invoice could be paid; null without an invoice. */
  inTime: z.boolean().nullable(),
  /** Null if the settings choose no fiat currency. */
  fiat: paymentFiat.nullable(),
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
  /** Returns at most ten invoices, the best match first. */
  'payment.candidates': takes(one).returns(
    z.array(
      z.object({
        invoice: z.string(),
        description: z.string(),
        status: z.string(),
        amount: units,
        currency: sandboxCurrency,
        /** False if the invoice requests another asset. */
        canLink: z.boolean(),
        evidence: z.array(paymentEvidence),
      }),
    ),
  ),
  /** Links a payment on the user's behalf; no rule changes such a link. */
  'payment.link': takes({ ...one, invoice: z.string().min(1).max(100) }).returns(payment),
  'payment.unlink': takes(one).returns(payment),
} as const
