import { createHash } from 'node:crypto'
import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import type { Chain } from '../chain/create-chain.ts'
import { type Clock, type DueSource, toSeconds } from '../clock.ts'
import type { DeliveryQueue } from '../deliver/create-delivery-queue.ts'
import { type Database, transaction } from '../store/database.ts'
import { createInvoiceAppStore, createInvoiceStore, type InvoiceStore } from '../store/invoices.ts'
import {
  createAccess,
  createApplication,
  createInvoiceTargets,
  type Access,
  type Application,
  projectId,
} from './application.ts'
import {
  applicationFields,
  parseFields,
  appChange,
  appForm,
  invoiceForm,
  readCurrency,
  readInteger,
  readList,
  refundNote,
  webhookForm,
  wrong,
} from './input.ts'
import {
  type InvoiceApp,
  expiresAt,
  invoiceJson,
  addressOf,
  appJson,
  createdJson,
  invoicesCsv,
  type AppWebhook,
  type Invoice,
} from './invoice.ts'
import { createTracking, type Tracking } from './tracking.ts'
import {
  type Routes,
  HttpProblem,
  jsonResponse,
  createRoutes,
  invoicesDialect,
  keyOf,
  readJson,
} from '../http.ts'

const weekSeconds = 7 * 24 * 60 * 60

type RouteDeps = InvoiceDeps & {
  readonly store: InvoiceStore
  readonly application: Application
  readonly access: Access
  readonly tracking: Tracking
  readonly due: DueSource
}

/**
 * Statuses are those of section 3 of the gateway's facts. An error is `{error, code}`, and its code
 * is the status.
 */
function createInvoiceRoutes(deps: RouteDeps): Hono {
  const { application, access, clock, due } = deps
  const table = { ...appRoutes(application, access), ...listRoutes(deps), ...invoiceRoutes(deps) }
  return createRoutes(table, invoicesDialect, async ({ req }, next) => {
    access.check(keyOf(req.raw, 'api_key'))
    const dueAt = due.nextDue()
    // Expires invoices now, because the timer may be late.
    if (dueAt !== null && dueAt <= clock.now()) await due.runDue()
    await next()
  })
}

function listRoutes({ store, application, clock }: RouteDeps): Routes {
  return {
    '/'(context) {
      const { filter, order, page } = readList(context, appOf(context, application).id)
      const items = store.list(filter, order, page).map(invoiceJson)
      return { items, count: store.count(filter) }
    },
    '/stats'(context) {
      const app = appOf(context, application)
      const currency = readCurrency(context) ?? 'TON'
      const since = toSeconds(clock.now()) - weekSeconds
      return { stats: { ...store.stats(app.id, currency, since), currency } }
    },
    '/export'(context) {
      const { filter, order } = readList(context, appOf(context, application).id)
      const all = store.list(filter, order, { limit: -1n, offset: 0n })
      const day = new Date(clock.now()).toISOString().slice(0, 10)
      return new Response(invoicesCsv(all), {
        headers: {
          'Content-Type': 'application/csv',
          'Content-Disposition': `attachment; filename=invoices-${day}.csv`,
          'X-Content-Type-Options': 'nosniff',
        },
      })
    },
  }
}

function invoiceRoutes(deps: RouteDeps): Routes {
  const { database, store, application, tracking } = deps

  function invoiceOf(context: Context): Invoice {
    const app = appOf(context, application)
    const id = context.req.param('id') ?? ''
    const invoice = store.find(id)
    if (invoice?.appId !== app.id) throw new HttpProblem(404, `invoice ${id} not found`)
    return invoice
  }

  function cancel(context: Context) {
    const invoice = invoiceOf(context)
    const event = { kind: 'cancel', at: toSeconds(deps.clock.now()) } as const
    const after = transaction(database, () => tracking.apply(invoice, event))
    deps.queue.wake()
    if (invoice.status === 'pending' && after.status === 'cancelled') return invoiceJson(after)
    throw new HttpProblem(
      400,
      `invoice ${invoice.id} is ${after.status}: only pending invoices can be cancelled`,
    )
  }

  return {
    '/invoice': {
      async POST(context) {
        const form = await readBody(context, invoiceForm)
        const app = appOf(context, application)
        return jsonResponse(createdJson(transaction(database, () => issue(form, app, deps))), 201)
      },
    },
    '/:id': {
      GET: (context) => invoiceJson(invoiceOf(context)),
      async PATCH(context) {
        const { refunded, refund_amount } = await readBody(context, refundNote)
        const found = invoiceOf(context)
        const invoice = {
          ...found,
          refunded: refunded ?? found.refunded,
          refundAmount: refund_amount ?? found.refundAmount,
        }
        store.update(invoice)
        return invoiceJson(invoice)
      },
      // The specification says delete; the real service cancels.
      DELETE: cancel,
    },
    '/:id/cancel': { PATCH: cancel },
  }
}

