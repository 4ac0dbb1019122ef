import { useEffect, useState } from 'react'
import type { AppError } from '../../../../src-preload/domain/app-error.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { on, onReconnect, request, toAppError } from '../../../app/bridge.ts'
import { fromMs } from '../../../ui/format.ts'
import { throttle } from '../../../ui/throttle.ts'
import { localOffset } from '../../../components/charts/ranges.ts'
import { findOldest } from './oldest.ts'
import { type SpanChoice, type TimeSpan, spanOf, usualBuckets } from './time-span.ts'

const againMs = 3000
/** A slow one rests this many times as long as it took. */
const restFactor = 6
const minuteMs = 60_000

export type HistogramData = TimeSpan & {
  readonly bars: Output<'captureQuery.histogram'>['buckets']
  readonly isExact: boolean
}

type HistogramState = {
  /** As it was last drawn; null before the first answer. */
  readonly data: HistogramData | null
  readonly problem: AppError | null
  readonly retry: () => void
}

/**
 * Arrivals over time and how many of them a query finds, kept current.
 * @param zoom shown instead of what is chosen
 */
export function useHistogram(
  text: string,
  choice: SpanChoice,
  zoom: TimeSpan | null,
): HistogramState {
  const [data, setData] = useState<HistogramData | null>(null)
  const [problem, setProblem] = useState<AppError | null>(null)
  const [asked, setAsked] = useState(0)
  const zoomFrom = zoom?.from
  const zoomTo = zoom?.to
  useEffect(() => {
    let outdated = false
    let tookMs = 0
    const load = async () => {
      if (document.visibilityState === 'hidden') return
      const started = performance.now()
      try {
        const span = await spanNow(choice, zoomFrom, zoomTo)
        const { buckets, ...answer } = await request('captureQuery.histogram', {
          query: { text },
          ...span,
        })
        if (outdated) return
        setData({ from: span.from, to: span.to, bars: buckets, isExact: answer.isExact })
        setProblem(null)
      } catch (error) {
        if (!outdated) setProblem(toAppError(error))
      }
      tookMs = performance.now() - started
    }
    const again = throttle(
      () => void load(),
      () => Math.max(againMs, tookMs * restFactor),
    )
    again.call()
    const minute = setInterval(again.call, minuteMs)
    const stops = [
      on('capture.added', again.call),
      on('capture.changed', again.call),
      on('capture.classified', again.call),
      onReconnect(again.call),
      again.cancel,
    ]
    return () => {
      outdated = true
      clearInterval(minute)
      for (const stop of stops) stop()
    }
  }, [text, choice, zoomFrom, zoomTo, asked])
  return { data, problem, retry: () => setAsked((before) => before + 1) }
}

async function spanNow(choice: SpanChoice, from: number | undefined, to: number | undefined) {
  if (from !== undefined && to !== undefined) return { from, to, buckets: usualBuckets }
  const now = fromMs(Date.now())
  const oldest = choice === 'all' ? await findOldest(now) : null
  return spanOf(choice, now, localOffset(now), oldest)
}
