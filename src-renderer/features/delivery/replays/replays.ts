import type { ReplayJob } from '../../../../src-preload/contract/replay.ts'
import { on, request } from '../../../app/bridge.ts'
import { createResource } from '../../../app/resource.ts'
import type { WorkbenchRoute } from '../../../app/workbench-route.ts'
import { followJobs } from '../../../components/jobs/follow-jobs.ts'
import { outcomeOf } from './job-words.ts'

/** What was sent again, newest first; kept current by events. */
export const replays = createResource(() => request('replay.list'))

export const replaysHome: WorkbenchRoute = { page: 'workbench', view: 'replays', job: null }

export function replayRoute(job: number): WorkbenchRoute {
  return { page: 'workbench', view: 'replays', job }
}

const followed = followJobs(() => replays, outcomeOf)

/** Begun just now: its end is told. */
export const followReplay = followed.begun

/** Follows all replays; `onOutcome` is called once for each that ends or has to wait. */
export function startReplays(onOutcome: (job: ReplayJob) => void): () => void {
  followed.onOutcome(onOutcome)
  const stops = [
    on('replay.changed', ({ jobs }) => jobs.forEach(followed.take)),
    on('replay.removed', ({ id }) => followed.removed(replays, id)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
