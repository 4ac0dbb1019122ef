import { create } from 'zustand'
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import { invoiceCurrencies } from '../../../src-preload/domain/invoice-values.ts'
import { createStored } from '../../app/stored.ts'
import { formatDay, fromMs } from '../../ui/format.ts'

type PeriodPreset = (typeof periodPresets)[number]['value']

export const periodSteps = ['hour', 'day', 'week', 'month'] as const
export type PeriodStep = (typeof periodSteps)[number]

type Span = { readonly from: number; readonly to: number }

/** The period of figures and charts: whole days in this computer's zone, in milliseconds; `to` is exclusive. */
export type Period = Span & {
  readonly preset: PeriodPreset | 'custom'
  /** The length of one bar of a chart. */
  readonly step: PeriodStep
  /** The IANA name of the zone. */
  readonly zone: string
  /** The chosen currencies; an empty list means all of them. */
  readonly currencies: readonly InvoiceCurrency[]
}

type Choice = Pick<Period, 'currencies'> & {
  /** The chosen period; null until the user chooses one. */
  readonly preset: Period['preset'] | null
  /** The days of a custom period. */
  readonly days: Span | null
}

const lastDays = (count: number) => (now: Date) => ({
  from: localMidnight(now, 1 - count),
  to: localMidnight(now, 1),
})

/** Returns the beginning of the month that is `offset` months after the current one. */
const monthStart = (now: Date, offset: number) =>
  new Date(now.getFullYear(), now.getMonth() + offset, 1).getTime()

export const periodPresets = [
  { value: 'today', label: 'today', spanAt: lastDays(1) },
  { value: '7-days', label: 'last 7 days', spanAt: lastDays(7) },
  { value: '30-days', label: 'last 30 days', spanAt: lastDays(30) },
  { value: '90-days', label: 'last 90 days', spanAt: lastDays(90) },
  {
    value: 'this-month',
    label: 'this month',
    spanAt: (now: Date) => ({ from: monthStart(now, 0), to: localMidnight(now, 1) }),
  },
  {
    value: 'previous-month',
    label: 'previous month',
    spanAt: (now: Date) => ({ from: monthStart(now, -1), to: monthStart(now, 0) }),
  },
  {
    value: 'this-year',
    label: 'this year',
    spanAt: (now: Date) => ({ from: monthStart(now, -now.getMonth()), to: localMidnight(now, 1) }),
  },
] as const

const day = 86_400_000

/** The difference from the gateway's clock, by which invoices are dated. */
const clock = { offset: 0 }
const today = () => new Date(Date.now() + clock.offset)

const { use: useChoice, change } = createStored<Choice>('tondesk.invoices-period', (stored) => {
  const { preset, days, currencies } = stored
  const isKnown =
    preset === 'custom'
      ? typeof days?.from === 'number' && days.from < days.to
      : periodPresets.some(({ value }) => value === preset)
  return {
    preset: isKnown ? (preset ?? null) : null,
    days: days ?? null,
    currencies: invoiceCurrencies.filter((each) => isKnown && currencies?.includes(each)),
  }
})

export const usePeriod = create<Period>(() => periodOf(useChoice.getState(), new Date()))

useChoice.subscribe((choice) => usePeriod.setState(periodOf(choice, today()), true))

export const choosePeriod = (preset: PeriodPreset): void => change({ preset, days: null })

/** Whether the period is the window's own choice, so that charts may leave out its empty beginning. */
export const useFitsPeriod = () => useChoice(({ preset }) => preset === null)

/** Chooses the smallest period that contains everything since `oldest`, until the user chooses one. */
export function fitPeriod(oldest: number): void {
  const choice = useChoice.getState()
  if (choice.preset !== null) return
  const fits = ({ spanAt }: (typeof periodPresets)[number]) => spanAt(today()).from <= oldest
  const preset = periodPresets.slice(0, 2).find(fits)?.value ?? '30-days'
  usePeriod.setState(periodOf({ ...choice, preset }, today()), true)
}

/** Chooses the days from `first` to `last`, which are given as moments within them, in milliseconds. */
export function chooseDays(first: number, last: number): void {
  const [from, to] = [Math.min(first, last), Math.max(first, last)]
  change({
    preset: 'custom',
    days: { from: localMidnight(new Date(from)), to: localMidnight(new Date(to), 1) },
  })
}

export function choosePeriodCurrencies(currencies: readonly InvoiceCurrency[]): void {
  change({ preset: usePeriod.getState().preset, currencies })
}

/**
 * Computes the period again, because presets such as “last 7 days” depend on the current day and on the clock.
 * @param offset the milliseconds to add to this computer's clock
 */
export function renewPeriod(offset: number): void {
  clock.offset = offset
  const { preset, from, to, currencies } = usePeriod.getState()
  const next = periodOf({ preset, currencies, days: { from, to } }, today())
  if (next.from !== from || next.to !== to) usePeriod.setState(next, true)
}

/** Formats a period: `last 30 days`, `1 Nov to 14 Nov`. */
export function formatPeriod({ preset, from, to }: Period, now: number): string {
  const known = periodPresets.find(({ value }) => value === preset)
  if (known !== undefined) return known.label
  const first = formatDay(fromMs(from), fromMs(now))
  const last = formatDay(fromMs(to - 1), fromMs(now))
  return first === last ? first : `${first} to ${last}`
}

/**
 * Returns the chosen period, or the last 30 days if the user has chosen none or a custom period has
 * no days.
 */
export function periodOf({ preset, days, currencies }: Choice, now: Date): Period {
  const known = periodPresets.find(({ value }) => value === preset) ?? periodPresets[2]
  const isCustom = preset === 'custom' && days !== null
  const { from, to } = isCustom ? days : known.spanAt(now)
  return {
    preset: isCustom ? preset : known.value,
    from,
    to,
    step: stepOf(from, to),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    currencies,
  }
}

function stepOf(from: number, to: number): PeriodStep {
  const days = (to - from) / day
  if (days <= 1.1) return 'hour'
  if (days <= 37) return 'day'
  return days <= 37 * 7 ? 'week' : 'month'
}

/** Returns the local midnight of the day that is `days` after the day of `at`. */
export function localMidnight(at: Date, days = 0): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime()
}
