import type { Range } from '../../charts/ranges.ts'
import { boundsOf, day, hour, minute } from '../../charts/ranges.ts'

/** A span of time in microseconds; `to` is not part of it. */
export type TimeSpan = { readonly from: number; readonly to: number }

export type SpanChoice = 'hour' | 'day' | 'week' | 'all'

const ranges: readonly Range<Exclude<SpanChoice, 'all'>>[] = [
  { name: 'hour', label: '1 h', step: minute, buckets: 60, tickStep: 15 * minute, unit: 'minute' },
  {
    name: 'day',
    label: '24 h',
    step: 15 * minute,
    buckets: 96,
    tickStep: 6 * hour,
    unit: 'quarter of an hour',
  },
  { name: 'week', label: '7 d', step: 2 * hour, buckets: 84, tickStep: day, unit: 'two hours' },
]

export const spanChoices: readonly { readonly value: SpanChoice; readonly label: string }[] = [
  ...ranges.map(({ name, label }) => ({ value: name, label })),
  { value: 'all', label: 'All' },
]

/** Bars where no whole minutes or hours divide the span. */
export const usualBuckets = 96
const leastSpan = usualBuckets * 1000

/**
 * What a choice shows now, on whole steps of local time so that bars do not creep.
 * @param oldest the first capture there is; null for none
 */
export function spanOf(
  choice: SpanChoice,
  now: number,
  offsetUs: number,
  oldest: number | null,
): TimeSpan & { readonly buckets: number } {
  const range = ranges.find(({ name }) => name === choice)
  if (range !== undefined) return { ...boundsOf(range, now, offsetUs), buckets: range.buckets }
  const from = Math.min(oldest ?? now - day, now - hour)
  // A little longer than until now: what arrives next is to fall into the last bar.
  const step = Math.max(minute, Math.ceil((now - from) / (usualBuckets - 1) / minute) * minute)
  const start = Math.floor(from / step) * step
  return { from: start, to: start + usualBuckets * step, buckets: usualBuckets }
}

/** As the value of `received:`, in UTC so that a link says the same everywhere. */
export function printSpan({ from, to }: TimeSpan): string {
  // Both ends of a range are part of it.
  return `${printMoment(from)}..${printMoment(to - 1000)}`
}

function printMoment(us: number): string {
  return new Date(Math.floor(us / 1000)).toISOString()
}

const moment = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
const printed = new RegExp(`^(${moment})\\.\\.(${moment})$`)

/** Reads what `printSpan` has written; null for anything else. */
export function readSpan(value: string): TimeSpan | null {
  const [, first = '', last = ''] = printed.exec(value) ?? []
  const from = Date.parse(first) * 1000
  const to = (Date.parse(last) + 1) * 1000
  return Number.isSafeInteger(from) && to > from ? { from, to } : null
}

/** Twice as long around the same middle, and never beyond now. */
export function widened({ from, to }: TimeSpan, now: number): TimeSpan {
  const half = Math.max(leastSpan, to - from) / 2
  const end = Math.min(to + half, Math.max(now, to))
  return { from: wholeMs(Math.max(0, end - 4 * half)), to: wholeMs(end) }
}

/** From the beginning of one bar to the end of another, whichever comes first. */
export function spanBetween(
  { from, to }: TimeSpan,
  buckets: number,
  one: number,
  other: number,
): TimeSpan {
  const at = (index: number) => wholeMs(from + ((to - from) * index) / buckets)
  return { from: at(Math.min(one, other)), to: at(Math.max(one, other) + 1) }
}

function wholeMs(us: number): number {
  return Math.round(us / 1000) * 1000
}
