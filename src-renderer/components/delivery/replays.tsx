/** Replays are jobs that send requests again; any page can start one with the replay dialog. */
import type { ReplayJob, ReplaySubject } from '../../../src-preload/contract/replay.ts'
import { request } from '../../app/bridge.ts'
import { openDialog } from '../../app/features.tsx'
import { useRoute } from '../../app/route.ts'
import type { DeliveryRoute } from '../../app/delivery-route.ts'
import { formatNumber } from '../../ui/format.ts'
import { createJobs, describeOutcome, stateTones, useJobs } from '../jobs/job-kind.tsx'
import { shortTarget } from './forward-deliveries.tsx'
import { formatResponse } from './target-response.tsx'

export const replayRoute = (job: number): DeliveryRoute => ({
  page: 'delivery',
  view: 'replays',
  job,
})

/** Opens the dialog that starts a replay. */
export function openReplay(
  subject: ReplaySubject,
  known: { readonly target?: string; readonly edited?: boolean } = {},
): void {
  if (subject.kind === 'captures' && subject.ids.length === 0) return
  openDialog('replay', { subject, ...known })
}

/** `Replay of capture 12 to localhost:3000`. */
export function replayTitle({ subject, target, edited }: ReplayJob): string {
  // The subject already says that the capture is edited.
  return `Replay of ${subject}${edited ? ',' : ''} to ${shortTarget(target)}`
}

/** Formats `480 delivered, 5 failed`, and the remaining number if the replay stopped. */
function formatCounts({ delivered, failed, sent, total, state }: ReplayJob): string {
  const left = total - sent
  const parts = [
    `${formatNumber(delivered)} delivered`,
    failed > 0 && `${formatNumber(failed)} failed`,
    state !== 'running' && left > 0 && `${formatNumber(left)} not sent`,
  ]
  return parts.filter(Boolean).join(', ')
}

/** Returns null for the order of arrival. */
export const formatSequence = ({ order }: ReplayJob) => (order === 'lt' ? 'by logical time' : null)

export const replayJobs = createJobs<ReplayJob>({
  kind: 'replay',
  thing: 'replay',
  titleOf: replayTitle,
  routeOf: ({ id }) => replayRoute(id),
  homeOf: () => ({ page: 'jobs' }),
  noteOf: formatSequence,
  startedAt: ({ createdAt }) => createdAt,
  counts: 'Requests',
  progressOf: ({ sent, total, failed }) => ({ done: sent, total, failed }),
  resultOf: formatCounts,
  // A replay that ended with failures does not count as a success.
  toneOf: ({ state, failed }) => (state === 'done' && failed > 0 ? 'warn' : stateTones[state]),
  removeDetail: (job) =>
    `The responses are deleted with it: ${formatCounts(job)}. The captures stay.`,
  canPause: false,
  canResume: ({ state, sent, total }) => state !== 'running' && state !== 'done' && sent < total,
  outcomeOf: (job) => describeOutcome(job, formatCounts(job), 'the replay could not continue.'),
  outcomeDetail: describeOnlyResponse,
  isBad: ({ failed }) => failed > 0,
  isInSight: ({ id }, route) =>
    route.page === 'delivery' && route.view === 'replays' && route.job === id,
})

/** The response of a single request is more useful than the count. @throws AppError */
async function describeOnlyResponse({ id, state, total }: ReplayJob): Promise<string | null> {
  if (state !== 'done' || total !== 1) return null
  const { sendings } = await request('replay.sendings', { id, limit: 1 })
  const response = sendings[0]?.answer
  if (response === undefined) return null
  const { problem } = response
  return problem === null ? formatResponse(response) : `${formatResponse(response)}: ${problem}`
}

/** Shown above every view of the Inspector while a replay is running, except on its own page. */
export function ReplayStrip() {
  const jobs = useJobs('replay').data ?? []
  const shown = useRoute(({ route }) =>
    route.page === 'delivery' && route.view === 'replays' ? route.job : null,
  )
  return <replayJobs.Strip jobs={jobs.filter(({ id }) => id !== shown)} />
}
