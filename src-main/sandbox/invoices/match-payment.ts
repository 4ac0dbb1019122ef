import type { InvoiceStore } from '../store/invoices.ts'
import type { Invoice, Payment } from './invoice.ts'

const invoiceId = /^[0-9a-f]{8}$/

/**
 * The invoice a payment is for, by the rule each invoice was made under. Null when it names none, or
 * one of another asset or recipient: to an invoice nothing happens then.
 */
export function matchPayment(payment: Payment, store: InvoiceStore): Invoice | null {
  const { payTo, currency, amount } = payment
  const named = payment.comment?.trim().toLowerCase() ?? ''
  if (invoiceId.test(named)) {
    const invoice = store.find(named)
    if (invoice?.rule === 'comment' && invoice.payTo === payTo && invoice.currency === currency) {
      return invoice
    }
  }
  const own = store.byOwnAddress(payTo)
  if (own !== null) return own.currency === currency ? own : null
  return store.byAmount(payTo, currency, amount)
}
