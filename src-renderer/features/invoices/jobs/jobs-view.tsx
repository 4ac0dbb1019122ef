import { useRef } from 'react'
import type { InvoiceJob, Network } from '../../../../src-preload/contract/index.ts'
import { fromMs } from '../../../format.ts'
import { invoicesHome } from '../../../invoices-route.ts'
import { Moment } from '../../../moment.tsx'
import { useResource } from '../../../resource.ts'
import { navigate, printRoute, useRoute } from '../../../route.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TableHead } from '../../../ui/table-head.tsx'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { stateTones, stateWords } from '../../jobs/job-state.ts'
import list from '../../jobs/jobs-table.module.css'
import { useLinkKeys } from '../../list/use-link-keys.ts'
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
  const body = useRef<HTMLTableSectionElement>(null)
  useLinkKeys(body, { group: 'Jobs', thing: 'job' })
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
      <table className={classes(table['table'], table['sticky'], list['table'], styles['table'])}>
        <TableHead cells={head} />
        <tbody ref={body}>
          {jobs.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function JobRow({ job }: { job: InvoiceJob }) {
  const { state, problem, createdAt } = job
  const isOver = state === 'done' || state === 'cancelled'
  return (
    <tr className={list['row']}>
      <td className={list['name']}>
        <a data-walk className={list['link']} href={printRoute(jobRoute(job))}>
          {titleOf(job)}
        </a>
        {problem !== null && (
          <p className={classes(list['problem'], state === 'failed' && list['bad'])}>{problem}</p>
        )}
      </td>
      <td>
        <Tag tone={stateTones[state]}>{stateWords[state]}</Tag>
      </td>
      <td>{isOver ? sayCounts(job) : <JobProgress job={job} />}</td>
      <td className={text['dim']}>
        <Moment at={fromMs(createdAt)} />
      </td>
      <td className={list['actionsCell']}>
        <span className={list['actions']}>
          <MainAction job={job} />
          <JobMenu job={job} />
        </span>
      </td>
    </tr>
  )
}
