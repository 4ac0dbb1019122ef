import type { HistoryStep } from '../../../../src-preload/contract/failure.ts'
import type { WebhookStatus } from '../../../../src-preload/contract/webhook.ts'
import { fromMs } from '../../../ui/format.ts'
import type { Point, Series } from '../../../components/charts/series.ts'

export const attemptSeries: readonly Series[] = [
  { key: 'failedAttempts', name: 'failed attempts', colour: 4 },
]
export const failingSeries: readonly Series[] = [
  { key: 'failing', name: 'accounts failing', colour: 3 },
]
export const usageSeries: readonly Series[] = [
  { key: 'delivered', name: 'delivered', colour: 1 },
  { key: 'failed', name: 'failed', colour: 4 },
]
export const receivedSeries: readonly Series[] = [
  { key: 'received', name: 'received', colour: 2 },
  { key: 'refused', name: 'refused', colour: 4 },
]
export const lagSeries: readonly Series[] = [{ key: 'lag', name: 'behind', colour: 5 }]

/** Steps as charts take them. What no source told stays null. */
export function pointsOf(steps: readonly HistoryStep[]): Point[] {
  return steps.map((step) => ({
    startsAt: fromMs(step.startsAt),
    values: {
      failedAttempts: step.failedAttempts,
      failing: step.failing,
      delivered: step.delivered,
      failed: step.failed,
      received: step.received,
      refused: step.refused,
      lag: step.lag,
    },
  }))
}

/** Times of one status; null: nobody read it then. `to` is where the next begins. Milliseconds. */
export type StatusSpan = {
  readonly status: WebhookStatus | null
  readonly from: number
  readonly to: number
}

export function statusSpans(steps: readonly HistoryStep[], milliseconds: number): StatusSpan[] {
  const spans: { status: WebhookStatus | null; from: number; to: number }[] = []
  for (const { startsAt, status } of steps) {
    const last = spans.at(-1)
    const to = startsAt + milliseconds
    if (last?.status === status) last.to = to
    else spans.push({ status, from: startsAt, to })
  }
  return spans
}
