import { formatDay, formatMinute, displayOffset } from '../../ui/format.ts'
import { day, hour, minute } from './plan.ts'

/** The axis below a chart. Times are the beginnings of its steps, in microseconds. */
export type TimeAxis = {
  readonly ticks: readonly number[]
  /** A label that is short enough for the axis. */
  readonly tick: (at: number) => string
  /** The whole step, for a tooltip or a table. */
  readonly step: (at: number) => string
  /** Length of a step; absent where steps cannot be joined. */
  readonly length?: number
  /** The axis of fewer or of longer steps. */
  readonly ofSteps?: (starts: readonly number[], step: number) => TimeAxis
}

/**
 * Places labels at round local times that are `between` apart. Steps may begin at odd times, or on
 * days of another zone, so a label is at the step that contains its time.
 */
export function timeAxis(
  starts: readonly number[],
  options: { step: number; between: number; now: number },
): TimeAxis {
  const { step, between, now } = options
  const first = starts[0] ?? 0
  const last = (starts.at(-1) ?? 0) + step
  const isOneDay = formatDay(first, now) === formatDay(last - 1, now)
  const roundIn = (at: number) => {
    const offset = displayOffset(at)
    return Math.ceil((at + offset) / between) * between - offset
  }
  const whole = (at: number) => `${formatDay(at, now)}, ${formatMinute(at)}`
  return {
    length: step,
    ofSteps: (left, length) =>
      timeAxis(left, { step: length, between: tickStepOf(length * left.length), now }),
    ticks: starts.filter((at) => roundIn(at) < at + step),
    tick: (at) => (between < day ? formatMinute(roundIn(at)) : formatDay(roundIn(at), now)),
    step: (at) => {
      const end = at + step
      if (step === day && (at + displayOffset(at)) % day === 0) return formatDay(at, now)
      if (isOneDay) return `${formatMinute(at)} to ${formatMinute(end)}`
      const isSameDay = formatDay(at, now) === formatDay(end - 1, now)
      return `${whole(at)} to ${isSameDay ? formatMinute(end) : whole(end)}`
    },
  }
}

/** Describes a whole step. @param running the beginning of the step that has not ended yet */
export function describeStep(
  axis: TimeAxis,
  startsAt: number,
  running: number | undefined,
): string {
  return `${axis.step(startsAt)}${startsAt === running ? ', so far' : ''}`
}

/** The maximum number of labels that fit next to each other. */
const mostTicks = 7
const tickSteps = [
  ...[1, 2, 5, 10, 15, 30].map((each) => each * minute),
  ...[1, 2, 3, 4, 6, 12].map((each) => each * hour),
  ...[1, 2, 5, 10, 30, 100].map((each) => each * day),
]

/** Returns the distance of the labels for a time span. */
export const tickStepOf = (span: number): number =>
  tickSteps.find((each) => span / each <= mostTicks) ?? Math.ceil(span / mostTicks)
