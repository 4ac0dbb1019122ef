import { create } from 'zustand'
import type { HistogramBucket } from '../../../src-preload/contract/capture.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { request } from '../../app/bridge.ts'
import { fromMs } from '../../ui/format.ts'
import { createResource } from '../../app/resource.ts'
import {
  type Range,
  boundsOf,
  findRange,
  localOffset,
  ticksOf,
} from '../../components/charts/ranges.ts'
import { printSpan } from '../captures/histogram/time-span.ts'
import { type RangeName, ranges } from './ranges.ts'

export type ChartData = {
  readonly range: Range
  /** When it was counted. */
  readonly now: number
  readonly buckets: readonly HistogramBucket[]
  /** Beginnings of the bars that carry a label. */
  readonly ticks: readonly number[]
}

export const useRange = create<{ name: RangeName }>(() => ({ name: '24h' }))

export const chartData = createResource(async (): Promise<ChartData> => {
  const range = findRange(ranges, useRange.getState().name)
  const now = fromMs(Date.now())
  const offsetUs = localOffset(now)
  const { from, to } = boundsOf(range, now, offsetUs)
  const buckets = await request('capture.histogram', { from, to, buckets: range.buckets })
  const starts = buckets.map(({ startsAt }) => startsAt)
  return { range, now, buckets, ticks: ticksOf(range, starts, offsetUs) }
})

/** The captures that a bar stands for. */
export function barQuery(
  { step }: Pick<Range, 'step'>,
  { startsAt }: Pick<HistogramBucket, 'startsAt'>,
): string {
  return `received:${printSpan({ from: startsAt, to: startsAt + step })}`
}

export function chooseRange(name: RangeName): void {
  useRange.setState({ name })
  void chartData.reload()
}

/** All counted at one moment, so that they agree with each other while captures arrive. */
type Figures = {
  readonly counts: Output<'capture.counts'>
  readonly lastHour: number
  readonly lastDay: number
  readonly refusedLastDay: number
}

export const figures = createResource(async (): Promise<Figures> => {
  const now = fromMs(Date.now())
  const one = async (span: number) => {
    const [bucket] = await request('capture.histogram', { from: now - span, to: now, buckets: 1 })
    return bucket ?? { total: 0, refused: 0 }
  }
  const [counts, hour, day] = await Promise.all([
    request('capture.counts'),
    one(3600e6),
    one(86_400e6),
  ])
  return { counts, lastHour: hour.total, lastDay: day.total, refusedLastDay: day.refused }
})

export const latestCaptures = createResource(() => request('capture.list', { limit: 8 }))
