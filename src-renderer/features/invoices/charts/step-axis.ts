import { formatDay, formatMinute, fromMs } from '../../../ui/format.ts'
import type { TimeAxis } from '../../../components/charts/time-axis.ts'
import type { PeriodStep } from '../period.ts'

/** Milliseconds; `endsAt` is not included. */
type Step = { readonly startsAt: number; readonly endsAt: number }

/** Labels that fit beside each other. */
const mostTicks = 7
const strides: Record<PeriodStep, readonly number[]> = {
  hour: [1, 2, 3, 4, 6, 12, 24, 48, 72, 120],
  day: [1, 2, 5, 7, 10, 14, 30, 60],
  week: [1, 2, 4, 8, 13, 26, 52],
  month: [1, 2, 3, 6, 12, 24, 60],
}

const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric' })

/** The axis of hours, days, weeks or months in this computer's zone. */
export function stepAxis(steps: readonly Step[], kind: PeriodStep, now: number): TimeAxis {
  const ends = new Map(steps.map(({ startsAt, endsAt }) => [fromMs(startsAt), fromMs(endsAt)]))
  const stride =
    strides[kind].find((each) => steps.length / each <= mostTicks) ??
    Math.ceil(steps.length / mostTicks)
  return {
    ticks: [...ends.keys()].filter((_, index) => index % stride === 0),
    tick: (at) => {
      if (kind === 'month') return sayMonth(at)
      return kind === 'hour' && stride < 24 ? formatMinute(at) : formatDay(at, now)
    },
    step: (at) => {
      const end = ends.get(at) ?? at + 1
      if (kind === 'hour') {
        return `${formatDay(at, now)}, ${formatMinute(at)} to ${formatMinute(end)}`
      }
      if (kind === 'month') return sayMonth(at)
      const [first, last] = [formatDay(at, now), formatDay(end - 1, now)]
      return first === last ? first : `${first} to ${last}`
    },
  }
}

function sayMonth(at: number): string {
  return month.format(new Date(at / 1000))
}

const day = 86_400_000
const lengths: Record<PeriodStep, number> = {
  hour: day / 24,
  day,
  week: 7 * day,
  month: 30.4 * day,
}

/** Steps that divide a span into more than one bar and at most a few hundred. */
export function stepsFor(from: number, to: number): PeriodStep[] {
  return (['hour', 'day', 'week', 'month'] as const).filter((kind) => {
    const count = (to - from) / lengths[kind]
    return count > 1.5 && count <= 370
  })
}
