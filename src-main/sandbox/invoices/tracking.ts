import { formatJson } from '../../ton/lossless-json.ts'
import type { ExecutedBlock } from '../chain/chain.ts'
import type { Delivery, DeliveryQueue } from '../deliver/delivery-queue.ts'
import type { InvoiceAppStore } from '../store/invoices-app.ts'
import type { InvoiceStore } from '../store/invoices.ts'
import type { Invoice } from './invoice.ts'
import { invoiceJson } from './invoice-json.ts'
import { type InvoiceEvent, afterEvent, isReported } from './invoice-state.ts'
import { matchPayment } from './match-payment.ts'
import { type PaymentDeps, paymentOf } from './payment.ts'

/** Target of the deliveries to one of the application's webhooks. */
export function targetOf(webhookId: number): string {
  return `invoices:${webhookId}`
}

/**
 * Lets events happen to invoices, writes what comes of it and queues what webhooks are to be told.
 * All of it belongs inside one transaction; the queue is woken by whoever commits.
 */
export type Tracking = {
  readonly apply: (invoice: Invoice, event: InvoiceEvent) => Invoice
  /** Ends the time of all whose last second is before `at`. */
  readonly expire: (at: number) => void
  /** Payments of a block, judged by the block's time. */
  readonly observe: (executed: ExecutedBlock) => void
}

type TrackingDeps = {
  readonly invoices: InvoiceStore
  readonly apps: InvoiceAppStore
  readonly queue: Pick<DeliveryQueue, 'add'>
  readonly usdtMaster: string
  readonly usdtWalletOf: PaymentDeps['usdtWalletOf']
}

export function createTracking(deps: TrackingDeps): Tracking {
  const { invoices, apps, queue, usdtMaster } = deps
  const paymentDeps: PaymentDeps = {
    isWatched: (address) => invoices.isWatched(address),
    usdtWalletOf: deps.usdtWalletOf,
    usdtMaster,
  }

  function apply(invoice: Invoice, event: InvoiceEvent): Invoice {
    const after = { ...invoice, ...afterEvent(invoice, event) }
    invoices.update(after)
    if (isReported(invoice, after)) queue.add(deliveriesOf(after))
    return after
  }

  function deliveriesOf(invoice: Invoice): Delivery[] {
    const app = apps.app()
    if (app?.id !== invoice.appId) return []
    const body = formatJson(invoiceJson(invoice, usdtMaster))
    return app.webhooks.map(({ id }) => ({
      target: targetOf(id),
      lane: invoice.id,
      eventType: 'invoice',
      accountId: null,
      lt: null,
      body,
    }))
  }

  function expire(at: number): void {
    for (const invoice of invoices.pendingEndedBefore(at)) apply(invoice, { kind: 'time', at })
  }

  function observe({ block, transactions }: ExecutedBlock): void {
    const at = block.utime
    // Their time has ended, whether or not anybody has come round to saying so: what this block
    // brings them is late.
    expire(at)
    for (const executed of transactions) {
      const payment = paymentOf(executed, paymentDeps)
      if (payment === null) continue
      const invoice = matchPayment(payment, invoices)
      if (invoice === null || !invoices.addPayment(payment, invoice.id, at)) continue
      const { amount, payer } = payment
      apply(invoice, { kind: 'payment', amount, payer, at })
    }
  }

  return { apply, expire, observe }
}
