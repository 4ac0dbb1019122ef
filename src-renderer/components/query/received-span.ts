import { boundsOf, day, hour, minute } from '../charts/plan.ts'
import { formatDay, formatMinute, formatSecond, fromMs } from '../../ui/format.ts'

/** A time span in microseconds; `to` is exclusive. */
export type TimeSpan = { readonly from: number; readonly to: number }

export type SpanChoice = (typeof ranges)[number]['name'] | 'all'

/** Few enough bars that they can be seen beside an open capture. */
export const ranges = [
  { name: '15m', label: '15 min', step: minute / 3, buckets: 45 },
  { name: '1h', label: '1 h', step: minute, buckets: 60 },
  { name: '24h', label: '24 h', step: 30 * minute, buckets: 48 },
  { name: '7d', label: '7 d', step: 3 * hour, buckets: 56 },
] as const

export const spanChoices: readonly { readonly value: SpanChoice; readonly label: string }[] = [
  ...ranges.map(({ name, label }) => ({ value: name, label })),
  { value: 'all', label: 'All' },
]

/** The number of bars for a span that is not a whole number of minutes or hours. */
export const defaultBuckets = 60
const minSpan = defaultBuckets * 1000

/**
 * The present span of a choice, in whole steps of local time, so that bars keep their position.
 * @param oldest the time of the oldest capture; null if there are none
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
  const step = Math.max(minute, Math.ceil((now - from) / (defaultBuckets - 1) / minute) * minute)
  const start = Math.floor(from / step) * step
  const buckets = Math.floor((now - start) / step) + 1
  return { from: start, to: start + buckets * step, buckets }
}

/** A time in the query means its whole minute, second or millisecond. */
const precisions = [
  { length: minute, end: 16 },
  { length: 1e6, end: 19 },
  { length: 1000, end: 23 },
] as const
const finest = precisions[2]

/** Formats the value of `received:` in UTC, so that a link means the same everywhere. */
export function formatReceivedSpan({ from, to }: TimeSpan): string {
  const { length, end } =
    precisions.find((each) => from % each.length === 0 && to % each.length === 0) ?? finest
  const print = (us: number) => `${new Date(us / 1000).toISOString().slice(0, end)}Z`
  // A range in a query includes both ends.
  return `${print(from)}..${print(to - length)}`
}

const moment = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{3})?)?Z`
const text = new RegExp(`^(${moment})\\.\\.(${moment})$`)

/** Parses the result of `formatReceivedSpan`; null for other text. */
export function readSpan(value: string): TimeSpan | null {
  const [, first = '', last = ''] = text.exec(value) ?? []
  const { length } = precisions.find(({ end }) => end === last.length - 1) ?? finest
  const from = Date.parse(first) * 1000
  const to = Date.parse(last) * 1000 + length
  return Number.isSafeInteger(from) && to > from ? { from, to } : null
}

/** Formats a span in local time: `21 Nov 22:15 – 22:30`. */
export function formatSpan({ from, to }: TimeSpan): string {
  const now = fromMs(Date.now())
  const isShort = to - from < 10 * minute
  const time = isShort ? formatSecond : formatMinute
  const [first, last] = [formatDay(from, now), formatDay(to, now)]
  return `${first} ${time(from)} – ${last === first ? '' : `${last} `}${time(to)}`
}

/** Doubles a span around its middle, but not beyond now. */
export function widenSpan({ from, to }: TimeSpan, now: number): TimeSpan {
  const half = Math.max(minSpan, to - from) / 2
  const end = Math.min(to + half, Math.max(now, to))
  return { from: wholeMs(Math.max(0, end - 4 * half)), to: wholeMs(end) }
}

/** Returns the span from the start of the earlier bar to the end of the later one. */
export function spanBetween(
  { from, to }: TimeSpan,
  buckets: number,
  one: number,
  other: number,
): TimeSpan {
  const at = (index: number) => wholeMs(from + ((to - from) * index) / buckets)
  return { from: at(Math.min(one, other)), to: at(Math.max(one, other) + 1) }
}

const wholeMs = (us: number): number => Math.round(us / 1000) * 1000
