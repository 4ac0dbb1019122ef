import { formatDuration } from '../../../ui/format.ts'
import { issueLimits } from '../../../../src-preload/domain/invoice-words.ts'

/** What the console offers too, and a day as it begins with (gateway-facts 3.9). */
export const presets = [
  { seconds: 3600, label: '1 h' },
  { seconds: 21_600, label: '6 h' },
  { seconds: 86_400, label: '24 h' },
  { seconds: 604_800, label: '7 d' },
  { seconds: 2_592_000, label: '30 d' },
] as const

export const usualSeconds = 86_400

export const lifeUnits = [
  { value: 'min', label: 'minutes', seconds: 60 },
  { value: 'h', label: 'hours', seconds: 3600 },
  { value: 'd', label: 'days', seconds: 86_400 },
] as const
export type LifeUnit = (typeof lifeUnits)[number]['value']

export type ReadLifetime =
  { readonly seconds: number } | { readonly seconds: null; readonly why: string }

/** A number of such units, in whole seconds. */
export function readLifetime(typed: string, unit: LifeUnit): ReadLifetime {
  const text = typed.replaceAll(/\s/g, '').replace(',', '.')
  const size = lifeUnits.find(({ value }) => value === unit)?.seconds ?? 60
  if (!/^\d{1,7}(\.\d{1,3})?$/.test(text))
    return { seconds: null, why: 'Type a number, such as 3.' }
  const seconds = Math.round(Number(text) * size)
  if (seconds < 1) return { seconds: null, why: 'At least a second.' }
  if (seconds > issueLimits.longestSeconds) return { seconds: null, why: 'At most 90 days.' }
  return { seconds }
}

/** `24 h`, or `3 d 4 h`. */
export function printLifetime(seconds: number): string {
  return (
    presets.find((each) => each.seconds === seconds)?.label ?? formatDuration(seconds * 1_000_000)
  )
}

/** For the field: in the largest unit that holds it whole. */
export function splitLifetime(seconds: number): { amount: string; unit: LifeUnit } {
  const unit = lifeUnits.findLast((each) => seconds % each.seconds === 0) ?? lifeUnits[0]
  return { amount: String(Number((seconds / unit.seconds).toFixed(3))), unit: unit.value }
}
