import { create } from 'zustand'
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import { formatDay, fromMs } from '../../ui/format.ts'

export type PeriodPreset =
  | 'today'
  | '7-days'
  | '30-days'
  | '90-days'
  | 'this-month'
  | 'previous-month'
  | 'this-year'
  | 'custom'

export type PeriodStep = 'hour' | 'day' | 'week' | 'month'

/** The period of figures and charts: whole days of this computer's zone; `to` is not included. */
export type Period = {
  readonly preset: PeriodPreset
  /** Milliseconds. */
  readonly from: number
  readonly to: number
  /** One bar of a chart. */
  readonly step: PeriodStep
  /** IANA name. */
  readonly zone: string
  /** Empty: any. */
  readonly currencies: readonly InvoiceCurrency[]
}

type Kept = Pick<Period, 'preset' | 'currencies'> & {
  /** Of a custom one. */
  readonly days: { readonly from: number; readonly to: number } | null
}

export const periodPresets: readonly (readonly [Exclude<PeriodPreset, 'custom'>, string])[] = [
  ['today', 'today'],
  ['7-days', 'last 7 days'],
  ['30-days', 'last 30 days'],
  ['90-days', 'last 90 days'],
  ['this-month', 'this month'],
  ['previous-month', 'previous month'],
  ['this-year', 'this year'],
]

const storageKey = 'tondesk.invoices-period'
const day = 86_400_000

/** The gateway's clock, by which invoices are dated. */
const clock = { offset: 0 }
const today = () => new Date(Date.now() + clock.offset)

export const usePeriod = create<Period>(() => periodOf(readKept(), new Date()))

export function choosePeriod(preset: Exclude<PeriodPreset, 'custom'>): void {
  keep({ preset, days: null, currencies: usePeriod.getState().currencies })
}

/** Until the user chooses one: the smallest of these that holds everything since `oldest`. */
export function fitPeriod(oldest: number): void {
  if (window.localStorage.getItem(storageKey) !== null) return
  const presets = ['today', '7-days', '30-days'] as const
  const preset = presets.find((each) => boundsOf(each, today()).from <= oldest) ?? '30-days'
  usePeriod.setState(periodOf({ preset, days: null, currencies: [] }, today()), true)
}

/** From the first day to the last; moments within them, in milliseconds. */
export function chooseDays(first: number, last: number): void {
  const days = { from: midnight(new Date(Math.min(first, last))), to: Math.max(first, last) }
  const to = midnight(new Date(days.to), 1)
  keep({
    preset: 'custom',
    days: { from: days.from, to },
    currencies: usePeriod.getState().currencies,
  })
}

export function choosePeriodCurrencies(currencies: readonly InvoiceCurrency[]): void {
  const { preset, from, to } = usePeriod.getState()
  keep({ preset, days: preset === 'custom' ? { from, to } : null, currencies })
}

/**
 * Presets such as “last 7 days” count from today: on a new day, or by another clock, they are another span.
 * @param offset to be added to this computer's clock, in milliseconds
 */
export function renewPeriod(offset: number): void {
  clock.offset = offset
  const { preset, from, to, currencies } = usePeriod.getState()
  const next = periodOf({ preset, currencies, days: { from, to } }, today())
  if (next.from !== from || next.to !== to) usePeriod.setState(next, true)
}

/** `last 30 days`, `1 Nov to 14 Nov`. */
export function printPeriod({ preset, from, to }: Period, now: number): string {
  const known = periodPresets.find(([each]) => each === preset)
  if (known !== undefined) return known[1]
  const first = formatDay(fromMs(from), fromMs(now))
  const last = formatDay(fromMs(to - 1), fromMs(now))
  return first === last ? first : `${first} to ${last}`
}

/** Pure but for the zone, for tests. */
export function periodOf({ preset, days, currencies }: Kept, now: Date): Period {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const { from, to } = preset === 'custom' && days !== null ? days : boundsOf(preset, now)
  return {
    preset: preset === 'custom' && days === null ? '30-days' : preset,
    from,
    to,
    step: stepOf(from, to),
    zone,
    currencies,
  }
}

function boundsOf(preset: PeriodPreset, now: Date): { from: number; to: number } {
  const tomorrow = midnight(now, 1)
  const month = (offset: number) =>
    new Date(now.getFullYear(), now.getMonth() + offset, 1).getTime()
  switch (preset) {
    case 'today':
      return { from: midnight(now), to: tomorrow }
    case '7-days':
      return { from: midnight(now, -6), to: tomorrow }
    case '30-days':
    case 'custom':
      return { from: midnight(now, -29), to: tomorrow }
    case '90-days':
      return { from: midnight(now, -89), to: tomorrow }
    case 'this-month':
      return { from: month(0), to: tomorrow }
    case 'previous-month':
      return { from: month(-1), to: month(0) }
    case 'this-year':
      return { from: new Date(now.getFullYear(), 0, 1).getTime(), to: tomorrow }
  }
}

function stepOf(from: number, to: number): PeriodStep {
  const days = (to - from) / day
  if (days <= 2) return 'hour'
  if (days <= 125) return 'day'
  return days <= 740 ? 'week' : 'month'
}

function midnight(at: Date, days = 0): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime()
}

function keep(next: Kept): void {
  window.localStorage.setItem(storageKey, JSON.stringify(next))
  usePeriod.setState(periodOf(next, today()), true)
}

/** An unknown value, as of another version, counts as no choice. */
function readKept(): Kept {
  const usual: Kept = { preset: '30-days', days: null, currencies: [] }
  try {
    const value = JSON.parse(window.localStorage.getItem(storageKey) ?? 'null') as Partial<Kept>
    const { preset, days, currencies } = value
    if (preset === 'custom') {
      if (typeof days?.from !== 'number' || typeof days.to !== 'number') return usual
      if (!(days.from < days.to)) return usual
    } else if (!periodPresets.some(([each]) => each === preset)) return usual
    return {
      preset: preset ?? usual.preset,
      days: days ?? null,
      currencies: (['TON', 'USDT'] as const).filter((each) => currencies?.includes(each)),
    }
  } catch {
    return usual
  }
}
