/** How long payment took, as a distribution and as a median. Pure. */
import type { Output } from '../../../src-preload/contract/routes.ts'
import type { PaymentTime } from '../store/tallies-asked.ts'

type Bucket = Output<'invoiceStats.timeToPayment'>['buckets'][number]

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Where the bars begin, in seconds: each is where a bucket of the store begins, so none is shared. */
const barStarts = [
  0,
  10,
  30,
  minute,
  2 * minute,
  5 * minute,
  10 * minute,
  20 * minute,
  30 * minute,
  hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
  3 * day,
  7 * day,
] as const

export function distribute(times: readonly PaymentTime[]): Bucket[] {
  const bars = barStarts.map((fromSeconds, index): Bucket => ({
    fromSeconds,
    toSeconds: barStarts[index + 1] ?? null,
    count: { TON: 0, USDT: 0 },
  }))
  for (const { currency, seconds, count } of times) {
    const bar = bars.findLast(({ fromSeconds }) => fromSeconds <= seconds)
    if (bar !== undefined) bar.count[currency] += count
  }
  return bars
}

/** Seconds, to within a bucket (0.8 %); of an even number the lower of the two in the middle. */
export function medianOf(times: readonly PaymentTime[]): number | null {
  const total = times.reduce((sum, { count }) => sum + count, 0)
  let left = Math.ceil(total / 2)
  for (const { seconds, count } of times.toSorted((a, b) => a.seconds - b.seconds)) {
    left -= count
    if (left <= 0) return seconds
  }
  return null
}
