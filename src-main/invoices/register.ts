import { setImmediate } from 'node:timers/promises'
import type { AppContext } from '../app/context.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import { decodeBody } from '../captures/decode-body.ts'
import type { SandboxAsNetwork } from '../networks/sandbox.ts'
import type { NetworkSecrets } from '../secrets/network-secrets.ts'
import { invoiceReaderThread } from '../threads/threads.ts'
import { isHere, publicHook } from '../webhooks/endpoint.ts'
import { createInvoiceAccess } from './access/access.ts'
import { createAccountBook } from './chain/accounts.ts'
import { createWatcher } from './chain/watcher.ts'
import { createChanges } from './changes.ts'
import { invoiceExportOptions } from '../../src-preload/contract/invoice-export.ts'
import { createClosing } from './closing/closing.ts'
import { createScheduledReports } from './closing/scheduled.ts'
import { createInvoiceExports } from './export/exports.ts'
import { createFiat } from './fiat/fiat-rates.ts'
import { createBackgroundRequests } from '../jobs/background-requests.ts'
import { createInvoiceJobsPart } from './jobs/invoice-jobs.ts'
import { createInvoiceRoutes, createViewRoutes } from './ledger/invoice-routes.ts'
import { createLedger } from './ledger/ledger.ts'
import type { InvoicesContext } from './context.ts'
import { createCandidates } from './reconciliation/candidates.ts'
import { createDiscrepancyWriter } from './reconciliation/discrepancy-writer.ts'
import { createGatewayClock } from './reconciliation/gateway-clock.ts'
import { createLinker } from './reconciliation/linker.ts'
import { createPaymentRoutes } from './reconciliation/payment-routes.ts'
import {
  createDiscrepancyRoutes,
  createDiscrepancyView,
} from './reconciliation/discrepancy-routes.ts'
import { createReconciler } from './reconciliation/reconciler.ts'
import { createRefundRoute } from './reconciliation/refund-route.ts'
import { createPaymentView, createUncountedPayments } from './reconciliation/uncounted.ts'
import { createStatsRoutes } from './stats/stats-routes.ts'
import { createInvoiceArrivals, createTouchedAccounts } from './store/invoice-arrivals.ts'
import { createInvoiceReader } from './store/invoice-reader.ts'
import { createInvoiceStore } from './store/invoice-store.ts'
import { createDeliveries } from './sync/deliveries.ts'
import { createReportedInvoices } from './sync/reported-invoices.ts'
import { createSync } from './sync/sync.ts'

