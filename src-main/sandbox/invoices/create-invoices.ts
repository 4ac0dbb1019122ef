import { type Context, Hono } from 'hono'
import type { Chain } from '../chain/chain.ts'
import { type Clock, type DueSource, toSeconds } from '../clock.ts'
import type { DeliveryQueue, DeliveryTargets } from '../deliver/delivery-queue.ts'
import { HttpProblem, keyOf } from '../http.ts'
import { type Database, transaction } from '../store/database.ts'
import { createInvoiceAppStore } from '../store/invoices-app.ts'
import { createInvoiceStore } from '../store/invoices.ts'
import {
  createAccess,
  type Application,
  createApplication,
  createInvoiceTargets,
} from './application.ts'
import { addAppRoutes, addInvoiceRoutes, refusal } from './routes.ts'
import { readRecipient, readWebhooks } from './input.ts'
import {
  type AccessState,
  type Invoice,
  type InvoiceApp,
  type MatchingRule,
  expiresAt,
} from './invoice.ts'
import { type InvoiceJson, invoiceJson } from './invoice-json.ts'
import { createTracking } from './tracking.ts'

type InvoicesDeps = {
  readonly database: Database
  readonly chain: Pick<Chain, 'observe' | 'caughtUp'>
  readonly clock: Pick<Clock, 'now'>
  readonly queue: Pick<DeliveryQueue, 'add' | 'wake' | 'drop'>
  /** Decides the ids of invoices. */
  readonly seed: string
  /** Raw address for the first application. */
  readonly recipient: string
  readonly initialToken?: string | undefined
  readonly givenToken?: string | undefined
  readonly usdt: {
    readonly master: string
    /** Takes and returns raw addresses. */
    readonly walletOf: (owner: string) => string
  }
  readonly onError?: (error: unknown) => void
}

export type Invoices = {
  /** Paths below `/api/v1/services/invoices`; they check their key themselves. */
  readonly routes: Hono
  readonly due: DueSource
  readonly targets: DeliveryTargets
  readonly access: {
    readonly state: () => AccessState
    /** Access is granted and an application exists. */
    readonly canCreate: () => boolean
    readonly token: () => string | null
    readonly change: (state: AccessState) => void
    readonly grant: () => void
    readonly withdraw: () => void
  }
  /** Applies to new invoices. */
  readonly matching: {
    readonly get: () => MatchingRule
    readonly set: (rule: MatchingRule) => void
  }
  readonly app: {
    readonly get: () => InvoiceApp | null
    /** Registers "Sandbox shop" when there is none. @throws HttpProblem 400 */
    readonly put: (change: {
      readonly recipient?: unknown
      readonly webhooks?: unknown
    }) => InvoiceApp
  }
  readonly find: (id: string) => Invoice | null
  readonly print: (invoice: Invoice) => InvoiceJson
  readonly reload: () => void
}

export function createInvoices(deps: InvoicesDeps): Invoices {
  const { database, chain, clock, queue, recipient, usdt } = deps
  const store = createInvoiceStore(database)
  const apps = createInvoiceAppStore(database)
  const isFirstRun = apps.access() === null
  const access = createAccess(apps, deps)
  const application = createApplication({ database, store: apps, clock, queue })
  // A removed application is not created again.
  if (isFirstRun) application.ensure(recipient)
  const tracking = createTracking({
    invoices: store,
    apps,
    queue,
    usdtMaster: usdt.master,
    usdtWalletOf: usdt.walletOf,
  })
  chain.observe({ storing: tracking.observe, stored: () => queue.wake() })

  const due: DueSource = {
    nextDue() {
      const dateExpire = store.earliestExpiry()
      return dateExpire === null ? null : expiresAt({ dateExpire }) * 1000
    },
    async runDue() {
      try {
        const at = toSeconds(clock.now())
        // A block under way may hold a payment that is in time.
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

  const routes = new Hono()
  routes.onError((error) => {
    if (error instanceof HttpProblem) {
      const { status, message } = error
      return refusal(status, message, status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {})
    }
    deps.onError?.(error)
    return refusal(500, 'the sandbox failed to answer; its log says why')
  })
  routes.use('*', async (context: Context, next) => {
    access.check(keyOf(context.req.raw, 'api_key'))
    const dueAt = due.nextDue()
    // Expires invoices now, because the timer may be late.
    if (dueAt !== null && dueAt <= clock.now()) await due.runDue()
    await next()
  })
  addAppRoutes(routes, { application, access })
  addInvoiceRoutes(routes, {
    database,
    store,
    application,
    access,
    tracking,
    clock,
    queue,
    seed: deps.seed,
    usdtMaster: usdt.master,
  })
  routes.all('*', () => refusal(404, 'there is nothing at this path'))

  return {
    routes,
    due,
    targets: createInvoiceTargets(apps),
    access: {
      state: () => access.state(),
      canCreate: () => access.state() === 'granted' && application.get() !== null,
      token: () => access.token(),
      change: (state) => access.change(state),
      grant: () => access.change('granted'),
      withdraw: () => access.change('withdrawn'),
    },
    matching: { get: () => access.rule(), set: (rule) => access.changeRule(rule) },
    app: { get: () => application.get(), put: (change) => putApp(application, change, recipient) },
    find: (id) => store.find(id),
    print: (invoice) => invoiceJson(invoice, usdt.master),
    reload() {
      const isEmpty = apps.access() === null
      access.reload()
      if (isEmpty) application.ensure(recipient)
    },
  }
}

function putApp(
  application: Application,
  change: { readonly recipient?: unknown; readonly webhooks?: unknown },
  defaultRecipient: string,
): InvoiceApp {
  const parsed = {
    ...(change.recipient === undefined
      ? {}
      : { recipient: readRecipient(change.recipient, 'recipient') }),
    ...(change.webhooks === undefined
      ? {}
      : { webhooks: readWebhooks(change.webhooks, 'webhooks') }),
  }
  const app = application.ensure(defaultRecipient)
  return application.change(app, parsed)
}
