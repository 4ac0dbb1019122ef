import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { AppContext } from '../app/context.ts'
import { isHere, publicHook, receiverAddress } from '../app/self-addresses.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import { decodeBody } from '../captures/decode-body.ts'
import { invoiceReaderThread } from '../threads/threads.ts'
import { type AccessSources, createInvoiceAccess } from './access/access.ts'
import { createAccountBook } from './chain/accounts.ts'
import { ChainWatcher } from './chain/watcher.ts'
import { createChanges } from './changes.ts'
import { invoiceExportOptions } from '../../src-preload/contract/invoice-export.ts'
import { createReconciliation } from './reconciliation/reconciliation.ts'
import { createScheduledReports } from './reconciliation/scheduled.ts'
import { createInvoiceExports } from './export/exports.ts'
import { createFiat } from './fiat/fiat-rates.ts'
import { createBackgroundRequests } from '../jobs/background-requests.ts'
import { createInvoiceJobsPart } from './jobs/invoice-jobs.ts'
import { createInvoiceRoutes, createViewRoutes } from './ledger/invoice-routes.ts'
import { createLedger } from './ledger/ledger.ts'
import type { InvoicesContext } from './context.ts'
import type { InvoicesRoom } from './invoices-room.ts'
import { createCandidates } from './matching/candidates.ts'
import { createDiscrepancyWriter } from './matching/discrepancy-writer.ts'
import { createGatewayClock } from './matching/gateway-clock.ts'
import { createLinker } from './matching/linker.ts'
import { createPaymentRoutes } from './matching/payment-routes.ts'
import { createDiscrepancyRoutes, createDiscrepancyView } from './matching/discrepancy-routes.ts'
import { createReconciler } from './matching/reconciler.ts'
import { createRefundRoute } from './matching/refund-route.ts'
import { createPaymentView, createUncountedPayments } from './matching/uncounted.ts'
import { createStatsRoutes } from './stats/stats-routes.ts'
import { createInvoiceArrivals, createTouchedAccounts } from './store/invoice-arrivals.ts'
import { createInvoiceReader } from './store/invoice-reader.ts'
import { type InvoiceStore, createInvoiceStore } from './store/invoice-store.ts'
import { createInvoiceTraces } from './store/invoice-traces.ts'
import { createDeliveries } from './sync/deliveries.ts'
import { createReportedInvoices } from './sync/reported-invoices.ts'
import { refuseTolerances, toleranceIn } from './tolerance.ts'
import { syncProblem } from './sync/schedule.ts'
import { LedgerSync } from './sync/sync.ts'

