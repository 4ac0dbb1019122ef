import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { toSeconds } from '../clock.ts'
import type { InvoiceStore } from '../store/invoices.ts'
import type { Invoice, InvoiceApp, MatchingRule } from './invoice.ts'
import type { InvoiceOrderForm } from './invoice-input.ts'
import { addressOf } from './payment-link.ts'

/** Makes a pending invoice of a request and keeps it. */
export function issueInvoice(
  form: InvoiceOrderForm,
  app: InvoiceApp,
  rule: MatchingRule,
  deps: { readonly store: InvoiceStore; readonly clock: Pick<Clock, 'now'> },
): Invoice {
  const { store } = deps
  const id = unusedId(store)
  const now = toSeconds(deps.clock.now())
  const invoice: Invoice = {
    ...form,
    id,
    appId: app.id,
    status: 'pending',
    received: 0n,
    dateCreate: now,
    dateExpire: now + form.lifeTime,
    dateChange: now,
    paidBy: null,
    rule,
    payTo: rule === 'address' ? addressOf(id) : app.recipient,
    refunded: null,
    refundAmount: null,
  }
  store.insert(invoice)
  return invoice
}

function unusedId(store: InvoiceStore): string {
  for (;;) {
    const id = randomBytes(4).toString('hex')
    if (!store.has(id)) return id
  }
}
