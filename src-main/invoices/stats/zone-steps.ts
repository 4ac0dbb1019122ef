/** Where hours, days, weeks and months of a time zone begin. Pure. */
import type { Output } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { invoiceStatsCodes } from '../../../src-preload/domain/error-codes.ts'
import { type ZoneTimes, createZoneTimes } from '../../exports/zone-times.ts'

export type Step = 'hour' | 'day' | 'week' | 'month'
type Series = Output<'invoiceStats.series'>
type StepBounds = Pick<Series['steps'][number], 'startsAt' | 'endsAt'>

/** As many as a chart can show. */
export const maxSteps = 400

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * The steps of a span, none of them empty. The first and the last are cut where the span begins and
 * ends, so that all of them add up to it.
 * @param zone IANA name
 * @throws AppError INVOICE_ZONE_UNKNOWN, INVOICE_TOO_MANY_STEPS
 */
export function stepsOf(
  { from, to }: { readonly from: number; readonly to: number },
  step: Step,
  zone: string,
): StepBounds[] {
  const times = timesOf(zone)
  const steps: StepBounds[] = []
  if (from >= to) return steps
  let date = firstDate(dateAt(from, times), step)
  // A day may begin twice, or after the date has changed for a while: the one before is looked at too.
  if (startOf(date, times) > from) date = next(date, step, -1)
  for (;;) {
    const start = startOf(date, times)
    date = next(date, step, 1)
    const end = startOf(date, times)
    for (const each of step === 'hour' ? hoursOf(start, end) : [{ startsAt: start, endsAt: end }]) {
      const startsAt = Math.max(from, each.startsAt)
      const endsAt = Math.min(to, each.endsAt)
      if (startsAt < endsAt) steps.push({ startsAt, endsAt })
      if (steps.length > maxSteps) throw tooMany(step)
    }
    if (end >= to) return steps
  }
}

function timesOf(zone: string): ZoneTimes {
  try {
    return createZoneTimes(zone)
  } catch (cause) {
    throw new AppError(
      invoiceStatsCodes.zoneUnknown,
      `"${zone}" is no time zone. Give a name such as Europe/Berlin, or UTC.`,
      { cause },
    )
  }
}

/** A date stands for the midnight it would begin with in UTC. */
function dateAt(ms: number, times: ZoneTimes): number {
  const local = ms + times.offsetAt(ms)
  return local - modulo(local, dayMs)
}

function firstDate(date: number, step: Step): number {
  if (step === 'week') return date - modulo(new Date(date).getUTCDay() - 1, 7) * dayMs
  return step === 'month' ? new Date(date).setUTCDate(1) : date
}

function next(date: number, step: Step, by: 1 | -1): number {
  if (step === 'month') return new Date(date).setUTCMonth(new Date(date).getUTCMonth() + by)
  return date + by * (step === 'week' ? 7 : 1) * dayMs
}

/** The first moment of a date: where midnight is left out, the one that follows. */
function startOf(date: number, times: ZoneTimes): number {
  const before = times.offsetAt(date - dayMs)
  const after = times.offsetAt(date + dayMs)
  const fits = [before, after]
    .map((offset) => date - offset)
    .filter((at) => at + times.offsetAt(at) === date)
  if (fits.length > 0) return Math.min(...fits)
  // The clocks jump over it: where, is looked for between what either offset makes of it.
  let low = date - Math.max(before, after)
  let high = date - Math.min(before, after)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (middle + times.offsetAt(middle) >= date) high = middle
    else low = middle + 1
  }
  return low
}

/** Hours as they pass: a day on which the clocks are turned has one more, or one less. */
function hoursOf(start: number, end: number): StepBounds[] {
  return Array.from({ length: Math.ceil((end - start) / hourMs) }, (_, hour) => ({
    startsAt: start + hour * hourMs,
    endsAt: Math.min(end, start + (hour + 1) * hourMs),
  }))
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}

function tooMany(step: Step): AppError {
  const wider = { hour: 'days', day: 'weeks', week: 'months', month: 'a shorter period' }[step]
  return new AppError(
    invoiceStatsCodes.tooManySteps,
    `These are more than ${maxSteps} ${step}s. Choose ${wider}.`,
  )
}
