import { useEffect } from 'react'
import { on } from '../../app/bridge.ts'
import { throttle } from '../../ui/throttle.ts'
import { receiver } from '../../app/receiver-state.ts'
import { chartData, figures, latestCaptures } from './chart-data.ts'

const rowsMs = 500
/** Counting a day of a million captures takes its time: it is done the less often the longer it takes. */
const shares = 20
const leastMs = 1000
const mostMs = 10_000
/** With nothing arriving, the hours still pass. */
const quietMs = 60_000

/** Keeps the page current while it is open. */
export function useLiveOverview(): void {
  useEffect(() => {
    const rows = throttle(() => void latestCaptures.reload(), rowsMs)
    let tookMs = 0
    const count = async () => {
      const began = performance.now()
      await Promise.all([figures.reload(), chartData.reload(), receiver.reload()])
      tookMs = performance.now() - began
    }
    const counts = throttle(
      () => void count(),
      () => Math.min(mostMs, Math.max(leastMs, tookMs * shares)),
    )
    const all = () => {
      rows.call()
      counts.call()
    }
    // What was shown when the page was left is old by now.
    all()
    const stops = [
      on('capture.added', all),
      on('capture.changed', all),
      on('capture.classified', rows.call),
    ]
    const timer = setInterval(counts.call, quietMs)
    return () => {
      for (const stop of stops) stop()
      clearInterval(timer)
      rows.cancel()
      counts.cancel()
    }
  }, [])
}
