/** What each event of the main process makes of the answers that the window has. */
import type { EventName, Events } from '../../src-preload/contract/routes.ts'
import { mergeJobs } from '../components/jobs/job-state.ts'
import { reloadLabels } from './account-labels.ts'
import { on } from './bridge.ts'
import { patch, put, reload } from './queries.ts'

type Effects = { readonly [N in EventName]?: (payload: Events[N]) => void }

const effects: Effects = {
  'capture.added': ({ counts }) => put('capture.counts', undefined, counts),
  'capture.changed': ({ counts }) => put('capture.counts', undefined, counts),
  'label.changed': ({ network }) => {
    reloadLabels(network)
    reload('account.get', { network })
  },
  'exchange.exportChanged': ({ exports }) =>
    patch('exchange.exports', undefined, (known) => mergeJobs(known, exports)),
  'invoice.changed': ({ network }) => reload('invoiceExport.preview', { network }),
  'invoiceExport.changed': ({ exports }) => {
    for (const each of exports) {
      const { network } = each
      patch('invoiceExport.list', { network }, (known) => mergeJobs(known, [each]))
    }
  },
  'lookup.changed': ({ jobs }) =>
    patch('lookup.list', undefined, (known) => mergeJobs(known, jobs)),
  'lookup.removed': ({ id }) =>
    patch('lookup.list', undefined, (known) => known.filter((job) => job.id !== id)),
  'network.changed': (state) => put('network.list', undefined, state),
  'notice.changed': ({ notices }) => put('notice.list', undefined, notices),
  'receiver.changed': (state) => put('receiver.state', undefined, state),
  'sandbox.changed': (state) => put('sandbox.state', undefined, state),
  'secrets.changed': (state) => {
    put('secrets.state', undefined, state)
    reload('webhookToken.list')
  },
  'settings.changed': (settings) => put('settings.get', undefined, settings),
  'webhookToken.changed': () => reload('webhookToken.list'),
}

/** Called once, before the first component. */
export function startEventTable(): void {
  for (const [name, effect] of Object.entries(effects)) on(name as EventName, effect as never)
}
