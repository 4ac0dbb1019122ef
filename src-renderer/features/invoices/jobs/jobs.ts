import type { InvoiceJob } from '../../../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { on, request } from '../../../app/bridge.ts'
import { type InvoicesRoute, invoicesHome } from '../../../app/invoices-route.ts'
import { type Resource, createResource, useResource, valueOf } from '../../../app/resource.ts'
import { followJobs } from '../../../components/jobs/follow-jobs.ts'
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

const followed = followJobs(({ network }: InvoiceJob) => invoiceJobsOf(network), outcomeOf)

/** Begun just now: its end is told. */
export const followJob = followed.begun

/** Follows all jobs; `onOutcome` is called once for each that ends or has to wait. */
export function startInvoiceJobs(onOutcome: (job: InvoiceJob) => void): () => void {
  followed.onOutcome(onOutcome)
  const stops = [
    on('invoiceJob.changed', ({ jobs }) => jobs.forEach(followed.take)),
    on('invoiceJob.removed', ({ id }) => {
      for (const list of lists.values()) followed.removed(list, id)
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
