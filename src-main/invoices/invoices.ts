import { setImmediate } from 'node:timers/promises'
import type { AppContext } from '../app/context.ts'
import type { EventName, Events, Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import type { InvoiceReader } from './store/invoice-reader.ts'
import type { InvoiceStore, InvoiceViews, StoredView } from './store/invoice-store.ts'
import type { TouchedAccounts } from './store/invoice-arrivals.ts'
import { type InvoiceAccessDeps, createInvoiceAccess } from './access/access.ts'
import { type InvoiceExportsDeps, createInvoiceExports } from './export/exports.ts'
import { createChainDesk } from './chain-desk.ts'
import { createBackgroundRequests } from '../jobs/background-requests.ts'
import { type DeliveriesDeps, createDeliveries } from './sync/deliveries.ts'
import { createReportedInvoices } from './sync/reported-invoices.ts'
import { createInvoiceJobsPart } from './jobs/jobs.ts'
import { createInvoiceRoutes } from './ledger/invoice-routes.ts'
import { type LocalLedger, createLedger } from './ledger/ledger.ts'
import type { Networks, GatewayAccess, Ledger } from './parts.ts'
import { createStatsRoutes } from './stats/stats-routes.ts'
import { createSync } from './sync/sync.ts'
import { type InvoiceView, invoiceFilter, invoiceSort } from '../../src-preload/contract/invoice.ts'
import { invoiceCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'

type InvoicesDeps = Pick<
  AppContext,
  'access' | 'files' | 'jobs' | 'labelsOf' | 'now' | 'onBug' | 'wait'
> & {
  readonly networks: Networks
  readonly store: InvoiceStore
  readonly reader: InvoiceReader
  readonly settings: () => Settings
  readonly tokens: InvoiceAccessDeps['tokens']
  readonly sandbox: InvoiceAccessDeps['sandbox']
  readonly hook: InvoiceAccessDeps['hook']
  readonly exporting: InvoiceExportsDeps['exporting']
  readonly touched: TouchedAccounts
  readonly deliveries: Pick<DeliveriesDeps, 'arrivals' | 'decode'>
  readonly chainNow: (network: NetworkId) => Promise<number>
  readonly emit: <N extends EventName>(name: N, payload: Events[N]) => void
}

type Domain =
  | 'invoice'
  | 'invoiceView'
  | 'invoiceSync'
  | 'invoiceAccess'
  | 'invoiceIssue'
  | 'invoiceCancel'
  | 'invoiceJob'
  | 'invoiceStats'
  | 'invoiceExport'
  | 'payment'
  | 'matter'
  | 'refund'
  | 'closing'

type HandlersOf<D extends string> = Pick<Handlers, Extract<keyof Handlers, `${D}.${string}`>>

export type Invoices = {
  readonly handlers: HandlersOf<Domain>
  /** Starts the sync. The command line does not call this. */
  start(): void
  /** All deliveries up to this capture are classified; some may be about invoices. */
  classified(upTo: number): void
  forget(network: NetworkId): Promise<void>
  stop(): Promise<void>
}

export function createInvoices(deps: InvoicesDeps): Invoices {
  const { store } = deps
  const requests = createBackgroundRequests({
    ...deps,
    next: (network, running) => reported.next(network, running),
    whyNot: (network) => sync.whyNotAsked(network),
    onTick: () => sync.tick(),
    onSettled: (network) => sync.notify(network),
  })
  const desk = createChainDesk({ ...deps, requests, ledger: () => ledger })
  const { reconciler, chain } = desk
  const access = createInvoiceAccess({
    ...deps,
    notes: store.accessNotes,
    onChanged(network) {
      sync.accessChanged(network)
      deps.emit('invoiceAccess.changed', { network })
    },
  })

  const ledger: LocalLedger = createLedger({
    ...deps,
    reconciler,
    onChanged: (network, ids) => deps.emit('invoice.changed', { network, ids }),
  })
  const reported = createReportedInvoices({
    ...deps,
    ledger,
    otherNetworks(network) {
      const ids = deps.networks().map(({ id }) => id)
      return ids.filter((id) => id !== network && sync.whyNotAsked(id) === null)
    },
  })
  let isStarted = false
  const deliveries = createDeliveries({
    ...deps,
    ...deps.deliveries,
    ledger,
    onReported(network, id) {
      reported.add(network, id)
      sync.notify(network)
      requests.run(network)
    },
  })
  const sync = createSync({
    ...deps,
    ledger,
    requests,
    reported,
    chain,
    clock: desk.clock,
    applicationIds: access.ids,
    onChanged: (state) => deps.emit('invoiceSync.changed', state),
  })
  const jobs = createInvoiceJobsPart({
    ...deps,
    ledger,
    stored: store.jobs,
    items: store.jobItems,
    drafts: store.drafts,
    ids: access.ids,
    readPage: (input) => handlers['invoice.page'](input),
    onChanged: (changed) => deps.emit('invoiceJob.changed', { jobs: changed }),
    onRemoved: (id) => deps.emit('invoiceJob.removed', { id }),
  })
  const exports = createInvoiceExports({
    ...deps,
    chain: (network) => ({ ...chain.state(network), now: desk.clock.now(network) }),
    onChanged: (changed) => deps.emit('invoiceExport.changed', { exports: changed }),
  })
  const handlers: Invoices['handlers'] = {
    ...createInvoiceRoutes({
      ...deps,
      ledger,
      reconciler,
      whyNotAsked: (network) => sync.whyNotAsked(network),
    }),
    ...createListRoutes({ ...deps, ledger }),
    ...createViewRoutes({
      views: store.views,
      onChanged: () => deps.emit('invoiceView.changed', {}),
    }),
    ...createStatsRoutes({ ...deps, totals: store.totals, applicationIds: access.ids }),
    ...sync.handlers,
    ...exports.handlers,
    ...access.handlers,
    ...jobs.handlers,
    ...desk.handlers,
  }
  return {
    handlers,
    start() {
      deps.reader.open()
      isStarted = true
      deliveries.run()
      requests.startTicking()
    },
    classified(upTo) {
      if (isStarted) deliveries.run()
      desk.classified(upTo)
    },
    async forget(network) {
      await jobs.forget(network)
      await exports.forget(network)
      access.forget(network)
      ledger.forget(network)
      await requests.forget(network, async () => {
        reported.forget(network)
        while (store.reports.forgetSome(network)) await setImmediate()
        await desk.forget(network)
        while (store.rows.forgetSome(network)) await setImmediate()
        ledger.tell(network, null)
        sync.forget(network)
      })
    },
    async stop() {
      await jobs.stop()
      await exports.stop()
      await deliveries.stop()
      sync.stop()
      await requests.stop()
      desk.stop()
      ledger.stop()
    },
  }
}

type ListRouteDeps = {
  readonly access: Pick<GatewayAccess, 'info'>
  readonly reader: Pick<InvoiceReader, 'ask'>
  readonly ledger: Pick<Ledger, 'view'>
}

function createListRoutes(deps: ListRouteDeps): Pick<Handlers, 'invoice.page'> {
  return {
    async 'invoice.page'(input) {
      deps.access.info(input.network)
      const page = await deps.reader.ask('page', input)
      return { ...page, invoices: deps.ledger.view(input.network, page.invoices) }
    },
  }
}

type Routes = Pick<Handlers, 'invoiceView.list' | 'invoiceView.save' | 'invoiceView.remove'>

type ViewRouteDeps = {
  readonly views: InvoiceViews
  readonly onChanged: () => void
}

function createViewRoutes({ views, onChanged }: ViewRouteDeps): Routes {
  return {
    'invoiceView.list': () => views.all().map(toView),
    'invoiceView.save'({ id, name, filter, sort }) {
      const stored = { name, filter: JSON.stringify(filter), sort: JSON.stringify(sort) }
      if (id !== null && !views.replace({ id, ...stored })) throw unknownView()
      const view = { id: id ?? views.add(stored), name, filter, sort }
      onChanged()
      return view
    },
    'invoiceView.remove'({ id }) {
      if (!views.remove(id)) throw unknownView()
      onChanged()
      return {}
    },
  }
}

/** Leaves out parts of a filter that another version wrote and this one cannot parse. */
function toView({ id, name, filter, sort }: StoredView): InvoiceView {
  return {
    id,
    name,
    filter: invoiceFilter.catch(invoiceFilter.parse({})).parse(JSON.parse(filter)),
    sort: invoiceSort.catch(invoiceSort.parse({})).parse(JSON.parse(sort)),
  }
}

function unknownView(): AppError {
  return new AppError(invoiceCodes.viewUnknown, 'This view is not there any more.')
}
