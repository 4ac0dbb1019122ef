import { useSyncExternalStore } from 'react'
import { formatAbsolute, formatExact, formatMoment, formatUtc, fromMs } from './format.ts'

/** A clock for `useSyncExternalStore`: one timer for all components that show it, none without a component. */
function createClock(everyMs: number) {
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined
  let now = Date.now()
  return {
    now: () => now,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      // The clock stood still while no component used it.
      if (timer === undefined) now = Date.now()
      timer ??= setInterval(() => {
        now = Date.now()
        for (const each of listeners) each()
      }, everyMs)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}

const slowClock = createClock(10_000)
/** For countdowns. */
export const secondClock = createClock(1000)

/** The clock, in microseconds, updated every ten seconds, for relative times. */
export function useNow(): number {
  return fromMs(useSyncExternalStore(slowClock.subscribe, slowClock.now))
}

/** Whole seconds until a moment in milliseconds, counted every second; 0 once it is over. */
export function useSecondsLeft(until: number): number {
  const now = useSyncExternalStore(secondClock.subscribe, secondClock.now)
  return Math.max(0, Math.ceil((until - now) / 1000))
}

/** A moment in microseconds: relative within a day, or absolute; exact and in UTC under the pointer. */
export function Moment({ at, absolute }: { at: number; absolute?: 'minute' | 'second' }) {
  const now = useNow()
  return (
    <time dateTime={formatUtc(at)} title={formatExact(at)}>
      {absolute === undefined
        ? formatMoment(at, Math.max(now, at))
        : formatAbsolute(at, now, absolute === 'second')}
    </time>
  )
}
