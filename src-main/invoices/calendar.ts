/** Calculates days, weeks and months of a time zone. */
import type { ZoneTimes } from '../exports/zone-times.ts'

export type Step = 'hour' | 'day' | 'week' | 'month'

export const dayMs = 86_400_000

/** The date in the zone at a moment, as midnight in UTC. All dates in this file have this form. */
export function dateAt(ms: number, times: ZoneTimes): number {
  const local = ms + times.offsetAt(ms)
  return local - modulo(local, dayMs)
}

/** The date on which the step of a date begins. Weeks begin on Monday. */
export function firstDate(date: number, step: Step): number {
  if (step === 'week') return date - modulo(new Date(date).getUTCDay() - 1, 7) * dayMs
  return step === 'month' ? new Date(date).setUTCDate(1) : date
}

export function nextDate(date: number, step: Step, by: 1 | -1): number {
  if (step === 'month') return new Date(date).setUTCMonth(new Date(date).getUTCMonth() + by)
  return date + by * (step === 'week' ? 7 : 1) * dayMs
}

/** The first moment of a date; if the zone skips midnight, the moment after the gap. */
export function startOf(date: number, times: ZoneTimes): number {
  const before = times.offsetAt(date - dayMs)
  const after = times.offsetAt(date + dayMs)
  const fits = [before, after]
    .map((offset) => date - offset)
    .filter((at) => at + times.offsetAt(at) === date)
  if (fits.length > 0) return Math.min(...fits)
  // If the clocks skip midnight, the gap lies between the results of both offsets.
  let low = date - Math.max(before, after)
  let high = date - Math.min(before, after)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (middle + times.offsetAt(middle) >= date) high = middle
    else low = middle + 1
  }
  return low
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by