function issue(
  form: z.infer<typeof invoiceForm>,
  app: InvoiceApp,
  { store, access, clock, seed }: RouteDeps,
): Invoice {
  const rule = access.rule()
  const id = unusedId(store, seed)
  const dateCreate = toSeconds(clock.now())
  const invoice: Invoice = {
    ...form,
    id,
    appId: app.id,
    status: 'pending',
    received: 0n,
    dateCreate,
    dateExpire: dateCreate + form.lifeTime,
    dateChange: dateCreate,
    paidByAddress: null,
    rule,
    payToAddress: rule === 'address' ? addressOf(id) : app.recipient,
    refunded: null,
    refundAmount: null,
  }
  store.insert(invoice)
  return invoice
}

/** Ids are derived from the seed, because they occur in comments and so affect hashes. */
function unusedId(store: InvoiceStore, seed: string): string {
  for (let number = store.total(); ; number += 1) {
    const text = `${seed}\ninvoice ${number}`
    const id = createHash('sha256').update(text).digest('hex').slice(0, 8)
    if (!store.has(id)) return id
  }
}

/** The application, its webhooks and its token. */
function appRoutes(application: Application, access: Access): Routes {
  return {
    '/app': {
      async POST(context) {
        requireProject(context)
        const form = await readBody(context, appForm)
        return jsonResponse(appJson(application.register(form)), 201)
      },
      GET(context) {
        requireProject(context)
        return appJson(appOf(context, application))
      },
    },
    '/app/:id': {
      async PATCH(context) {
        const change = await readBody(context, appChange)
        return appJson(application.change(namedApp(context, application), change))
      },
      DELETE(context) {
        application.remove(namedApp(context, application))
        return {}
      },
    },
    '/app/:id/webhook': {
      async POST(context) {
        const { webhook } = await readBody(context, webhookForm)
        return appJson(application.addWebhook(namedApp(context, application), webhook))
      },
    },
    '/app/:id/webhook/:webhook': {
      async PATCH(context) {
        const { webhook } = await readBody(context, webhookForm)
        const app = namedApp(context, application)
        return appJson(application.changeWebhook(app, namedWebhook(context, app), webhook))
      },
      DELETE: (context) =>
        appJson(application.removeWebhook(namedWebhook(context, namedApp(context, application)))),
    },
    '/token': {
      GET(context) {
        appOf(context, application)
        return { token: access.token() }
      },
      PATCH(context) {
        appOf(context, application)
        return { token: access.regenerateToken() }
      },
    },
  }
}

/** `app_id` is optional, because there is only one application. @throws HttpProblem 404 */
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

const readBody = async <T>(context: Context, schema: z.ZodType<T>): Promise<T> =>
  parseFields(schema, await readJson(context))

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

export type Invoices = ReturnType<typeof createInvoices>

type InvoiceDeps = {
  readonly database: Database
  readonly chain: Pick<Chain, 'observe' | 'caughtUp'>
  readonly clock: Pick<Clock, 'now'>
  readonly queue: Pick<DeliveryQueue, 'add' | 'wake' | 'drop'>
  /** Determines the ids of invoices. */
  readonly seed: string
  readonly recipient: string
  readonly initialToken?: string | undefined
  readonly givenToken?: string | undefined
  readonly onError?: (error: unknown) => void
}

export function createInvoices(deps: InvoiceDeps) {
  const { database, chain, clock, queue, recipient } = deps
  const store = createInvoiceStore(database)
  const apps = createInvoiceAppStore(database)
  const isFirstRun = apps.access() === null
  const access = createAccess(apps, deps)
  const application = createApplication(database, apps, clock, queue)
  if (isFirstRun) application.ensure(recipient)
  const tracking = createTracking(store, apps, queue)
  chain.observe({ storing: tracking.observe, stored: () => queue.wake() })

  const due: DueSource = {
    nextDue() {
      const dateExpire = store.earliestExpiry()
      return dateExpire === null ? null : expiresAt({ dateExpire }) * 1000
    },
    async runDue() {
      try {
        const at = toSeconds(clock.now())
        // A pending block may contain a payment that is in time.
        await chain.caughtUp()
        // A revert may have moved the clock back.
        const until = Math.min(at, toSeconds(clock.now()))
        transaction(database, () => tracking.expire(until))
        queue.wake()
      } catch (error) {
        deps.onError?.(error)
      }
    },
  }

  return {
    /** Serves paths below `/api/v1/services/invoices`, which check their key themselves. */
    routes: createInvoiceRoutes({ ...deps, store, application, access, tracking, due }),
    due,
    targets: createInvoiceTargets(apps),
    access,
    canCreate: () => access.state() === 'granted' && application.get() !== null,
    app: () => application.get(),
    /** Registers "Sandbox shop" if there is no application. @throws HttpProblem 400 */
    putApp(change: { readonly recipient?: unknown; readonly webhooks?: unknown }): InvoiceApp {
      return application.change(
        application.ensure(recipient),
        parseFields(applicationFields, change),
      )
    },
    find: (id: string) => store.find(id),
    serialize: invoiceJson,
    reload(): void {
      const isEmpty = apps.access() === null
      access.reload()
      if (isEmpty) application.ensure(recipient)
    },
  }
}
