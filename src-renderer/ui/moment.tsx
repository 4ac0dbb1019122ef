import { useSyncExternalStore } from 'react'
import { formatAbsolute, formatExact, formatMoment, formatUtc, fromMs } from './format.ts'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let tick = Date.now()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // The clock stood still while no component used it.
  if (timer === undefined) tick = Date.now()
  timer ??= setInterval(() => {
    tick = Date.now()
    for (const each of listeners) each()
  }, 10_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The clock, in microseconds, seen again every ten seconds by whoever shows relative times. */
export function useNow(): number {
  return fromMs(useSyncExternalStore(subscribe, () => tick))
}

/** A moment in microseconds: relative within a day, or absolute; exact and in UTC under the pointer. */
export function Moment({
  at,
  absolute,
  className,
}: {
  at: number
  absolute?: 'minute' | 'second'
  className?: string | undefined
}) {
  const now = useNow()
  return (
    <time dateTime={formatUtc(at)} title={formatExact(at)} className={className}>
      {absolute === undefined
        ? formatMoment(at, Math.max(now, at))
        : formatAbsolute(at, now, absolute === 'second')}
    </time>
  )
}
