import { formatDay, formatExact, formatMinute, fromMs } from '../../../ui/format.ts'
import { useNow } from '../../../ui/moment.tsx'

/** From when to when, to the minute; exact under the pointer. Milliseconds. */
export function SpanText({ from, to }: { from: number; to: number }) {
  const now = useNow()
  const [first, last] = [fromMs(from), fromMs(to)]
  const days = [formatDay(first, now), formatDay(last, now)]
  const end = days[0] === days[1] ? formatMinute(last) : `${days[1] ?? ''} ${formatMinute(last)}`
  return (
    <span title={`${formatExact(first)}\nto\n${formatExact(last)}`}>
      {days[0]} {formatMinute(first)} to {end}
    </span>
  )
}
