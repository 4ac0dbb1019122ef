import type { LookupJob } from '../../../src-preload/contract/lookup.ts'
import { attempt } from '../../attempt.ts'
import { request } from '../../bridge.ts'
import { formatCount } from '../../format.ts'
import { accountsHome } from '../../chain-route.ts'
import { navigate, useRoute } from '../../route.ts'
import { confirm } from '../../ui/confirm.tsx'
import { announce } from '../../ui/live-region.tsx'
import { showToast } from '../../ui/toast.tsx'
import { mergeJobs } from '../jobs/job-state.ts'
import { countDone, titleOf } from './job-words.ts'
import { lookups, openJob } from './lookups.ts'

export async function pauseJob(job: LookupJob): Promise<void> {
  const next = await attempt('Could not pause the lookup', () =>
    request('lookup.pause', { id: job.id }),
  )
  if (next !== undefined) take(next, `${titleOf(job)} paused`)
}

export async function resumeJob(job: LookupJob): Promise<void> {
  const next = await attempt('Could not resume the lookup', () =>
    request('lookup.resume', { id: job.id }),
  )
  if (next !== undefined) take(next, `${titleOf(job)} goes on`)
}

export async function stopJob(job: LookupJob): Promise<void> {
  const yes = await confirm({
    title: `Stop “${titleOf(job)}” for good?`,
    detail: `${formatCount(countDone(job), 'account')} of ${formatCount(job.counts.valid, 'account')} ${countDone(job) === 1 ? 'has' : 'have'} an answer, which is kept. The rest is not asked for; to go on later, pause it instead.`,
    action: 'Stop the lookup',
    destructive: true,
  })
  if (!yes) return
  const next = await attempt('Could not stop the lookup', () =>
    request('lookup.cancel', { id: job.id }),
  )
  if (next !== undefined) take(next, `${titleOf(job)} stopped`)
}

/** Looks the same list up again and shows the new lookup, which tells what has changed. */
export async function rerunJob(job: LookupJob): Promise<void> {
  const next = await attempt('Could not look the list up again', () =>
    request('lookup.rerun', { id: job.id }),
  )
  if (next === undefined) return
  take(next, `${titleOf(next)} begun`)
  openJob(next.id)
}

export async function removeJob(job: LookupJob): Promise<void> {
  const yes = await confirm({
    title: `Remove “${titleOf(job)}”?`,
    detail: `The list and its ${formatCount(job.answered, 'answer')} are deleted from this computer. This cannot be undone; export them first if you need them.`,
    action: 'Remove the lookup',
    destructive: true,
  })
  if (!yes) return
  const done = await attempt('Could not remove the lookup', () =>
    request('lookup.remove', { id: job.id }),
  )
  if (done === undefined) return
  void lookups.reload()
  showToast({ title: `“${titleOf(job)}” removed` })
  const { route } = useRoute.getState()
  if (route.page === 'accounts' && route.view === 'job' && route.id === job.id) {
    navigate(accountsHome, { replace: true })
  }
}

function take(job: LookupJob, said: string): void {
  const state = lookups.store.getState()
  if (state.status === 'ready') lookups.set(mergeJobs(state.value, [job]))
  announce(said)
}
