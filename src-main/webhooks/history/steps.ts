/** In what steps a span of history is told. Pure; minutes since the epoch. */
import type { Steps } from '../store/failure-history.ts'

export const minuteMs = 60_000
const hour = 60
const day = 24 * hour
/** Whole hours from an hour on, whole days from a day on: a bucket falls into one step whole. */
const widths = [
  1,
  2,
  5,
  10,
  30,
  hour,
  2 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  4 * day,
  8 * day,
]
/** Until when history is kept in minutes, and in hours: as `failure-fold` keeps it. */
const resolutions = [
  { until: 2 * day, width: 1 },
  { until: 30 * day, width: hour },
]

/**
 * Steps over a span of milliseconds, at most so many, and none shorter than what is recorded: neither
 * finer than was kept, nor than was read.
 */
export function stepsOf(
  span: { readonly from: number; readonly to: number },
  { most, now, everySeconds }: { most: number; now: number; everySeconds: number },
): Steps {
  const begin = Math.max(0, Math.floor(span.from / minuteMs))
  const end = Math.max(begin, Math.ceil(span.to / minuteMs))
  const age = Math.floor(now / minuteMs) - begin
  const kept = resolutions.find(({ until }) => age <= until)?.width ?? day
  const finest = Math.max(kept, Math.ceil(everySeconds / 60))
  const width = widths.find((each) => each >= finest && countOf(begin, end, each) <= most)
  if (width !== undefined) {
    const from = begin - (begin % width)
    return { from, width, count: countOf(begin, end, width) }
  }
  const from = begin - (begin % day)
  const wide = Math.ceil((end - from) / day / most) * day
  return { from, width: wide, count: Math.ceil((end - from) / wide) }
}

function countOf(begin: number, end: number, width: number): number {
  return Math.max(1, Math.ceil((end - begin + (begin % width)) / width))
}
