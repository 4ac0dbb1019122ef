import type { Invoice, InvoiceApp } from './invoice.ts'
import { overpaymentOf } from './invoice-state.ts'
import { paymentLink } from './payment-link.ts'

/** An invoice as the API and its webhooks tell it: amounts are text, moments seconds. */
export type InvoiceJson = ReturnType<typeof invoiceJson>

/** All fields there are; what there is nothing to say of is left out. */
export function invoiceJson(invoice: Invoice, usdtMaster: string) {
  return { ...createdJson(invoice, usdtMaster), date_change: invoice.dateChange }
}

/** As the answer to its creation has it: without the time of a change (specification section 4.3). */
export function createdJson(invoice: Invoice, usdtMaster: string) {
  const { description, paidBy, refunded, refundAmount } = invoice
  const overpayment = overpaymentOf(invoice)
  return {
    id: invoice.id,
    status: invoice.status,
    amount: invoice.amount.toString(),
    currency: invoice.currency,
    ...(description === null ? {} : { description }),
    date_create: invoice.dateCreate,
    date_expire: invoice.dateExpire,
    payment_link: paymentLink(invoice, usdtMaster),
    pay_to_address: invoice.payTo,
    ...(paidBy === null ? {} : { paid_by_address: paidBy }),
    ...(overpayment === 0n ? {} : { overpayment: overpayment.toString() }),
    ...(refunded === null && refundAmount === null
      ? {}
      : {
          info: {
            ...(refunded === null ? {} : { refunded }),
            ...(refundAmount === null ? {} : { refund_amount: refundAmount }),
          },
        }),
  }
}

export function appJson(app: InvoiceApp) {
  return {
    id: app.id,
    project_id: app.projectId,
    name: app.name,
    description: app.description,
    recipient_address: app.recipient,
    date_create: app.dateCreate,
    webhooks: app.webhooks.map(({ id, url }) => ({ id: String(id), webhook: url })),
  }
}
