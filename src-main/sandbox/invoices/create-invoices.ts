import type { Chain } from '../chain/create-chain.ts'
import { type Clock, type DueSource, toSeconds } from '../clock.ts'
import type { DeliveryQueue } from '../deliver/create-delivery-queue.ts'
import { type Database, transaction } from '../store/database.ts'
import { createInvoiceAppStore, createInvoiceStore } from '../store/invoices.ts'
import { createAccess, createApplication, createInvoiceTargets } from './application.ts'
import { appParts, parseFields } from './input.ts'
import { type InvoiceApp, expiresAt, invoiceJson } from './invoice.ts'
import { createInvoiceRoutes } from './routes.ts'
import { createTracking } from './tracking.ts'

export type Invoices = ReturnType<typeof createInvoices>

export function createInvoices(deps: {
  readonly database: Database
  readonly chain: Pick<Chain, 'observe' | 'caughtUp'>
  readonly clock: Pick<Clock, 'now'>
  readonly queue: Pick<DeliveryQueue, 'add' | 'wake' | 'drop'>
  /** Decides the ids of invoices. */
  readonly seed: string
  readonly recipient: string
  readonly initialToken?: string | undefined
  readonly givenToken?: string | undefined
  readonly onError?: (error: unknown) => void
}) {
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
    routes: createInvoiceRoutes({ ...deps, store, application, access, tracking, due }),
    due,
    targets: createInvoiceTargets(apps),
    access,
    canCreate: () => access.state() === 'granted' && application.get() !== null,
    app: () => application.get(),
    /** Registers "Sandbox shop" when there is none. @throws HttpProblem 400 */
    putApp(change: { readonly recipient?: unknown; readonly webhooks?: unknown }): InvoiceApp {
      return application.change(application.ensure(recipient), parseFields(appParts, change))
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
