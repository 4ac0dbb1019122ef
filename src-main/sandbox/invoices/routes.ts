import type { Context, Hono } from 'hono'
import { createHash } from 'node:crypto'
import { type Clock, type DueSource, toSeconds } from '../clock.ts'
import type { DeliveryQueue } from '../deliver/delivery-queue.ts'
import { HttpProblem, answerJson, createRoutes, invoicesDialect, keyOf, readJson } from '../http.ts'
import { type Database, transaction } from '../store/database.ts'
import type { InvoiceStore } from '../store/invoices.ts'
import { type Access, type Application, projectId } from './application.ts'
import {
  type InvoiceOrderForm,
  readAppChange,
  readAppForm,
  readCurrency,
  readFilter,
  readInteger,
  readInvoiceForm,
  readOrder,
  readPage,
  readRefundNote,
  readWebhook,
  wrong,
} from './input.ts'
import {
  addressOf,
  appJson,
  createdJson,
  invoiceJson,
  invoicesCsv,
  type AppWebhook,
  type Invoice,
  type InvoiceApp,
} from './invoice.ts'
import type { Tracking } from './tracking.ts'

const bodyLimitBytes = 1024 * 1024

const weekSeconds = 7 * 24 * 60 * 60

/** Of gateway-facts section 3. Errors are `{error, code}`; the code is the status. */
export function createInvoiceRoutes(deps: {
  readonly database: Database
  readonly store: InvoiceStore
  readonly application: Application
  readonly access: Access
  readonly tracking: Tracking
  readonly clock: Pick<Clock, 'now'>
  readonly queue: Pick<DeliveryQueue, 'wake'>
  readonly due: DueSource
  readonly seed: string
  readonly usdtMaster: string
}): Hono {
  const { database, store, application, access, tracking, clock, queue, usdtMaster } = deps
  const serialize = (invoice: Invoice) => invoiceJson(invoice, usdtMaster)

  const appRoutes = {
    '/app': {
      POST: async (context: Context) => {
        requireProject(context)
        const form = readAppForm(await readJson(context, bodyLimitBytes))
        return answerJson(appJson(application.register(form)), 201)
      },
      GET: (context: Context) => {
        requireProject(context)
        return appJson(appOf(context, application))
      },
    },
    '/app/:id': {
      PATCH: async (context: Context) => {
        const change = readAppChange(await readJson(context, bodyLimitBytes))
        return appJson(application.change(namedApp(context, application), change))
      },
      DELETE: (context: Context) => {
        application.remove(namedApp(context, application))
        return {}
      },
    },
    '/app/:id/webhook': {
      POST: async (context: Context) => {
        const url = readWebhook(await readJson(context, bodyLimitBytes))
        return appJson(application.addWebhook(namedApp(context, application), url))
      },
    },
    '/app/:id/webhook/:webhook': {
      PATCH: async (context: Context) => {
        const url = readWebhook(await readJson(context, bodyLimitBytes))
        const app = namedApp(context, application)
        return appJson(application.changeWebhook(app, namedWebhook(context, app), url))
      },
      DELETE: (context: Context) => {
        const app = namedApp(context, application)
        return appJson(application.removeWebhook(namedWebhook(context, app)))
      },
    },
    '/token': {
      GET: (context: Context) => {
        appOf(context, application)
        return { token: access.token() }
      },
      PATCH: (context: Context) => {
        appOf(context, application)
        return { token: access.regenerateToken() }
      },
    },
  }

  const invoiceRoutes = {
    '/invoice': {
      POST: async (context: Context) => {
        const form = readInvoiceForm(await readJson(context, bodyLimitBytes))
        const app = appOf(context, application)
        const invoice = transaction(database, () => issueInvoice(form, app, deps))
        return answerJson(createdJson(invoice, usdtMaster), 201)
      },
    },
    '/': {
      GET: (context: Context) => {
        const filter = readFilter(context, appOf(context, application).id)
        const items = store.list(filter, readOrder(context), readPage(context))
        return { items: items.map(serialize), count: store.count(filter) }
      },
    },
    '/stats': {
      GET: (context: Context) => {
        const app = appOf(context, application)
        const currency = readCurrency(context) ?? 'TON'
        const stats = store.stats(app.id, currency, toSeconds(clock.now()) - weekSeconds)
        return {
          stats: {
            total: stats.total,
            success_total: stats.paidAmount,
            success_in_week: stats.paidSinceAmount,
            invoices_in_progress: stats.pending,
            total_amount_pending: stats.pendingAmount,
            currency,
          },
        }
      },
    },
    '/export': {
      GET: (context: Context) => {
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
    },
    '/:id': {
      GET: (context: Context) => serialize(invoiceOf(context)),
      PATCH: async (context: Context) => {
        const note = readRefundNote(await readJson(context, bodyLimitBytes))
        const invoice = { ...invoiceOf(context), ...note }
        store.update(invoice)
        return serialize(invoice)
      },
      // The specification says delete; the real service cancels.
      DELETE: (context: Context) => serialize(cancel(invoiceOf(context))),
    },
    '/:id/cancel': {
      PATCH: (context: Context) => serialize(cancel(invoiceOf(context))),
    },
  }

  return createRoutes(
    { ...appRoutes, ...invoiceRoutes },
    invoicesDialect,
    async ({ req }, next) => {
      access.check(keyOf(req.raw, 'api_key'))
      const dueAt = deps.due.nextDue()
      // Expires invoices now, because the timer may be late.
      if (dueAt !== null && dueAt <= clock.now()) await deps.due.runDue()
      await next()
    },
  )

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

/** `app_id` is optional: there is one application. @throws HttpProblem 404 */
function appOf(context: Context, application: Application): InvoiceApp {
  const id = readInteger(context, 'app_id')
  const app = application.get()
  if (app === null) throw new HttpProblem(404, 'no application is registered: POST …/app first')
  if (id !== undefined && id !== BigInt(app.id)) {
    throw new HttpProblem(404, `application ${id} not found`)
  }
  return app
}

function namedApp(context: Context, application: Application): InvoiceApp {
  const id = context.req.param('id') ?? ''
  if (!/^\d{1,40}$/.test(id)) throw wrong('the application id', 'must be a number')
  const app = application.get()
  if (app === null || BigInt(id) !== BigInt(app.id)) {
    throw new HttpProblem(404, `application ${id} not found`)
  }
  return app
}

function namedWebhook(context: Context, app: InvoiceApp): AppWebhook {
  const id = context.req.param('webhook') ?? ''
  const webhook = app.webhooks.find((each) => String(each.id) === id)
  if (webhook === undefined) throw new HttpProblem(404, `webhook ${id} not found`)
  return webhook
}

function requireProject(context: Context): void {
  const id = readInteger(context, 'project_id')
  if (id !== undefined && id !== BigInt(projectId)) {
    throw new HttpProblem(404, `project ${id} not found`)
  }
}

function issueInvoice(
  form: InvoiceOrderForm,
  app: InvoiceApp,
  deps: {
    readonly store: InvoiceStore
    readonly access: Access
    readonly clock: Pick<Clock, 'now'>
    readonly seed: string
  },
): Invoice {
  const { store } = deps
  const rule = deps.access.rule()
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

/** Derived from the seed: ids occur in comments and so affect hashes. */
function unusedId(store: InvoiceStore, seed: string): string {
  for (let number = store.total(); ; number += 1) {
    const id = createHash('sha256').update(`${seed}\ninvoice ${number}`).digest('hex').slice(0, 8)
    if (!store.has(id)) return id
  }
}
