/** The jobs that issue or cancel many invoices: their texts, the actions on a job, and its progress. */
import { create } from 'zustand'
import type { InvoiceJob, InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { request } from '../../../app/bridge.ts'
import { type InvoicesRoute, invoicesHome } from '../../../app/invoices-route.ts'
import { useRoute } from '../../../app/route.ts'
import { saveExport } from '../../../components/files/save-export.tsx'
import { createJobs, describeOutcome, useJobs } from '../../../components/jobs/job-kind.tsx'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { Text } from '../../../ui/layout.tsx'

type ItemState = InvoiceJobItem['state']

const doneLabels: Record<InvoiceJob['kind'], string> = { issue: 'issued', cancel: 'cancelled' }

export function describeItemState(kind: InvoiceJob['kind'], state: ItemState): string {
  switch (state) {
    case 'asked':
      return 'in progress'
    case 'done':
      return doneLabels[kind]
    case 'failed':
      return `not ${doneLabels[kind]}`
    case 'waiting':
    case 'unclear':
      return state
  }
}

/** Returns the title of a job, for example `Issue 498 invoices`. */
const titleOf = ({ kind, total }: Pick<InvoiceJob, 'kind' | 'total'>): string =>
  `${kind === 'issue' ? 'Issue' : 'Cancel'} ${formatCount(total, 'invoice')}`

export const jobRoute = ({ id, network }: Pick<InvoiceJob, 'id' | 'network'>): InvoicesRoute => ({
  ...invoicesHome,
  network,
  view: 'jobs',
  job: id,
})

/** Counts the invoices that have an outcome, including an unclear one. */
export const countSettled = ({ done, failed, unclear }: InvoiceJob): number =>
  done + failed + unclear

/** Describes the outcomes of a job: `480 issued, 5 not issued, 1 unclear`. */
function describeCounts(job: InvoiceJob): string {
  const { kind, done, failed, unclear, total } = job
  const left = total - countSettled(job)
  const parts = [
    `${formatNumber(done)} ${doneLabels[kind]}`,
    failed > 0 && `${formatNumber(failed)} ${describeItemState(kind, 'failed')}`,
    unclear > 0 && `${formatNumber(unclear)} unclear`,
    job.state === 'cancelled' && left > 0 && `${formatNumber(left)} skipped`,
  ]
  return parts.filter(Boolean).join(', ')
}

/** The job whose progress the dialog of a new invoice shows. */
export const useJobInDialog = create<{ id: number | null }>(() => ({ id: null }))

export const invoiceJobs = createJobs<InvoiceJob>({
  kind: 'invoiceJob',
  thing: 'job',
  titleOf,
  routeOf: jobRoute,
  homeOf: () => ({ page: 'jobs' }),
  startedAt: ({ createdAt }) => fromMs(createdAt),
  counts: 'Invoices',
  progressOf: (job) => ({
    done: countSettled(job),
    total: job.total,
    failed: job.failed,
    more: job.unclear > 0 && (
      <Text size="s" tone="warn" over="nowrap">
        {formatNumber(job.unclear)} unclear
      </Text>
    ),
  }),
  resultOf: describeCounts,
  cancelDetail: (job) =>
    `${describeCounts(job)}: these stay as they are. ${formatCount(job.total - countSettled(job), 'invoice')} will not be ${doneLabels[job.kind]}. To continue later, pause the job instead.`,
  removeDetail: () =>
    'The report of this job is deleted from this computer. Its invoices do not change.',
  outcomeOf: (job) => describeOutcome(job, describeCounts(job)),
  isBad: ({ failed, unclear }) => failed > 0 || unclear > 0,
  isInSight: ({ id }) => useJobInDialog.getState().id === id,
  more: (job) => [
    {
      label: 'Save payment links as CSV',
      icon: 'download',
      onSelect: () => saveLinks(job),
      disabled: job.kind !== 'issue' || job.done === 0,
    },
  ],
})

/** Saves the id, link, amount and description of each issued invoice as a file. */
export function saveLinks({ id }: InvoiceJob): void {
  void saveExport('CSV', 'invoices', () => request('invoiceIssue.export', { id }))
}

/** Shows running jobs above every view of the page except the view of a job. */
export function InvoiceJobStrip({ network }: { network: NetworkId }) {
  const { data: jobs = [] } = useJobs('invoiceJob', network)
  const inDialog = useJobInDialog((state) => state.id)
  const inView = useRoute(({ route }) =>
    route.page === 'invoices' && route.view === 'jobs' ? route.job : null,
  )
  const isElsewhere = ({ id }: InvoiceJob) => inView !== id && inDialog !== id
  return <invoiceJobs.Strip jobs={jobs.filter(isElsewhere)} />
}
