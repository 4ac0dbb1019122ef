import type { InvoiceJob, NetworkId } from '../../../../src-preload/contract/index.ts'
import { on, request } from '../../../bridge.ts'
import type { InvoicesRoute } from '../../../invoices-route.ts'
import { invoicesHome } from '../../../invoices-route.ts'
import type { Resource } from '../../../resource.ts'
import { createResource, useResource, valueOf } from '../../../resource.ts'
import { mergeJobs } from '../../jobs/job-state.ts'
import { outcomeOf } from './job-words.ts'

const lists = new Map<NetworkId, Resource<InvoiceJob[]>>()

/** What was issued and cancelled in one go on a network, newest first; kept current by events. */
export function invoiceJobsOf(network: NetworkId): Resource<InvoiceJob[]> {
  const list = lists.get(network) ?? createResource(() => request('invoiceJob.list', { network }))
  lists.set(network, list)
  return list
}

/** One of them as it stands now; `known` until the list has it. */
export function useInvoiceJob(known: InvoiceJob): InvoiceJob {
  const list = valueOf(useResource(invoiceJobsOf(known.network)))
  return list?.find(({ id }) => id === known.id) ?? known
}

export function jobRoute({ id, network }: Pick<InvoiceJob, 'id' | 'network'>): InvoicesRoute {
  return { ...invoicesHome, network, view: 'jobs', job: id }
}

/** Those whose end somebody waits for, on whichever page. */
const awaited = new Set<number>()
let tell: (job: InvoiceJob) => void = () => undefined

function tellOnce(job: InvoiceJob): void {
  if (outcomeOf(job) !== null && awaited.delete(job.id)) tell(job)
}

/** Begun just now: its end is told, though it may have come before the answer did. */
export async function followJob({ id, network }: InvoiceJob): Promise<void> {
  awaited.add(id)
  const list = invoiceJobsOf(network)
  await list.reload()
  const now = valueOf(list.store.getState())?.find((each) => each.id === id)
  if (now !== undefined) tellOnce(now)
}

function take(job: InvoiceJob): void {
  const list = invoiceJobsOf(job.network)
  const state = list.store.getState()
  if (state.status !== 'ready') {
    // From now on it is known how each stood before.
    void list.reload()
    return
  }
  const before = state.value.find(({ id }) => id === job.id)
  if (before !== undefined && before.state !== job.state) awaited.add(job.id)
  list.set(mergeJobs(state.value, [job]))
  tellOnce(job)
}

/** Follows all jobs; `onOutcome` is called once for each that ends or has to wait. */
export function startInvoiceJobs(onOutcome: (job: InvoiceJob) => void): () => void {
  tell = onOutcome
  const stops = [
    on('invoiceJob.changed', ({ jobs }) => {
      for (const job of jobs) take(job)
    }),
    on('invoiceJob.removed', ({ id }) => {
      for (const list of lists.values()) {
        const state = list.store.getState()
        if (state.status === 'ready') list.set(state.value.filter((each) => each.id !== id))
      }
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
