import { useEffect, useState } from 'react'
import { formatDuration, formatExact, fromMs } from '../../../ui/format.ts'
import { Tag } from '../../../ui/tag.tsx'

/** How long the gateway has asked to wait, counted down. */
export function Pause({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.ceil((until - now) / 1000)
  if (seconds <= 0) return null
  return (
    <Tag tone="warn" title={`The gateway asked to wait until ${formatExact(fromMs(until))}`}>
      paused, {formatDuration(fromMs(seconds * 1000))}
    </Tag>
  )
}
