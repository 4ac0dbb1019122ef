import { createHash } from 'node:crypto'
import { type Clock, toSeconds } from '../clock.ts'
import type { InvoiceStore } from '../store/invoices.ts'
import type { Invoice, InvoiceApp, MatchingRule } from './invoice.ts'
import type { InvoiceOrderForm } from './invoice-input.ts'
import { addressOf } from './payment-link.ts'

/** Makes a pending invoice of a request and keeps it. */
export function issueInvoice(
  form: InvoiceOrderForm,
  app: InvoiceApp,
  rule: MatchingRule,
  deps: {
    readonly store: InvoiceStore
    readonly clock: Pick<Clock, 'now'>
    readonly seed: string
  },
): Invoice {
  const { store } = deps
  const id = unusedId(store, deps.seed)
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

/** Follows from the seed: it stands in the payment's comment, and so decides hashes on the chain. */
function unusedId(store: InvoiceStore, seed: string): string {
  for (let number = store.total(); ; number += 1) {
    const id = createHash('sha256').update(`${seed}\ninvoice ${number}`).digest('hex').slice(0, 8)
    if (!store.has(id)) return id
  }
}
