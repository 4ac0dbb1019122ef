import { formatDay, formatMinute } from '../../format.ts'

const minute = 60e6
const hour = 60 * minute
const day = 24 * hour

export type RangeName = '1h' | '24h' | '7d' | '30d'

export type Range = {
  readonly name: RangeName
  readonly label: string
  /** Width of one bar, in microseconds. */
  readonly step: number
  readonly buckets: number
  /** Between two labels of the axis; whole steps. */
  readonly tickStep: number
  /** What one bar stands for: the chart's unit. */
  readonly unit: string
}

export const ranges: readonly Range[] = [
  {
    name: '1h',
    label: '1 h',
    step: minute,
    buckets: 60,
    tickStep: 10 * minute,
    unit: 'per minute',
  },
  {
    name: '24h',
    label: '24 h',
    step: hour / 4,
    buckets: 96,
    tickStep: 3 * hour,
    unit: 'per quarter hour',
  },
  { name: '7d', label: '7 d', step: 2 * hour, buckets: 84, tickStep: day, unit: 'per two hours' },
  { name: '30d', label: '30 d', step: day, buckets: 30, tickStep: 5 * day, unit: 'per day' },
]

export function findRange(name: RangeName): Range {
  const range = ranges.find((each) => each.name === name)
  if (range === undefined) throw new Error(`no range ${name}`)
  return range
}

/**
 * From and to of a range that ends now, on whole steps of local time, so that a bar is a whole
 * minute or a whole day here. `offsetUs` is how far local time is ahead of UTC.
 */
export function boundsOf(
  range: Range,
  now: number,
  offsetUs: number,
): { from: number; to: number } {
  const to = Math.floor((now + offsetUs) / range.step) * range.step - offsetUs + range.step
  return { from: to - range.step * range.buckets, to }
}

/** The bars that carry a label: those on round local times. */
export function ticksOf(range: Range, starts: readonly number[], offsetUs: number): number[] {
  return starts.filter((at) => (at + offsetUs) % range.tickStep === 0)
}

/** The beginning of a bar, short enough for an axis. */
export function labelTick(range: Range, startsAt: number, now: number): string {
  return range.step < 2 * hour ? formatMinute(startsAt) : formatDay(startsAt, now)
}

/** The whole span of a bar, for a tooltip or a table. */
export function labelBar(range: Range, startsAt: number, now: number): string {
  const date = formatDay(startsAt, now)
  if (range.step === day) return date
  return `${date}, ${formatMinute(startsAt)} to ${formatMinute(startsAt + range.step)}`
}
