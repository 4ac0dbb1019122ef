import { useEffect, useState } from 'react'
import { formatExact, formatMoment, fromMs } from '../../../ui/format.ts'
import { Tag } from '../../../ui/tag.tsx'
import { timeLeft } from './time-left.ts'

/** A moment that runs out, with what is left of it by this computer's clock. */
export function ValidUntil({ at }: { at: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const left = timeLeft(at, now)
  return (
    <span title={formatExact(fromMs(at))}>
      <time dateTime={new Date(at).toISOString()}>{formatMoment(fromMs(at), fromMs(now))}</time>{' '}
      {left === null ? <Tag tone="bad">expired</Tag> : <Tag>{left} left</Tag>}
    </span>
  )
}
