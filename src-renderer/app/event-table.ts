/** Defines how each event of the main process changes the responses that the window has loaded. */
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { EventName, Events } from '../../src-preload/contract/routes.ts'
import { storeJobs } from '../components/jobs/job-kind.tsx'
import { reloadLabels } from './account-labels.ts'
import { on, createReloader, put, reload, reloadWhere } from './bridge.ts'
import { noteChains } from './sandbox-state.ts'

const ofNetwork = ({ network }: { readonly network: NetworkId }) => ({ network })

/** Endpoints depend on the addresses of the receiver, and on the hosts that the sandbox may deliver to. */
function reloadEndpoints(): void {
  reload('webhook.list')
  reload('webhook.suggestEndpoints')
  reload('webhook.checkEndpoint')
}

/** A replay may send a capture thousands of times. */
const noteReplayed = createReloader(
  ['replay.ofCapture', 'replay.sendings', 'explanation.timeline'],
  { minMs: 700 },
).call

/** Counting invoices takes long. */
const noteInvoiceStats = createReloader(
  [
    'invoiceStats.totals',
    'invoiceStats.series',
    'invoiceStats.timeToPayment',
    'invoiceStats.openByExpiry',
  ],
  { minMs: 400, maxMs: 10_000 },
).call

/** Each response counts the subscriptions of every webhook. */
const noteSubscriptions = createReloader(['subscription.summary'], { minMs: 1000 }).call

function reloadTimelines(captures: readonly number[] | null): void {
  reloadWhere('explanation.timeline', ({ id }) => captures === null || captures.includes(id))
}

type Effects = { readonly [N in EventName]?: (payload: Events[N]) => void }

const effects: Effects = {
  'alert.changed': () => reload('alert.list'),
  'responseRule.changed': ({ rules }) => put('responseRule.list', undefined, [...rules]),
  'capture.added': ({ counts }) => {
    put('capture.counts', undefined, counts)
    noteChains()
  },
  'capture.changed': ({ ids, counts }) => {
    put('capture.counts', undefined, counts)
    const isChanged = ({ id }: { readonly id: number }) => ids === null || ids.includes(id)
    reloadWhere('capture.get', isChanged)
    reloadWhere('explanation.get', isChanged)
    reloadTimelines(ids)
  },
  'captureView.changed': () => reload('captureView.list'),
  'label.changed': ({ network }) => {
    reloadLabels(network)
    reload('explanation.get')
    reload('account.get', { network })
  },
  'dictionary.changed': () => {
    reload('dictionary.list')
    reload('transaction.get')
  },
  'incident.changed': () => reload('incident.list'),
  'invoice.changed': ({ network, ids }) => {
    reloadWhere('explanation.get', (_, known) => {
      const invoice = known?.invoice?.id
      return invoice !== undefined && (ids === null || ids.includes(invoice))
    })
    reload('reconciliation.read', { network })
    reload('invoice.counts', { network })
    noteInvoiceStats()
    reload('invoiceExport.preview', { network })
    reload('discrepancy.get', { network })
    if (ids === null) reload('invoice.get', { network })
    for (const id of ids ?? []) reload('invoice.get', { network, id })
  },
  'invoiceAccess.changed': ({ network }) => reload('invoiceAccess.read', { network }),
  'invoiceSync.changed': (state) => put('invoiceSync.state', ofNetwork(state), state),
  'exportView.changed': () => reload('exportView.list'),
  'invoiceView.changed': () => reload('invoiceView.list'),
  'failure.changed': ({ network, webhooks }) => {
    reload('webhook.health', { network })
    noteSubscriptions()
    for (const webhook of webhooks) {
      reload('failure.errors', { network, webhook })
      reload('failure.history', { network, webhook })
      reload('failure.summary', { network, webhook })
      reload('failure.streaks', { network, webhook })
      reload('failure.explain', { network, webhook })
      reload('webhook.logs', { network, id: webhook })
    }
  },
  'forward.changed': ({ captures }) => {
    reload('forward.list')
    reloadTimelines(captures)
    if (captures === null) reload('forward.ofCapture')
    else for (const id of captures) reload('forward.ofCapture', { id })
  },
  'forwardRule.changed': ({ rules }) => put('forwardRule.list', undefined, [...rules]),
  'job.changed'({ kind, jobs }) {
    storeJobs(kind, jobs)
    if (kind === 'replay') noteReplayed()
    if (kind !== 'missedEvents') return
    for (const { id } of jobs) {
      reload('missedEvents.histogram', { id })
      reload('missedEvents.events', { id })
    }
    reload('missedEvents.schedules')
  },
  'job.removed': ({ kind }) => reload('job.list', { kind }),
  'discrepancy.changed': ({ network }) => {
    reload('reconciliation.read', { network })
    reload('invoice.counts', { network })
    reload('invoice.get', { network })
    reload('discrepancy.get', { network })
    reload('discrepancy.page', { network })
    reload('refund.prepare', { network })
  },
  'network.changed': (state) => put('network.list', undefined, state),
  'notice.changed': ({ notices }) => put('notice.list', undefined, notices),
  'payment.changed': ({ network }) => {
    reload('reconciliation.read', { network })
    reload('invoice.get', { network })
    reload('discrepancy.get', { network })
    reload('payment.candidates', { network })
    reload('payment.page', { network })
    reload('refund.prepare', { network })
  },
  'receiver.changed': (state) => {
    put('receiver.state', undefined, state)
    reloadEndpoints()
    noteChains()
    // The instructions contain the receiver's port.
    reload('tunnel.instructions')
    // The receiver's own addresses cannot be targets.
    reload('target.check')
  },
  'receiver.refused': () => reload('receiver.refusals'),
  'sampler.changed': (state) => put('sampler.state', ofNetwork(state), state),
  'sandbox.changed': (state) => {
    put('sandbox.state', undefined, state)
    noteChains()
  },
  'secrets.changed': (state) => {
    put('secrets.state', undefined, state)
    reload('alert.list')
    reload('webhookToken.list')
  },
  'subscription.changed': ({ network, webhooks }) => {
    for (const webhook of webhooks) reload('subscription.list', { network, webhook })
    noteSubscriptions()
  },
  'settings.changed': (settings) => {
    put('settings.get', undefined, settings)
    reloadEndpoints()
  },
  'traffic.changed': () => reload('traffic.read'),
  'tunnel.changed': (state) => {
    put('tunnel.state', undefined, state)
    reload('target.check')
  },
  'update.changed': (state) => put('update.state', undefined, state),
  'watch.changed': () => reload('watch.list'),
  'webhook.changed': ({ network }) => {
    reload('webhook.list', { network })
    reload('webhook.opcodes', { network })
    reload('webhook.checkEndpoint', { network })
    reload('failure.explain', { network })
    // Webhooks that were moved no longer use the previous public URL.
    reload('tunnel.state')
  },
  'webhookToken.changed': () => reload('webhookToken.list'),
}

/** Called once, before the first component. */
export function startEventTable(): void {
  for (const [name, effect] of Object.entries(effects)) on(name as EventName, effect as never)
}
