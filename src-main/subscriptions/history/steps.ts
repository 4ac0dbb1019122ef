/** In what steps a span of history is told. Pure; minutes since the epoch. */
import type { Steps } from '../../store/subscriptions/failure-history.ts'

const minuteMs = 60_000
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
  { from, to }: { readonly from: number; readonly to: number },
  { most, now, everySeconds }: { most: number; now: number; everySeconds: number },
): Steps {
  const begin = Math.floor(Math.min(from, to) / minuteMs)
  const end = Math.ceil(Math.max(from, to) / minuteMs)
  const age = Math.floor(now / minuteMs) - begin
  const kept = resolutions.find(({ until }) => age <= until)?.width ?? day
  const finest = Math.max(kept, Math.ceil(everySeconds / 60))
  const width = widths.find((each) => each >= finest && countOf(begin, end, each) <= most)
  const wide = width ?? Math.ceil((end - begin) / day / Math.max(1, most - 1)) * day
  const first = Math.floor(begin / wide) * wide
  return { from: first, width: wide, count: Math.max(1, Math.ceil((end - first) / wide)) }
}

function countOf(begin: number, end: number, width: number): number {
  return Math.ceil((end - Math.floor(begin / width) * width) / width)
}
