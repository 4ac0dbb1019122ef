import { formatDay, formatMinute } from '../../format.ts'
import type { Range } from './ranges.ts'
import { day, labelBar, labelTick, localOffset, ticksOf } from './ranges.ts'

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

/** Of any span: its steps may begin at odd times. */
export function spanAxis(starts: readonly number[], step: number, now: number): TimeAxis {
  const first = starts[0] ?? 0
  const last = (starts.at(-1) ?? 0) + step
  const isLong = last - first > 2 * day
  const every = Math.max(1, Math.ceil(starts.length / mostTicks))
  const isOneDay = formatDay(first, now) === formatDay(last, now)
  return {
    ticks: starts.filter((_, index) => index % every === 0),
    tick: (at) => (isLong ? formatDay(at, now) : formatMinute(at)),
    step: (at) => {
      const times = `${formatMinute(at)} to ${formatMinute(at + step)}`
      return isOneDay ? times : `${formatDay(at, now)}, ${times}`
    },
  }
}