export function registerInvoices(
  appContext: AppContext,
  { indexDatabase, pipeline }: CaptureLog,
  own: Pick<AccessSources, 'secrets' | 'sandbox'>,
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
  const book = createAccountBook(store.accounts)
  const uncounted = createUncountedPayments(store, book.of)
  const ledger = createLedger(
    context,
    { isRead: book.isRead, uncounted: uncounted.of },
    {
      reconcile: (network, keys) => reconciler.reconcile(network, keys),
      notify: (network, ids) => changes.invoices(network, ids),
    },
  )
  const reported = createReportedInvoices(context, ledger)
  const requests = createBackgroundRequests({
    ...context,
    next: (network, running) => reported.next(network, running),
    whyNot: (network) =>
      syncProblem(context.networks.state().networks.find(({ id }) => id === network)),
    onTick() {
      sync.tick()
      fiat.tick()
    },
    onSettled: (network) => sync.notify(network),
  })
  const fiat = createFiat(context, { changes, clock, requests })
  const view = createPaymentView(store, context.labelsOf, uncounted, fiat.chosen)
  const candidates = createCandidates(store, book)
  const linker = createLinker(store, book, candidates, ledger.addEvent)
  const shared = { book, changes, clock, uncounted }
  const writer = createDiscrepancyWriter(store, {
    ...shared,
    addEvent: ledger.addEvent,
    tolerance: (network, currency) =>
      toleranceIn(context.settings.get().invoices.tolerances, network, currency),
  })
  context.settings.refuse(({ invoices }) => refuseTolerances(store.rows, invoices?.tolerances))
  const reconciler = createReconciler(store, {
    ...shared,
    linker,
    writer,
    readChain: (network, accounts) => chain.nudge(network, accounts),
  })
  const chain = new ChainWatcher(
    context,
    { book, clock, reconciler, requests },
    createTouchedAccounts(indexDatabase),
  )
  const found = { candidates, reconciler, view, writer }
  const parts: InvoicesRoom = { ...shared, ...found, chain, ledger, requests }

  const sources = {
    ...own,
    publicHook: () => publicHook(receiverAddress(context)),
    isHere: (url: string) => isHere(url, receiverAddress(context)),
  }
  const access = createInvoiceAccess(context, sources, (network) => {
    sync.accessChanged(network)
    events.emit('invoiceAccess.changed', { network })
  })
  const arrivals = createInvoiceArrivals(database, indexDatabase)
  const deliveries = createDeliveries(context, arrivals, decodeBody, ledger, (network, id) => {
    reported.add(network, id)
    sync.notify(network)
    requests.run(network)
  })
  const sync = new LedgerSync(context, parts, reported, access.ids)
  const invoiceRoutes = createInvoiceRoutes(context, parts, reader)
  const jobs = createInvoiceJobsPart({
    ...context,
    ledger,
    ids: access.ids,
    readPage: invoiceRoutes['invoice.page'],
  })
  const reports = createReports(context, parts, fiat)
  const discrepancies = createDiscrepancyView(store, parts)
  let isStarted = false

  pipeline.on('matchInvoices', ({ upTo }) => {
    if (isStarted) deliveries.run()
    chain.classified(upTo)
  })
  context.resources.defer(async () => {
    await jobs.stop()
    await reports.stop()
    await deliveries.stop()
    sync.stop()
    await requests.stop()
    await chain.stop()
    changes.stop()
  })
  context.onForget('invoices', async (network) => {
    await jobs.forget(network)
    await reports.forget(network)
    access.forget(network)
    ledger.forget(network)
    await requests.forget(network, async () => {
      reported.forget(network)
      chain.forget(network)
      await forgetRows(store, network)
      fiat.forget()
      changes.payments(network)
      changes.matters(network)
      changes.invoices(network, null)
      sync.forget(network)
    })
  })
  return {
    traces: createInvoiceTraces(database, indexDatabase),
    classifiedTo: () => arrivals.classifiedTo(),
    handlers: {
      ...invoiceRoutes,
      ...createViewRoutes(context),
      ...createStatsRoutes(context, reader, access.ids),
      ...sync.handlers,
      ...reports.handlers,
      ...access.handlers,
      ...jobs.handlers,
      ...createPaymentRoutes(store, parts),
      ...createDiscrepancyRoutes(store, parts, discrepancies),
      ...createRefundRoute(context, discrepancies, clock),
    },
    /** Starts the sync. The command line does not call this. */
    start(): void {
      reader.open()
      isStarted = true
      deliveries.run()
      requests.startTicking()
      reports.start()
    },
  }
}

async function forgetRows(store: InvoiceStore, network: NetworkId): Promise<void> {
  const { reports, outgoing, matters, payments, fiatRates, rows } = store
  // Discrepancies and payments are deleted before the invoices to which they refer.
  for (const { forgetSome } of [reports, outgoing, matters, payments, fiatRates, rows]) {
    while (forgetSome(network)) await yieldToEventLoop()
  }
}

/** Creates exports of invoices and reconciliation reports, on request and on schedule. */
function createReports(
  context: InvoicesContext,
  { chain, changes, clock, ledger, view }: InvoicesRoom,
  fiat: Pick<ReturnType<typeof createFiat>, 'chosen'>,
) {
  const exports = createInvoiceExports(context, {
    chain: (network) => ({ ...chain.state(network), now: clock.now(network) }),
    fiat: fiat.chosen,
  })
  const closing = createReconciliation(context.store, {
    ledger,
    view,
    chain: (network) => chain.state(network),
    version: changes.version,
    now: clock.now,
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
  return {
    handlers: { ...exports.handlers, ...closing.handlers, ...scheduled.handlers },
    start: () => scheduled.start(),
    forget: exports.forget,
    /** An unfinished report is discarded, and the next start writes it again. */
    stop: () => Promise.all([scheduled.stop(), exports.stop()]),
  }
}
