import { useEffect, useState } from 'react'
import type { HistogramBucket } from '../../../src-preload/contract/index.ts'
import { on, onReconnect, request } from '../../bridge.ts'
import { formatCount, formatDay, formatMinute, fromMs } from '../../format.ts'
import styles from './page.module.css'

const bucketMs = 15 * 60_000
const buckets = 96
const refreshMs = 3_000
const height = 34

/** Arrivals of the last 24 hours, a quarter of an hour a bar; what was refused stands out. */
export function Histogram() {
  const bars = useHistogram()
  const total = bars.reduce((sum, bar) => sum + bar.total, 0)
  const refused = bars.reduce((sum, bar) => sum + bar.refused, 0)
  const highest = Math.max(1, ...bars.map((bar) => bar.total))
  const label = `Captures of the last 24 hours: ${formatCount(total, 'capture')}, ${formatCount(refused, 'refused', 'refused')}`
  return (
    <svg
      className={styles['histogram']}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${buckets * 10} ${height}`}
      preserveAspectRatio="none"
    >
      {bars.map((bar, index) => (
        <Bar key={bar.startsAt} bar={bar} x={index * 10} highest={highest} />
      ))}
    </svg>
  )
}

function Bar({ bar, x, highest }: { bar: HistogramBucket; x: number; highest: number }) {
  const title = `${formatDay(bar.startsAt, bar.startsAt)} ${formatMinute(bar.startsAt)}: ${formatCount(bar.total, 'capture')}, ${formatCount(bar.refused, 'refused', 'refused')}`
  // One capture among thousands must still be seen.
  const full = bar.total === 0 ? 0 : Math.max(2, (bar.total / highest) * height)
  const bad = bar.refused === 0 ? 0 : Math.max(2, (bar.refused / Math.max(1, bar.total)) * full)
  return (
    <g>
      <title>{title}</title>
      <rect className={styles['reach']} x={x} y={0} width={10} height={height} />
      <rect className={styles['bar']} x={x} y={height - full} width={7} height={full} />
      <rect className={styles['refused']} x={x} y={height - full} width={7} height={bad} />
    </g>
  )
}

function useHistogram(): readonly HistogramBucket[] {
  const [bars, setBars] = useState<readonly HistogramBucket[]>([])
  useEffect(() => {
    let stopped = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const load = async () => {
      // Whole quarters, so that bars do not creep from one look to the next.
      const to = Math.ceil(Date.now() / bucketMs) * bucketMs
      const from = to - buckets * bucketMs
      try {
        const next = await request('capture.histogram', {
          from: fromMs(from),
          to: fromMs(to),
          buckets,
        })
        if (!stopped) setBars(next)
      } catch {
        // The strip stays as it was: it is a glance, and the list says what is wrong.
      }
    }
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void load()
      }, refreshMs)
    }
    void load()
    const minute = setInterval(() => void load(), 60_000)
    const stops = [on('capture.added', soon), on('capture.changed', soon), onReconnect(soon)]
    return () => {
      stopped = true
      clearTimeout(timer)
      clearInterval(minute)
      for (const stop of stops) stop()
    }
  }, [])
  return bars
}
