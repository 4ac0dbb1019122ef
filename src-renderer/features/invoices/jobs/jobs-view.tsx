import type { InvoiceJob } from '../../../../src-preload/contract/invoice-job.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { fromMs } from '../../../ui/format.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { useResource } from '../../../app/resource.ts'
import { navigate, useRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { isOver } from '../../../components/jobs/job-state.ts'
import { JobRow, JobsTable } from '../../../components/jobs/jobs-table.tsx'
import { JobMenu, MainAction } from './job-actions.tsx'
import { JobProgress } from './job-progress.tsx'
import { JobView } from './job-view.tsx'
import { sayCounts, titleOf } from './job-words.ts'
import { invoiceJobsOf, jobRoute } from './jobs.ts'
import styles from './jobs.module.css'

const home = { ...invoicesHome, view: 'jobs', job: null } as const

/** What was issued and cancelled in one go, each with what it did to every invoice. */
export function JobsView({ network }: { network: Network }) {
  const jobs = invoiceJobsOf(network.id)
  const state = useResource(jobs)
  const item = useRoute(({ route }) =>
    route.page === 'invoices' && route.view === 'jobs' ? route.job : null,
  )
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The jobs could not be listed"
        why={state.error.message}
        onRetry={() => void jobs.reload()}
      />
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={6} label="Loading the jobs" />
  if (item === null) return <Jobs jobs={state.value} />
  const open = state.value.find(({ id }) => id === item)
  if (open !== undefined) {
    return <JobView key={open.id} job={open} onLeave={() => navigate(home)} />
  }
  return (
    <EmptyState
      title={`There is no such job on ${network.name}`}
      detail="Its report was removed, or never was here."
    >
      <Button onClick={() => navigate(home)}>Show all jobs</Button>
    </EmptyState>
  )
}

const head = [
  { name: 'Job' },
  { name: 'State', className: styles['state'] },
  { name: 'Invoices', className: styles['progress'] },
  { name: 'Begun', className: styles['begun'] },
  { name: 'Actions', hideName: true, className: styles['buttons'] },
]

function Jobs({ jobs }: { jobs: readonly InvoiceJob[] }) {
  if (jobs.length === 0) {
    return (
      <EmptyState
        title="Nothing was issued or cancelled in one go yet"
        detail="Up to 1 000 invoices are issued from a CSV file at once; many are cancelled from the list. Each job is kept here with what became of every invoice, and goes on when Tondesk is started again."
      >
        <Button
          icon="plus"
          onClick={() => navigate({ ...invoicesHome, view: 'issue', draft: null })}
        >
          Issue many from a file
        </Button>
      </EmptyState>
    )
  }
  return (
    // Scrollable, so it must be reachable by keyboard.
    <div className={styles['scroll']} tabIndex={0} role="region" aria-label="Jobs">
      <JobsTable
        jobs={jobs}
        head={head}
        className={styles['table']}
        keys={{ group: 'Jobs', thing: 'job' }}
      >
        {(job) => (
          <JobRow
            key={job.id}
            job={job}
            title={titleOf(job)}
            route={jobRoute(job)}
            createdAt={fromMs(job.createdAt)}
            actions={
              <>
                <MainAction job={job} />
                <JobMenu job={job} />
              </>
            }
          >
            <td>{isOver(job) ? sayCounts(job) : <JobProgress job={job} />}</td>
          </JobRow>
        )}
      </JobsTable>
    </div>
  )
}
