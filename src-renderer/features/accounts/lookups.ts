import type { LookupJob } from '../../../src-preload/contract/lookup.ts'
import { on, request } from '../../bridge.ts'
import { accountsHome } from '../../chain-route.ts'
import { createResource } from '../../resource.ts'
import { navigate, useRoute } from '../../route.ts'
import { announce } from '../../ui/live-region.tsx'
import { showToast } from '../../ui/toast.tsx'
import { mergeJobs } from '../jobs/job-state.ts'
import { outcomeOf, titleOf } from './job-words.ts'

/** The lookups of all networks, newest first; kept current by events. */
export const lookups = createResource(() => request('lookup.list'))

/** Who waits for a lookup may be on any page: its end is told there too. */
export function startLookups(): () => void {
  const stops = [
    on('lookup.changed', ({ jobs }) => {
      const state = lookups.store.getState()
      if (state.status !== 'ready') {
        // From now on it is known how each stood before.
        void lookups.reload()
        return
      }
      for (const job of jobs) tellOutcome(job, state.value)
      lookups.set(mergeJobs(state.value, jobs))
    }),
    on('lookup.removed', ({ id }) => {
      const state = lookups.store.getState()
      if (state.status === 'ready') lookups.set(state.value.filter((job) => job.id !== id))
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

function tellOutcome(job: LookupJob, known: readonly LookupJob[]): void {
  const before = known.find(({ id }) => id === job.id)
  const outcome = outcomeOf(job)
  if (before === undefined || before.state === job.state || outcome === null) return
  const { route } = useRoute.getState()
  if (route.page === 'accounts' && (route.view === 'home' || route.view === 'job')) {
    announce(`${titleOf(job)}: ${outcome}`)
    return
  }
  showToast({
    title: titleOf(job),
    detail: outcome,
    tone: job.state === 'failed' ? 'bad' : 'plain',
    action: { label: 'Open', run: () => openJob(job.id) },
  })
}

export function openJob(id: number): void {
  navigate({ ...accountsHome, view: 'job', id })
}
