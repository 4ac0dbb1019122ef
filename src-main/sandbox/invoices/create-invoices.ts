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
  /** Of the main network, where invoices are. */
  readonly database: Database
  readonly chain: Pick<Chain, 'observe' | 'caughtUp'>
  readonly clock: Pick<Clock, 'now'>
  readonly queue: Pick<DeliveryQueue, 'add' | 'wake' | 'drop'>
  /** Of the chain; decides the ids of invoices. */
  readonly seed: string
  /** Raw; of the application of the first run. */
  readonly recipient: string
  /** The token of a database that has none yet. */
  readonly initialToken?: string | undefined
  /** Stands in for the one that is kept, until another is made; it is not written down. */
  readonly givenToken?: string | undefined
  readonly usdt: {
    /** Raw. */
    readonly master: string
    /** Raw owner to the raw address of its wallet. */
    readonly walletOf: (owner: string) => string
  }
  /** A bug, or a database that cannot be written. */
  readonly onError?: (error: unknown) => void
}

/** The invoices root, and what the control API turns of it. */
export type Invoices = {
  /** Paths below `/api/v1/services/invoices`. It checks its key by itself. */
  readonly routes: Hono
  /** Ends invoices' time. */
  readonly due: DueSource
  /** Of `invoices:<webhook id>`. */
  readonly targets: DeliveryTargets
  readonly access: {
    readonly state: () => AccessState
    /** Granted, and an application has said where payments go. */
    readonly canCreate: () => boolean
    /** Null while access was not granted yet. */
    readonly token: () => string | null
    readonly change: (state: AccessState) => void
    readonly grant: () => void
    readonly withdraw: () => void
  }
  /** In force for invoices that are made from now on. */
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
  /** As the API tells it. */
  readonly print: (invoice: Invoice) => InvoiceJson
  /** The tables were replaced. */
  readonly reload: () => void
}

export function createInvoices(deps: InvoicesDeps): Invoices {
  const { database, chain, clock, queue, recipient, usdt } = deps
  const store = createInvoiceStore(database)
  const apps = createInvoiceAppStore(database)
  const isFirstRun = apps.access() === null
  const access = createAccess(apps, deps)
  const application = createApplication({ database, store: apps, clock, queue })
  // Only then: an application that was removed stays so.
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
        // A block that was begun in time may still be on its way to the database.
        await chain.caughtUp()
        // The clock may have been taken back by a revert meanwhile.
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
    // A timer comes late by a little; what is answered is not.
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
