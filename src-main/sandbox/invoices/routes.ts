import type { Context, Hono } from 'hono'
import { createHash } from 'node:crypto'
import { type Clock, toSeconds } from '../clock.ts'
import type { DeliveryQueue } from '../deliver/delivery-queue.ts'
import { answerJson, HttpProblem, readJson } from '../http.ts'
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
import { addressOf, appJson, createdJson, invoiceJson, invoicesCsv } from './invoice-json.ts'
import type { AppWebhook, Invoice, InvoiceApp, MatchingRule } from './invoice.ts'
import type { Tracking } from './tracking.ts'

type Verb = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Handler = (context: Context) => Response | Promise<Response>

/** Errors are `{error, code}`; the code is the status. */
export function refusal(
  status: number,
  error: string,
  headers: Record<string, string> = {},
): Response {
  return answerJson({ error, code: status }, status, headers)
}

function resource(
  routes: Hono,
  path: string,
  handlers: Readonly<Partial<Record<Verb, Handler>>>,
): void {
  const verbs = Object.keys(handlers)
  for (const [verb, handler] of Object.entries(handlers)) routes.on(verb, path, handler)
  const allow = verbs.flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])).join(', ')
  routes.all(path, ({ req }) =>
    refusal(405, `${req.method} is not allowed here, only ${allow}`, { Allow: allow }),
  )
}

const bodyLimitBytes = 1024 * 1024

/** Application, webhooks and token (gateway-facts 3.2). */
export function addAppRoutes(
  routes: Hono,
  deps: { readonly application: Application; readonly access: Access },
): void {
  const { application, access } = deps
  const answer = (app: InvoiceApp, status = 200) => answerJson({ app: appJson(app) }, status)

  resource(routes, '/app', {
    async POST(context) {
      requireProject(context)
      return answer(application.register(readAppForm(await readJson(context, bodyLimitBytes))), 201)
    },
    GET(context) {
      requireProject(context)
      return answer(appOf(context, application))
    },
  })
  resource(routes, '/app/:id', {
    async PATCH(context) {
      const change = readAppChange(await readJson(context, bodyLimitBytes))
      return answer(application.change(namedApp(context, application), change))
    },
    DELETE(context) {
      application.remove(namedApp(context, application))
      return answerJson({})
    },
  })
  resource(routes, '/app/:id/webhook', {
    async POST(context) {
      const url = readWebhook(await readJson(context, bodyLimitBytes))
      return answer(application.addWebhook(namedApp(context, application), url))
    },
  })
  resource(routes, '/app/:id/webhook/:webhook', {
    async PATCH(context) {
      const url = readWebhook(await readJson(context, bodyLimitBytes))
      const app = namedApp(context, application)
      return answer(application.changeWebhook(app, namedWebhook(context, app), url))
    },
    DELETE(context) {
      const app = namedApp(context, application)
      return answer(application.removeWebhook(app, namedWebhook(context, app)))
    },
  })
  resource(routes, '/token', {
    GET(context) {
      appOf(context, application)
      return answerJson({ token: access.token() })
    },
    PATCH(context) {
      appOf(context, application)
      return answerJson({ token: access.regenerateToken() })
    },
  })
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

/** Static paths come before `/:id`. */
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
    // The specification says delete; the real service cancels.
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

function issueInvoice(
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

/** Derived from the seed: ids occur in comments and so affect hashes. */
function unusedId(store: InvoiceStore, seed: string): string {
  for (let number = store.total(); ; number += 1) {
    const id = createHash('sha256').update(`${seed}\ninvoice ${number}`).digest('hex').slice(0, 8)
    if (!store.has(id)) return id
  }
}
