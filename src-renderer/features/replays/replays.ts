import type { ReplayJob } from '../../../src-preload/contract/index.ts'
import { on, request } from '../../bridge.ts'
import { createResource, valueOf } from '../../resource.ts'
import type { WorkbenchRoute } from '../../workbench-route.ts'
import { mergeJobs } from '../jobs/job-state.ts'
import { outcomeOf } from './job-words.ts'

/** What was sent again, newest first; kept current by events. */
export const replays = createResource(() => request('replay.list'))

export const replaysHome: WorkbenchRoute = { page: 'workbench', view: 'replays', job: null }

export function replayRoute(job: number): WorkbenchRoute {
  return { page: 'workbench', view: 'replays', job }
}

/** Those whose end somebody waits for, on whichever page. */
const awaited = new Set<number>()
let tell: (job: ReplayJob) => void = () => undefined

function tellOnce(job: ReplayJob): void {
  if (outcomeOf(job) !== null && awaited.delete(job.id)) tell(job)
}

/** Begun just now: its end is told, though it may have come before the answer did. */
export async function followReplay({ id }: ReplayJob): Promise<void> {
  awaited.add(id)
  await replays.reload()
  const now = valueOf(replays.store.getState())?.find((each) => each.id === id)
  if (now !== undefined) tellOnce(now)
}

function take(job: ReplayJob): void {
  const state = replays.store.getState()
  if (state.status !== 'ready') {
    // From now on it is known how each stood before.
    void replays.reload()
    return
  }
  const before = state.value.find(({ id }) => id === job.id)
  if (before !== undefined && before.state !== job.state) awaited.add(job.id)
  replays.set(mergeJobs(state.value, [job]))
  tellOnce(job)
}

/** Follows all replays; `onOutcome` is called once for each that ends or has to wait. */
export function startReplays(onOutcome: (job: ReplayJob) => void): () => void {
  tell = onOutcome
  const stops = [
    on('replay.changed', ({ jobs }) => {
      for (const job of jobs) take(job)
    }),
    on('replay.removed', ({ id }) => {
      const state = replays.store.getState()
      if (state.status === 'ready') replays.set(state.value.filter((each) => each.id !== id))
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
