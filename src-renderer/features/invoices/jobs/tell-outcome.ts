import type { InvoiceJob } from '../../../../src-preload/contract/invoice-job.ts'
import { navigate } from '../../../app/route.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { isInSight } from '../create/issuing.ts'
import { outcomeOf, titleOf } from './job-words.ts'
import { jobRoute } from './jobs.ts'

/** Who waits for a job may be on any page: its end is told there too, with the way back. */
export function tellJobOutcome(job: InvoiceJob): void {
  const outcome = outcomeOf(job)
  if (outcome === null || isInSight(job)) return
  announce(`${titleOf(job)}: ${outcome}`)
  const isGood = job.state !== 'failed' && job.failed === 0 && job.unclear === 0
  showToast({
    id: `invoice-job-${job.id}`,
    title: titleOf(job),
    detail: outcome,
    tone: isGood ? 'plain' : 'bad',
    action: { label: 'Open', run: () => navigate(jobRoute(job)) },
  })
}