export function registerInvoices(
  appContext: AppContext,
  { indexDatabase, pipeline }: CaptureLog,
  secrets: NetworkSecrets,
  sandbox: SandboxAsNetwork['invoices'],
) {
  const { database, events, log, paths } = appContext
  const store = createInvoiceStore(database)
  const context: InvoicesContext = {
    ...appContext,
    store,
    onBug: (error) => log.failure('invoices', error),
  }
  const reader = createInvoiceReader(paths.database, invoiceReaderThread, (message, damage) => {
    log.write('error', 'invoices cannot be read', { message })
    if (damage) events.emit('database.damageSuspected', { message })
  })
  context.resources.defer(() => reader.close())

  const clock = createGatewayClock(context)
  const changes = createChanges(context)
  const requests = createBackgroundRequests({
    ...context,
    next: (network, running) => reported.next(network, running),
    whyNot: (network) => sync.whyNotAsked(network),
    onTick() {
      sync.tick()
      fiat.tick()
    },
    onSettled: (network) => sync.notify(network),
  })
  const fiat = createFiat(context, { changes, clock, requests })
  const book = createAccountBook(store.accounts)
  const uncounted = createUncountedPayments(store, book.of)
  const view = createPaymentView(store, context.labelsOf, uncounted, (network) =>
    fiat.chosen(network),
  )
  const candidates = createCandidates(store, book)
  const linker = createLinker(store, book, candidates, (key, event) => ledger.addEvent(key, event))
  const writer = createDiscrepancyWriter(store, { book, changes, clock, uncounted })
  const reconciler = createReconciler(store, {
    ...{ book, changes, clock, linker, writer },
    nudge: (network, accounts) => chain.nudge(network, accounts),
  })
  const chain = createWatcher(
    context,
    { book, clock, reconciler, requests },
    createTouchedAccounts(indexDatabase),
  )
  const ledger = createLedger(
    context,
    reconciler,
    { isRead: book.isRead, uncounted: uncounted.of, linked: store.payments.ofInvoices },
    changes,
  )
  const parts = {
    ...{ book, candidates, chain, changes, clock, ledger, reconciler, requests, uncounted, view },
    writer,
  }

  const receiverUrls = () => ({
    url: context.receiver.url(),
    publicUrl: context.settings.get().receiver.publicUrl,
  })
  const sources = {
    ...{ secrets, sandbox },
    publicHook: () => publicHook(receiverUrls()),
    isHere: (url: string) => isHere(url, receiverUrls()),
  }
  const access = createInvoiceAccess(context, sources, (network) => {
    sync.accessChanged(network)
    events.emit('invoiceAccess.changed', { network })
  })
  let isStarted = false
  const reported = createReportedInvoices(context, ledger)
  const deliveries = createDeliveries(
    context,
    createInvoiceArrivals(database, indexDatabase),
    decodeBody,
    ledger,
    (network, id) => {
      reported.add(network, id)
      sync.notify(network)
      requests.run(network)
    },
  )
  const sync = createSync(context, parts, reported, access.ids)
  const invoiceRoutes = createInvoiceRoutes(context, parts, reader)
  const jobs = createInvoiceJobsPart({
    ...context,
    ledger,
    ids: access.ids,
    readPage: invoiceRoutes['invoice.page'],
  })
  const exports = createInvoiceExports(context, {
    chain: (network) => ({ ...chain.state(network), now: clock.now(network) }),
    fiat: (network) => fiat.chosen(network),
  })
  const closing = createClosing(store, {
    ...{ ledger, view },
    chain: (network) => chain.state(network),
    version: (network) => changes.version(network),
    now: (network) => clock.now(network),
  })
  const scheduled = createScheduledReports(context, {
    isKnown: (network) => context.networks.state().networks.some(({ id }) => id === network),
    chain: (network) => ({ readTo: chain.state(network).readTo, now: clock.now(network) }),
    save(network, span, folder) {
      const { reconcileFormat: format, reconcileZone: zone } = context.settings.get().reports
      const options = invoiceExportOptions.parse({ format, zone })
      return exports.save(
        { network, subject: { kind: 'closing', ...span }, options, name: null },
        folder,
      )
    },
  })
  const discrepancies = createDiscrepancyView(store, parts)

  context.resources.defer(async () => {
    await jobs.stop()
    // A report that is being written is given up, and written at the next start.
    await Promise.all([scheduled.stop(), exports.stop()])
    await deliveries.stop()
    sync.stop()
    await requests.stop()
    await chain.stop()
    changes.stop()
  })
  context.onForget('invoices', async (network) => {
    await jobs.forget(network)
    await exports.forget(network)
    access.forget(network)
    ledger.forget(network)
    await requests.forget(network, async () => {
      reported.forget(network)
      chain.forget(network)
      // Discrepancies and payments go before the invoices that they refer to.
      for (const { forgetSome } of [
        store.reports,
        store.outgoing,
        store.matters,
        store.payments,
        store.fiatRates,
        store.rows,
      ]) {
        while (forgetSome(network)) await setImmediate()
      }
      fiat.forget()
      changes.payments(network)
      changes.matters(network)
      changes.invoices(network, null)
      sync.forget(network)
    })
  })
  pipeline.on('matchInvoices', ({ upTo }) => {
    if (isStarted) deliveries.run()
    chain.classified(upTo)
  })
  return {
    handlers: {
      ...invoiceRoutes,
      ...createViewRoutes(store.views, events),
      ...createStatsRoutes(context, reader, access.ids),
      ...sync.handlers,
      ...exports.handlers,
      ...access.handlers,
      ...jobs.handlers,
      ...createPaymentRoutes(store, parts),
      ...createDiscrepancyRoutes(store, parts, discrepancies),
      ...createRefundRoute(context, discrepancies, clock),
      ...closing.handlers,
      ...scheduled.handlers,
    },
    /** Starts the sync. The command line does not call this. */
    start(): void {
      reader.open()
      isStarted = true
      deliveries.run()
      requests.startTicking()
      scheduled.start()
    },
  }
}
