import type { ReplayPace } from '../../../src-preload/contract/replay.ts'

/** When each request is to go out. */
type SendTimes = {
  /**
   * Milliseconds from now until the next one's turn; 0 where it has come.
   * @param at when its capture arrived (microseconds); null where that is not known
   */
  next(at: number | null): number
}

/** A timer is late by some milliseconds, which are made good; a target that was slow is not. */
const graceMs = 50

/** @param now milliseconds of a clock that never goes back */
export function createSendTimes(pace: ReplayPace, now: () => number): SendTimes {
  const gap = createGaps(pace)
  let last: number | null = null
  return {
    next(at) {
      const ms = gap(at)
      const present = now()
      last = last === null ? present : Math.max(last + ms, present - graceMs)
      return Math.max(0, last - present)
    },
  }
}

/** Milliseconds between a request and the one before it. */
function createGaps(pace: ReplayPace): (at: number | null) => number {
  switch (pace.kind) {
    case 'fast':
      return () => 0
    case 'rate':
      return () => 1000 / pace.perSecond
    case 'original': {
      let before: number | null = null
      return (at) => {
        if (at === null) return 0
        // A clock that was set back, a slow request that ended late, another round: no gap.
        const ms = before === null ? 0 : Math.max(0, at - before) / 1000 / pace.factor
        before = at
        return ms
      }
    }
  }
}
