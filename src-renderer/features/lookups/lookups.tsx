import type { LookupJob } from '../../../src-preload/contract/lookup.ts'
import { attempt, request } from '../../app/bridge.ts'
import { type LookupsRoute, lookupsHome } from '../../app/chain-route.ts'
import { navigate } from '../../app/route.ts'
import { createJobs, formatProgress } from '../../components/jobs/job-kind.tsx'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'

const titleOf = ({ name, id }: Pick<LookupJob, 'name' | 'id'>): string =>
  name === '' ? `Lookup ${id}` : name

export const lookupRoute = ({ id }: Pick<LookupJob, 'id'>): LookupsRoute => ({
  ...lookupsHome,
  view: 'job',
  id,
})

/** Counts the accounts that were read or failed. */
export const countDone = ({ answered, failed }: LookupJob) => answered + failed

export const formatLookupProgress = (job: LookupJob) =>
  formatProgress(countDone(job), job.counts.valid)

export function outcomeOf(job: LookupJob): string | null {
  const { state, problem, answered, failed } = job
  if (state === 'paused') return problem === null ? null : `Paused: ${problem}`
  if (state === 'failed') return `Failed: ${problem ?? 'the network does not respond.'}`
  if (state !== 'done') return null
  const failures = failed === 0 ? '' : `, ${formatNumber(failed)} failed`
  return `Done: ${formatCount(answered, 'account')} looked up${failures}`
}

export const lookupJobs = createJobs<LookupJob>({
  kind: 'lookup',
  thing: 'lookup',
  titleOf,
  noteOf: ({ comparedTo }) => (comparedTo === null ? null : 'compared with an earlier lookup'),
  routeOf: lookupRoute,
  homeOf: () => lookupsHome,
  startedAt: ({ createdAt }) => fromMs(createdAt),
  counts: 'Accounts',
  progressOf: (job) => ({ done: countDone(job), total: job.counts.valid, failed: job.failed }),
  resultOf: (job) =>
    formatLookupProgress(job) + (job.failed === 0 ? '' : `, ${formatNumber(job.failed)} failed`),
  cancelDetail: (job) =>
    `${formatCount(countDone(job), 'account')} of ${formatNumber(job.counts.valid)} were looked up, and their results stay. To continue later, pause the lookup instead.`,
  removeDetail: ({ answered }) =>
    `The list and its ${formatCount(answered, 'result')} are deleted from this computer. Export them first if you need them.`,
  canRemoveRunning: true,
  outcomeOf,
  isInSight: (_job, route) =>
    route.page === 'lookups' && (route.view === 'home' || route.view === 'job'),
  more: (job) => [
    {
      label: 'Look up again',
      icon: 'refresh',
      onSelect: () => void rerun(job),
      disabled: job.state === 'running' || job.state === 'paused',
    },
  ],
})

/** Looks up the same list again and opens the new lookup, which shows the changes. */
async function rerun({ id }: LookupJob): Promise<void> {
  const next = await attempt('Could not start the lookup', () => request('lookup.rerun', { id }))
  if (next === undefined) return
  lookupJobs.begun(next)
  navigate(lookupRoute(next))
}
