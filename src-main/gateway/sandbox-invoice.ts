import { z } from 'zod'
import { type SandboxInvoice, invoiceStatus } from '../../src-preload/contract/sandbox.ts'
import { type InvoiceEntry, invoiceEntry } from './invoice-answers.ts'

/** An invoice as far as the sandbox's page needs it. @throws ZodError for a state that the sandbox does not know */
export function sandboxInvoiceOf(invoice: InvoiceEntry): SandboxInvoice {
  const { id, status, amount, currency, description, overpayment, createdAt, expiresAt } = invoice
  return {
    id,
    status: invoiceStatus.parse(status),
    amount: amount.toString(),
    currency,
    description,
    overpayment: overpayment === 0n ? null : overpayment.toString(),
    createdAt,
    expiresAt,
  }
}

/** The same, of an answer of its control API. */
export const sandboxInvoiceAnswer = z.unknown().pipe(invoiceEntry).transform(sandboxInvoiceOf)
