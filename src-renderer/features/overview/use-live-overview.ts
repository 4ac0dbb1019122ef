import { useEffect } from 'react'
import { on } from '../../bridge.ts'
import { throttle } from '../../throttle.ts'
import { chartData, figures, latestCaptures } from './chart-data.ts'

/** Rows follow quickly, counting over a day of a million captures less often. */
const rowsMs = 500
const figuresMs = 3000
/** With nothing arriving, the hours still pass. */
const quietMs = 60_000

/** Keeps the page current while it is open. */
export function useLiveOverview(): void {
  useEffect(() => {
    const rows = throttle(() => void latestCaptures.reload(), rowsMs)
    const counts = throttle(() => {
      void figures.reload()
      void chartData.reload()
    }, figuresMs)
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
