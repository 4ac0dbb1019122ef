import type { Chain } from '../chain/create-chain.ts'
import { type Clock, type DueSource, toSeconds } from '../clock.ts'
import type { DeliveryQueue } from '../deliver/delivery-queue.ts'
import { type Database, transaction } from '../store/database.ts'
import { createInvoiceAppStore, createInvoiceStore } from '../store/invoices.ts'
import { createAccess, createApplication, createInvoiceTargets } from './application.ts'
import { readRecipient, readWebhooks } from './input.ts'
import { type Invoice, type InvoiceApp, expiresAt, invoiceJson } from './invoice.ts'
import { createInvoiceRoutes } from './routes.ts'
import { createTracking } from './tracking.ts'

type InvoicesDeps = {
  readonly database: Database
  readonly chain: Pick<Chain, 'observe' | 'caughtUp'>
  readonly clock: Pick<Clock, 'now'>
  readonly queue: Pick<DeliveryQueue, 'add' | 'wake' | 'drop'>
  /** Decides the ids of invoices. */
  readonly seed: string
  readonly recipient: string
  readonly initialToken?: string | undefined
  readonly givenToken?: string | undefined
  readonly usdt: {
    readonly master: string
    readonly walletOf: (owner: string) => string
  }
  readonly onError?: (error: unknown) => void
}

export type Invoices = ReturnType<typeof createInvoices>

export function createInvoices(deps: InvoicesDeps) {
  const { database, chain, clock, queue, recipient, usdt } = deps
  const store = createInvoiceStore(database)
  const apps = createInvoiceAppStore(database)
  const isFirstRun = apps.access() === null
  const access = createAccess(apps, deps)
  const application = createApplication(database, apps, clock, queue)
  if (isFirstRun) application.ensure(recipient)
  const tracking = createTracking(store, apps, queue, usdt)
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

  return {
    /** Paths below `/api/v1/services/invoices`; they check their key themselves. */
    routes: createInvoiceRoutes({
      ...{ database, store, application, access, tracking, clock, queue, due },
      seed: deps.seed,
      usdtMaster: usdt.master,
    }),
    due,
    targets: createInvoiceTargets(apps),
    access,
    canCreate: () => access.state() === 'granted' && application.get() !== null,
    app: () => application.get(),
    /** Registers "Sandbox shop" when there is none. @throws HttpProblem 400 */
    putApp(change: { readonly recipient?: unknown; readonly webhooks?: unknown }): InvoiceApp {
      const parsed = {
        ...(change.recipient === undefined
          ? {}
          : { recipient: readRecipient(change.recipient, 'recipient') }),
        ...(change.webhooks === undefined
          ? {}
          : { webhooks: readWebhooks(change.webhooks, 'webhooks') }),
      }
      return application.change(application.ensure(recipient), parsed)
    },
    find: (id: string) => store.find(id),
    serialize: (invoice: Invoice) => invoiceJson(invoice, usdt.master),
    reload(): void {
      const isEmpty = apps.access() === null
      access.reload()
      if (isEmpty) application.ensure(recipient)
    },
  }
}
