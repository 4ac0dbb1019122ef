import { useEffect, useMemo } from 'react'
import type { FailureSummary, HistoryStep } from '../../../../src-preload/contract/failure.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { on, request } from '../../../app/bridge.ts'
import { fromMs } from '../../../ui/format.ts'
import { type Resource, createResource, useResource } from '../../../app/resource.ts'
import { throttle } from '../../../ui/throttle.ts'
import type { Answer } from '../../../app/use-answer.ts'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import type { Point } from '../../../components/charts/series.ts'
import { type TimeAxis, tickStepOf, timeAxis } from '../../../components/charts/time-axis.ts'
import { pointsOf } from './history-data.ts'
import { boundsOf } from './ranges.ts'

export type History = {
  readonly points: readonly Point[]
  readonly axis: TimeAxis
  readonly steps: readonly HistoryStep[]
  /** Length of a step. */
  readonly milliseconds: number
  readonly sources: readonly string[]
}

/** History of a webhook, or of one of its accounts; it follows what is read meanwhile. */
export function useHistory(
  { network, id }: Webhook,
  account: string | null,
  range: HistoryRange,
): Answer<History> {
  const resource = useMemo(
    () => createResource(() => readHistory(network, id, account, range)),
    [network, id, account, range],
  )
  useGrowth(network, id, resource)
  useMinutes(resource)
  return { state: useResource(resource), resource }
}

async function readHistory(
  network: NetworkId,
  webhook: string,
  account: string | null,
  range: HistoryRange,
): Promise<History> {
  const now = Date.now()
  const bounds = boundsOf(range, now)
  const asked = { network, webhook, account, ...bounds }
  const { steps, milliseconds, sources } = await request('failure.history', asked)
  const points = pointsOf(steps)
  const axis = timeAxis(
    points.map(({ startsAt }) => startsAt),
    {
      step: fromMs(milliseconds),
      between: tickStepOf(fromMs(bounds.to - bounds.from)),
      now: fromMs(now),
    },
  )
  return { points, steps, milliseconds, sources, axis }
}

export function useSummary({ network, id }: Webhook, range: HistoryRange): Answer<FailureSummary> {
  const resource = useMemo(
    () =>
      createResource(() =>
        request('failure.summary', { network, webhook: id, ...currentBounds(range) }),
      ),
    [network, id, range],
  )
  useGrowth(network, id, resource)
  useMinutes(resource)
  return { state: useResource(resource), resource }
}

/** From and to of a range that ends now, in milliseconds. */
export function currentBounds(range: HistoryRange): { from: number; to: number } {
  const { from, to } = boundsOf(range, Date.now())
  return { from, to }
}

/** A round of the sampler tells of many changes within a moment. */
const restMs = 1000
/** Reads it anew as history of the webhook grows. */
export function useGrowth(network: string, webhook: string, resource: Resource<unknown>): void {
  useEffect(() => {
    const look = throttle(() => void resource.reload(), restMs)
    const stop = on('failure.changed', (change) => {
      if (change.network === network && change.webhooks.includes(webhook)) look.call()
    })
    return () => {
      stop()
      look.cancel()
    }
  }, [network, webhook, resource])
}

const minuteMs = 60_000

/** Time goes on, and what arrives here grows without the sampler. */
function useMinutes(resource: Resource<unknown>): void {
  useEffect(() => {
    const timer = setInterval(() => void resource.reload(), minuteMs)
    return () => clearInterval(timer)
  }, [resource])
}
