import type { Context, Hono } from 'hono'
import { type Clock, toSeconds } from '../clock.ts'
import type { DeliveryQueue } from '../deliver/delivery-queue.ts'
import { answerJson, HttpProblem, readJson } from '../http.ts'
import { type Database, transaction } from '../store/database.ts'
import type { InvoiceStore } from '../store/invoices.ts'
import type { Access } from './access.ts'
import type { Application } from './application.ts'
import { appOf, bodyLimitBytes } from './app-routes.ts'
import { invoicesCsv } from './export-csv.ts'
import type { Invoice } from './invoice.ts'
import { readInvoiceForm, readRefundNote } from './invoice-input.ts'
import { createdJson, invoiceJson } from './invoice-json.ts'
import { issueInvoice } from './issue-invoice.ts'
import { readCurrency, readFilter, readOrder, readPage } from './list-query.ts'
import { resource } from './resource.ts'
import type { Tracking } from './tracking.ts'

type InvoiceRoutesDeps = {
  readonly database: Database
  readonly store: InvoiceStore
  readonly application: Application
  readonly access: Access
  readonly tracking: Tracking
  readonly clock: Pick<Clock, 'now'>
  readonly queue: Pick<DeliveryQueue, 'wake'>
  readonly seed: string
  readonly usdtMaster: string
}

const weekSeconds = 7 * 24 * 60 * 60

/** Invoices themselves. Static words come first: they stand where an id may. */
export function addInvoiceRoutes(routes: Hono, deps: InvoiceRoutesDeps): void {
  const { database, store, application, access, tracking, clock, queue, usdtMaster } = deps
  const answer = (invoice: Invoice) => answerJson(invoiceJson(invoice, usdtMaster))

  resource(routes, '/invoice', {
    async POST(context) {
      const form = readInvoiceForm(await readJson(context, bodyLimitBytes))
      const app = appOf(context, application)
      const invoice = transaction(database, () =>
        issueInvoice(form, app, access.rule(), { store, clock, seed: deps.seed }),
      )
      return answerJson(createdJson(invoice, usdtMaster), 201)
    },
  })
  resource(routes, '/', {
    GET(context) {
      const filter = readFilter(context, appOf(context, application).id)
      const items = store.list(filter, readOrder(context), readPage(context))
      return answerJson({
        items: items.map((invoice) => invoiceJson(invoice, usdtMaster)),
        count: store.count(filter),
      })
    },
  })
  resource(routes, '/stats', {
    GET(context) {
      const app = appOf(context, application)
      const currency = readCurrency(context) ?? 'TON'
      const weekAgo = toSeconds(clock.now()) - weekSeconds
      const stats = store.stats(app.id, currency, weekAgo)
      return answerJson({
        stats: {
          total: stats.total,
          success_total: stats.paidAmount,
          success_in_week: stats.paidSinceAmount,
          invoices_in_progress: stats.pending,
          total_amount_pending: stats.pendingAmount,
          currency,
        },
      })
    },
  })
  resource(routes, '/export', {
    GET(context) {
      const filter = readFilter(context, appOf(context, application).id)
      const all = store.list(filter, readOrder(context), { limit: -1, offset: 0n })
      const day = new Date(clock.now()).toISOString().slice(0, 10)
      return new Response(invoicesCsv(all, usdtMaster), {
        headers: {
          'Content-Type': 'application/csv',
          'Content-Disposition': `attachment; filename=invoices-${day}.csv`,
          'X-Content-Type-Options': 'nosniff',
        },
      })
    },
  })
  resource(routes, '/:id', {
    GET: (context) => answer(invoiceOf(context)),
    async PATCH(context) {
      const note = readRefundNote(await readJson(context, bodyLimitBytes))
      const invoice = { ...invoiceOf(context), ...note }
      store.update(invoice)
      return answer(invoice)
    },
    // The specification speaks of deletion; on the real service it is the same as cancelling.
    DELETE: (context) => answer(cancel(invoiceOf(context))),
  })
  resource(routes, '/:id/cancel', {
    PATCH: (context) => answer(cancel(invoiceOf(context))),
  })

  function invoiceOf(context: Context): Invoice {
    const app = appOf(context, application)
    const id = context.req.param('id') ?? ''
    const invoice = store.find(id)
    if (invoice?.appId !== app.id) throw new HttpProblem(404, `invoice ${id} not found`)
    return invoice
  }

  function cancel(invoice: Invoice): Invoice {
    const event = { kind: 'cancel', at: toSeconds(clock.now()) } as const
    const after = transaction(database, () => tracking.apply(invoice, event))
    queue.wake()
    if (invoice.status !== 'pending' || after.status !== 'cancelled') {
      throw new HttpProblem(
        400,
        `invoice ${invoice.id} is ${after.status}: only a pending one can be cancelled`,
      )
    }
    return after
  }
}
