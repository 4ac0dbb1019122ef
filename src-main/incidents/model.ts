/** Pure rules that decide when an incident opens, grows and closes: docs/decisions/0023-incidents.md */
import type { Condition, Incident } from '../../src-preload/contract/incident.ts'

/**
 * A webhook, target or tunnel that fails or failed a short time ago. Durations do not depend on the
 * system's clock.
 */
export type Tracked = {
  readonly isOpen: boolean
  /** True if it works at present; the recovery is not certain yet. */
  readonly isWell: boolean
  /** True if it failed, worked and failed again. */
  readonly isFlapping: boolean
  /** How many milliseconds `isWell` has had its value. */
  readonly lastedMs: number
  readonly failures: number
  /** The condition in the last report. */
  readonly condition: Condition
  readonly worst: Condition
}

export type Observation = {
  /** The problem; null if there is none. */
  readonly condition: Condition | null
  /** Failures since the last observation. */
  readonly failures?: number
  /** The number of failures since the last success, if the reporter counts them. */
  readonly failuresInARow?: number
}

/** An incident opens after this many failures, or when a problem has lasted this many milliseconds. */
export type Limits = { readonly failures: number; readonly ms: number }

/** `dropped`: a suspected problem did not become an incident. */
export type Happened = 'opened' | 'grown' | 'closed' | 'dropped' | null
type Step = { readonly tracked: Tracked; readonly happened: Happened }

/** A recovery counts after this time. */
const recoveryMs = 60_000
/** After another failure a recovery must last longer, so that flapping is one incident. */
const flappingRecoveryMs = 5 * 60_000

type KindRules = {
  /** A worse kind includes the lesser ones. */
  readonly rank: number
  /** A certain state does not end without an action, so its first report opens an incident. */
  readonly isCertain: boolean
}
const rules: Readonly<Record<Incident['kind'], KindRules>> = {
  lagging: { rank: 1, isCertain: false },
  failing: { rank: 2, isCertain: false },
  offline: { rank: 3, isCertain: true },
  suspended: { rank: 4, isCertain: true },
  unwritable: { rank: 1, isCertain: true },
  stopped: { rank: 2, isCertain: true },
  low: { rank: 1, isCertain: true },
  matched: { rank: 1, isCertain: true },
}

const isWorse = (one: Condition, other: Condition) => rules[one.kind].rank > rules[other.kind].rank

const isDue = ({ lastedMs, failures, condition }: Tracked, limits: Limits) =>
  rules[condition.kind].isCertain || failures >= limits.failures || lastedMs >= limits.ms

/** @returns null while everything works and nothing was tracked */
export function observeCondition(
  before: Tracked | null,
  { condition, failures = 0, failuresInARow = 0 }: Observation,
  limits: Limits,
): Step | null {
  if (condition === null) {
    if (before === null) return null
    return settle(before.isWell ? before : { ...before, isWell: true, lastedMs: 0 }, limits)
  }
  const isBack = before?.isWell === true
  const isLess = before !== null && isWorse(before.worst, condition)
  const tracked: Tracked = {
    isOpen: before?.isOpen ?? false,
    isWell: false,
    isFlapping: isBack || (before?.isFlapping ?? false),
    lastedMs: before === null || isBack ? 0 : before.lastedMs,
    failures: Math.max((before?.failures ?? 0) + failures, failuresInARow),
    condition,
    worst: isLess ? before.worst : condition,
  }
  if (!tracked.isOpen) return settle(tracked, limits)
  const hasGrown = before !== null && isWorse(condition, before.worst)
  return { tracked, happened: hasGrown ? 'grown' : null }
}

/** Advances the time when nothing is reported. */
export const afterWait = (before: Tracked, ms: number, limits: Limits): Step =>
  settle({ ...before, lastedMs: before.lastedMs + ms }, limits)

function settle(tracked: Tracked, limits: Limits): Step {
  const { isOpen, isWell, isFlapping, lastedMs, condition } = tracked
  if (!isWell) {
    if (isOpen || !isDue(tracked, limits)) return { tracked, happened: null }
    // A worse state before the incident opened was never reported.
    return { tracked: { ...tracked, isOpen: true, worst: condition }, happened: 'opened' }
  }
  // A stopped receiver itself reports when it listens again.
  const isOver = condition.kind === 'stopped'
  const neededMs = isOver ? 0 : isOpen && !isFlapping ? recoveryMs : flappingRecoveryMs
  if (lastedMs < neededMs) return { tracked, happened: null }
  return { tracked, happened: isOpen ? 'closed' : 'dropped' }
}
