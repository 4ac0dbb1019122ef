import { useSyncExternalStore } from 'react'
import { formatAbsolute, formatExact, formatMoment, formatUtc, fromMs } from './format.ts'

/**
 * A clock for `useSyncExternalStore`: one timer for all components that show it, and none without
 * such a component.
 */
function createClock(everyMs: number) {
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined
  let now = Date.now()
  return {
    now: () => now,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      // The clock stopped while no component used it.
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
/** A clock for countdowns. */
export const secondClock = createClock(1000)

/** Returns the time in microseconds, updated every ten seconds, for relative times. */
export const useNow = (): number => fromMs(useSyncExternalStore(slowClock.subscribe, slowClock.now))

/** Returns whole seconds until a time in milliseconds, updated every second; 0 after that time. */
export function useSecondsLeft(until: number): number {
  const now = useSyncExternalStore(secondClock.subscribe, secondClock.now)
  return Math.max(0, Math.ceil((until - now) / 1000))
}

/** Shows a time in microseconds: relative within a day, or absolute; the tooltip has the exact time and UTC. */
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
