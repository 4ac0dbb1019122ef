import type { InvoiceJob } from '../../../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { useRoute } from '../../../app/route.ts'
import { JobStrip } from '../../../components/jobs/job-strip.tsx'
import { useIssuing } from '../create/issuing.ts'
import { MainAction } from './job-actions.tsx'
import { JobProgress } from './job-progress.tsx'
import { titleOf } from './job-words.ts'
import { invoiceJobsOf, jobRoute } from './jobs.ts'

/** Above the page of invoices while something is issued or cancelled, whichever view one is on. */
export function InvoiceJobStrip({ network }: { network: NetworkId }) {
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
    <JobStrip jobs={jobs.filter(isElsewhere)} titleOf={titleOf} routeOf={jobRoute}>
      {(job) => (
        <>
          <JobProgress job={job} />
          <MainAction job={job} />
        </>
      )}
    </JobStrip>
  )
}
