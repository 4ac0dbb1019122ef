import { formatDay, formatMinute } from '../../format.ts'
import type { Range } from './ranges.ts'
import { day, hour, labelBar, labelTick, localOffset, minute, ticksOf } from './ranges.ts'

/** What stands below a chart over time. Moments are beginnings of its steps, in microseconds. */
export type TimeAxis = {
  readonly ticks: readonly number[]
  /** Short enough to stand below. */
  readonly tick: (at: number) => string
  /** The whole step, for a tooltip or a table. */
  readonly step: (at: number) => string
}

export function rangeAxis(range: Range, starts: readonly number[], now: number): TimeAxis {
  return {
    ticks: ticksOf(range, starts, localOffset(now)),
    tick: (at) => labelTick(range, at, now),
    step: (at) => labelBar(range, at, now),
  }
}

/** Labels that fit beside one another. */
const mostTicks = 7
const tickSteps = [
  ...[1, 2, 5, 10, 15, 30].map((each) => each * minute),
  ...[1, 2, 3, 4, 6, 12].map((each) => each * hour),
  ...[1, 2, 5, 10, 30, 100].map((each) => each * day),
]

/** Of any span, whose steps may begin at odd times: a label stands at the step that holds its time. */
export function spanAxis(starts: readonly number[], step: number, now: number): TimeAxis {
  const first = starts[0] ?? 0
  const last = (starts.at(-1) ?? 0) + step
  const between = tickSteps.find((each) => (last - first) / each <= mostTicks) ?? last - first
  const offset = localOffset(now)
  const roundIn = (at: number) => Math.ceil((at + offset) / between) * between - offset
  const isOneDay = formatDay(first, now) === formatDay(last - 1, now)
  return {
    ticks: starts.filter((at) => roundIn(at) < at + step),
    tick: (at) => (between < day ? formatMinute(roundIn(at)) : formatDay(roundIn(at), now)),
    step: (at) => {
      const times = `${formatMinute(at)} to ${formatMinute(at + step)}`
      return isOneDay ? times : `${formatDay(at, now)}, ${times}`
    },
  }
}
