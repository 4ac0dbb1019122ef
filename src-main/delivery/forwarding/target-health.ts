import type { DeliveryResult } from '../targets/target-kind.ts'
import { maxWaitMs } from '../store/forward-queue.ts'
import type { StoredTarget } from '../store/forward-rules.ts'
import { retryPause } from './attempt.ts'

/** After this many refusals in a row the target counts as offline. */
const illAfter = 5
/**
 * The guard checks a refused target again after this time, because its name may resolve to another
 * address by then.
 */
const barredMs = 60_000
/** A target that responds with refusals is probed more often than an unreachable target. */
const maxIllMs = 30_000
const keptDurations = 51

export type Sent = {
  readonly result: DeliveryResult
  /** The time by the system's clock, in milliseconds. */
  readonly sentAt: number
  readonly isProbe: boolean
}

/**
 * Tracks whether a target is offline and when it is probed. Times are milliseconds of the system's clock.
 * @param random a number from 0 to 1
 */
export function createTargetHealth(
  stored: Pick<StoredTarget, 'downSince' | 'lastProblem'>,
  wallNow: () => number,
  random: () => number,
) {
  const durations: number[] = []
  let isDown = stored.downSince !== null
  let lastProblem = stored.lastProblem
  let refusals = 0
  let probes = 0
  let probeAt = 0
  let isBarred = false
  let isReachable = true
  let respondedAt = -Infinity

  function noteNoFailure(isDelivered: boolean): void {
    if (isDelivered) refusals = 0
    else if (refusals >= illAfter) return
    isReachable = true
    isDown = false
  }

  function noteFailure({ result, isProbe }: Sent, isTargetDown: boolean): void {
    // If an unreachable target refuses a probe, counting starts again, because it may refuse only
    // this delivery.
    refusals = !isTargetDown && !isReachable && isProbe ? 1 : refusals + 1
    if (isTargetDown) isReachable = false
    else if (isProbe) isReachable = true
    if (!isTargetDown && refusals < illAfter) {
      isDown = false
      return
    }
    // This request began before the target was known to be offline.
    if (isDown && !isProbe) return
    probes = isDown ? probes + 1 : 1
    isDown = true
    const maxMs = isReachable ? maxIllMs : maxWaitMs
    probeAt = wallNow() + Math.max(retryPause(probes, random(), maxMs), result.retryAfterMs)
  }

  function probeSoon(): void {
    probeAt = 0
  }

  return {
    isDown: () => isDown,
    isBarred: () => isBarred,
    lastProblem: () => lastProblem,
    probeAt: () => (isDown ? probeAt : 0),
    // A probe planned further ahead than the maximum was planned before the clock was set back.
    mustWait: () => isDown && probeAt > wallNow() && probeAt <= wallNow() + maxWaitMs,
    medianUs: () => medianOf(durations),
    probeSoon,
    /**
     * A request that the guard refused does not count as an attempt.
     * @returns whether the state has changed
     */
    bar(problem: string | null): boolean {
      const isNews = !isBarred || lastProblem !== problem
      isBarred = true
      isDown = true
      lastProblem = problem
      probeAt = wallNow() + barredMs
      return isNews
    },
    /** @returns whether the target itself fails */
    record(sent: Sent): boolean {
      const { outcome, cause, hasResponded, problem, detail } = sent.result
      isBarred = false
      lastProblem = problem
      // If the target responded to other requests meanwhile, only this delivery was slow.
      const isSlow = cause === 'timeout' && respondedAt > sent.sentAt
      const isTargetDown = outcome === 'down' && !isSlow
      if (hasResponded) respondedAt = wallNow()
      if (outcome === 'delivered' || outcome === 'refused') noteNoFailure(outcome === 'delivered')
      else noteFailure(sent, isTargetDown)
      if (outcome === 'delivered') {
        durations.push(detail.durationUs)
        if (durations.length > keptDurations) durations.shift()
      }
      return isTargetDown
    },
  }
}

function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}
