/** The invoices API (gateway-facts 3.2), as far as the sandbox's page needs it. */
import { z } from 'zod'
import type { SandboxInvoice } from '../../src-preload/contract/index.ts'
import { invoiceStatus, sandboxCurrency } from '../../src-preload/contract/index.ts'
import type { HttpClient } from './http.ts'

/** Seconds in practice, milliseconds in the public document's examples: told apart by their size. */
const moment = z.int().transform((value) => (value > 9_999_999_999 ? value : value * 1000))

/** An invoice as it travels; read into the shape of the bridge. */
export const invoiceAnswer = z
  .object({
    id: z.string(),
    status: invoiceStatus,
    amount: z.string(),
    currency: sandboxCurrency.default('TON'),
    description: z.string().default(''),
    overpayment: z.string().nullish(),
    date_create: moment,
    date_expire: moment,
  })
  .transform((invoice): SandboxInvoice => ({
    id: invoice.id,
    status: invoice.status,
    amount: invoice.amount,
    currency: invoice.currency,
    description: invoice.description,
    overpayment: invoice.overpayment ?? null,
    createdAt: invoice.date_create,
    expiresAt: invoice.date_expire,
  }))

export type NewInvoice = {
  /** Minimal units. */
  readonly amount: string
  readonly currency: 'TON' | 'USDT'
  readonly lifeTimeSeconds: number
  readonly description: string
}

/** Each call throws as `HttpClient.call` does. */
export type InvoicesClient = {
  /** Newest first. */
  list(limit: number): Promise<SandboxInvoice[]>
  /** 404 when this application has none of this id. */
  get(id: string, signal?: AbortSignal): Promise<SandboxInvoice>
  create(invoice: NewInvoice): Promise<SandboxInvoice>
}

const root = '/api/v1/services/invoices'

export function createInvoicesClient(http: HttpClient): InvoicesClient {
  return {
    async list(limit) {
      const { items } = await http.call({
        path: root,
        query: { limit, field_order: 'date_create', type_order: 'desc' },
        answer: z.object({ items: z.array(invoiceAnswer) }),
      })
      return items
    },
    get: (id, signal) =>
      http.call({
        path: `${root}/${encodeURIComponent(id)}`,
        answer: invoiceAnswer,
        ...(signal && { signal }),
      }),
    create: ({ amount, currency, lifeTimeSeconds, description }) =>
      http.call({
        method: 'POST',
        path: `${root}/invoice`,
        body: { amount, currency, life_time: lifeTimeSeconds, description },
        answer: invoiceAnswer,
      }),
  }
}
