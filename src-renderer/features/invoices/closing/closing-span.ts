/** The days that are reconciled. */
import { create } from 'zustand'
import { addDays, dayBegin, dayIn, isZone, monthBegin, ownZone } from '../zone.tsx'

export const closingPresets = [
  ['today', 'Today'],
  ['yesterday', 'Yesterday'],
  ['this-month', 'This month'],
  ['previous-month', 'Previous month'],
  ['days', 'Days…'],
] as const

type ClosingPreset = (typeof closingPresets)[number][0]

type ClosingChoice = {
  readonly preset: ClosingPreset
  /** As in date fields; both days are included. */
  readonly first: string
  readonly last: string
  readonly zone: string
}

const storageKey = 'tondesk.closing-zone'

export const useClosingChoice = create<ClosingChoice>(() => {
  const kept = window.localStorage.getItem(storageKey) ?? ''
  return { preset: 'today', first: '', last: '', zone: isZone(kept) ? kept : ownZone() }
})

export function chooseClosing(next: Partial<ClosingChoice>): void {
  useClosingChoice.setState(next)
  if (next.zone !== undefined && isZone(next.zone)) {
    window.localStorage.setItem(storageKey, next.zone)
  }
}

export type ClosedSpan = {
  /** Milliseconds; `to` is not included. */
  readonly from: number
  readonly to: number
  readonly zone: string
  readonly first: string
  readonly last: string
}

/** The chosen days in their time zone, or a sentence that says what is wrong. */
export function spanOf(
  { preset, first, last, zone }: ClosingChoice,
  now: number,
): ClosedSpan | string {
  if (!isZone(zone)) return 'Unknown time zone.'
  const [begin, end] = daysOf(preset, dayIn(zone, now), first, last)
  const from = dayBegin(zone, begin)
  const to = from === null ? null : dayBegin(zone, nextDay(end))
  if (from === null) return 'Choose the first day.'
  if (to === null) return 'Choose the last day.'
  if (to <= from) return 'The last day is before the first day.'
  return { from, to, zone, first: begin, last: end }
}

function daysOf(
  preset: ClosingPreset,
  today: string,
  first: string,
  last: string,
): readonly [string, string] {
  switch (preset) {
    case 'today':
      return [today, today]
    case 'yesterday':
      return [addDays(today, -1), addDays(today, -1)]
    case 'this-month':
      return [monthBegin(today), today]
    case 'previous-month':
      return [monthBegin(today, -1), addDays(monthBegin(today), -1)]
    case 'days':
      // Without a last day it is one day.
      return [first, last === '' ? first : last]
  }
}

function nextDay(day: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? addDays(day, 1) : ''
}

const format = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})

/** `20 Nov 2026`, `1 Nov 2026 to 20 Nov 2026`. */
export function printDays({ first, last }: ClosedSpan): string {
  const print = (day: string) => format.format(new Date(`${day}T00:00:00Z`))
  return first === last ? print(first) : `${print(first)} to ${print(last)}`
}
