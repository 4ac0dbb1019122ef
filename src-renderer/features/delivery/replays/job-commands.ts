import type { ReplayJob } from '../../../../src-preload/contract/replay.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { navigate, useRoute } from '../../../app/route.ts'
import { confirm } from '../../../ui/confirm.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { sayCounts, titleOf } from './job-words.ts'
import { followReplay, replays, replaysHome } from './replays.ts'

export async function cancelReplay(job: ReplayJob): Promise<void> {
  const next = await attempt('Could not stop it', () => request('replay.cancel', { id: job.id }))
  if (next === undefined) return
  await replays.reload()
  announce(`${titleOf(job)} stopped`)
}

export async function resumeReplay(job: ReplayJob): Promise<void> {
  const next = await attempt('Could not resume it', () => request('replay.resume', { id: job.id }))
  if (next === undefined) return
  announce(`${titleOf(job)} goes on`)
  await followReplay(next)
}

export async function removeReplay(job: ReplayJob): Promise<void> {
  const yes = await confirm({
    title: `Remove “${titleOf(job)}”?`,
    detail: `What came back goes with it: ${sayCounts(job)}. The captures stay.`,
    action: 'Remove it',
    destructive: true,
  })
  if (!yes) return
  const { id } = job
  const done = await attempt('Could not remove it', () => request('replay.remove', { id }))
  if (done === undefined) return
  const { route } = useRoute.getState()
  if (route.page === 'workbench' && route.view === 'replays' && route.job === id) {
    navigate(replaysHome)
  }
  void replays.reload()
  showToast({ title: 'Replay removed' })
}
