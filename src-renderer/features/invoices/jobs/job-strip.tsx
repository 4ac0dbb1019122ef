import type { InvoiceJob, NetworkId } from '../../../../src-preload/contract/index.ts'
import { useResource, valueOf } from '../../../resource.ts'
import { printRoute, useRoute } from '../../../route.ts'
import { useIssuing } from '../create/issuing.ts'
import { MainAction } from './job-actions.tsx'
import { JobProgress } from './job-progress.tsx'
import { titleOf } from './job-words.ts'
import { invoiceJobsOf, jobRoute } from './jobs.ts'
import styles from '../../jobs/job-strip.module.css'

/** Above the page of invoices while something is issued or cancelled, whichever view one is on. */
export function JobStrip({ network }: { network: NetworkId }) {
  const jobs = valueOf(useResource(invoiceJobsOf(network))) ?? []
  const shown = useRoute(({ route }) =>
    route.page === 'invoices' && route.view === 'jobs' ? (route.job ?? 'all') : null,
  )
  const inDialog = useIssuing(({ isOpen, stage }) =>
    isOpen && stage.at === 'job' ? stage.job.id : null,
  )
  // What stands in the view or the dialog need not stand above it as well.
  const isElsewhere = ({ id }: InvoiceJob) => shown !== 'all' && shown !== id && inDialog !== id
  return (
    <div>
      {jobs
        .filter((job) => isUnderWay(job) && isElsewhere(job))
        .map((job) => (
          <div
            key={job.id}
            className={styles['strip']}
            role="group"
            aria-label={`Under way: ${titleOf(job)}`}
          >
            <a href={printRoute(jobRoute(job))} className={styles['stripName']}>
              {titleOf(job)}
            </a>
            <JobProgress job={job} />
            <MainAction job={job} />
            {job.problem !== null && (
              <p className={styles['problem']} role="status">
                {job.problem}
              </p>
            )}
          </div>
        ))}
    </div>
  )
}

function isUnderWay({ state }: InvoiceJob): boolean {
  return state === 'running' || state === 'paused'
}
