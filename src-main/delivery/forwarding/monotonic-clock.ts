/** Milliseconds since the epoch as they were at the start, and on from there by the hour glass. */
type SteadyClock = {
  now(): number
  /** What a moment of it is by the clock on the wall, in microseconds. */
  toWall(moment: number): number
  stop(): void
}

const lookEveryMs = 5_000
const leapMs = 15_000

/**
 * Waits that go by it are as long as they were meant, whatever happens to the system’s clock.
 * @param onLeap the clock on the wall went ahead: it was set, or the computer has slept
 */
export function createMonotonicClock(onLeap: () => void): SteadyClock {
  const started = Date.now() - performance.now()
  const now = () => started + performance.now()
  let ahead = 0
  const timer = setInterval(() => {
    const before = ahead
    ahead = Date.now() - now()
    if (ahead - before > leapMs) onLeap()
  }, lookEveryMs)
  timer.unref()
  return {
    now,
    toWall: (moment) => Math.round((moment + (Date.now() - now())) * 1000),
    stop: () => clearInterval(timer),
  }
}
