import type { ReplayJob } from '../../../../src-preload/contract/replay.ts'
import { request } from '../../../app/bridge.ts'
import { navigate, useRoute } from '../../../app/route.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { sayAnswer } from '../targets/answer-words.ts'
import { outcomeOf, titleOf } from './job-words.ts'
import { replayRoute } from './replays.ts'

/** Who waits for a replay may be on any page: its end is told there too, with the way to it. */
export function tellReplay(job: ReplayJob): void {
  void tell(job)
}

async function tell(job: ReplayJob): Promise<void> {
  const { route } = useRoute.getState()
  const isInSight = route.page === 'workbench' && route.view === 'replays' && route.job === job.id
  const outcome = (await onlyAnswer(job)) ?? outcomeOf(job)
  if (outcome === null) return
  announce(`${titleOf(job)}: ${outcome}`)
  if (isInSight) return
  showToast({
    id: `replay-${job.id}`,
    title: titleOf(job),
    detail: outcome,
    tone: job.failed > 0 || job.state === 'failed' ? 'bad' : 'plain',
    action: { label: 'Open', run: () => navigate(replayRoute(job.id)) },
  })
}

/** Of a single request one wants to know what it was answered. */
async function onlyAnswer({ id, state, total }: ReplayJob): Promise<string | null> {
  if (state !== 'done' || total !== 1) return null
  try {
    const { sendings } = await request('replay.sendings', { id, limit: 1 })
    const answer = sendings[0]?.answer
    if (answer === undefined) return null
    return answer.problem === null ? sayAnswer(answer) : `${sayAnswer(answer)}: ${answer.problem}`
  } catch {
    // Its counts say the most important thing as well.
    return null
  }
}
