/**
 * The typed values of an invoice: its amount, its lifetime, and the text for the payer. These
 * functions have no side effects.
 */
import {
  type Currency,
  decimalsOf,
  formatAmount,
  currencyName,
} from '../../../../src-preload/domain/amount.ts'
import { issueLimits } from '../../../../src-preload/domain/invoice-values.ts'
import { formatDuration } from '../../../ui/format.ts'

/** The same presets as in the gateway's console. */
export const presets = [
  { seconds: 3600, label: '1 h' },
  { seconds: 21_600, label: '6 h' },
  { seconds: 86_400, label: '24 h' },
  { seconds: 604_800, label: '7 d' },
  { seconds: 2_592_000, label: '30 d' },
] as const

export const defaultLifetime = 86_400

export const lifeUnits = [
  { value: 'min', label: 'minutes', seconds: 60 },
  { value: 'h', label: 'hours', seconds: 3600 },
  { value: 'd', label: 'days', seconds: 86_400 },
] as const
type LifeUnit = (typeof lifeUnits)[number]['value']

/** The chosen lifetime: a preset, or null if the number in the field applies. */
export type TypedLifetime = {
  readonly preset: number | null
  readonly life: string
  readonly lifeUnit: LifeUnit
}

export const typedLifetime: TypedLifetime = { preset: defaultLifetime, life: '3', lifeUnit: 'd' }

type ReadLifetime = { readonly seconds: number } | { readonly seconds: null; readonly why: string }

export const lifetimeOf = ({ preset, life, lifeUnit }: TypedLifetime): ReadLifetime =>
  preset === null ? readLifetime(life, lifeUnit) : { seconds: preset }

export function readLifetime(typed: string, unit: LifeUnit): ReadLifetime {
  const text = typed.replaceAll(/\s/g, '').replace(',', '.')
  const size = lifeUnits.find(({ value }) => value === unit)?.seconds ?? 60
  if (!/^\d{1,7}(\.\d{1,3})?$/.test(text))
    return { seconds: null, why: 'Enter a number, such as 3.' }
  const seconds = Math.round(Number(text) * size)
  if (seconds < 1) return { seconds: null, why: 'Enter at least 1 second.' }
  if (seconds > issueLimits.longestSeconds) return { seconds: null, why: 'Enter at most 90 days.' }
  return { seconds }
}

/** Formats a lifetime: `24 h`, or `3 d 4 h`. */
export const formatLifetime = (seconds: number): string =>
  presets.find((each) => each.seconds === seconds)?.label ?? formatDuration(seconds * 1_000_000)

/** Expresses a lifetime in the largest unit that gives a whole number. */
export function splitLifetime(seconds: number): { amount: string; unit: LifeUnit } {
  const unit = lifeUnits.findLast((each) => seconds % each.seconds === 0) ?? lifeUnits[0]
  return { amount: String(Number((seconds / unit.seconds).toFixed(3))), unit: unit.value }
}

/** Separates the currency from the amount before or after it. */
export function splitCurrency(typed: string): { amount: string; currency: Currency | null } {
  const [, before, amount = '', after] =
    /^\s*(TON|GRAM|USDT|USD₮)?([^a-z₮]*?)(TON|GRAM|USDT|USD₮)?\s*$/i.exec(typed) ?? []
  const word = (before ?? after)?.toUpperCase()
  if (word === undefined) return { amount: typed, currency: null }
  return { amount: amount.trim(), currency: word.startsWith('USD') ? 'USDT' : 'TON' }
}

/**
 * Formats the text for the payer: amount, purpose, link and expiry. It has plain spaces and no
 * grouping, so that it looks the same in every app.
 */
export function formatShareText({
  amount,
  currency,
  description,
  link,
  expiresAt,
}: {
  /** The amount in minimal units. */
  readonly amount: string
  readonly currency: Currency
  readonly description: string
  readonly link: string
  /** The time in milliseconds; null if unknown. */
  readonly expiresAt: number | null
}): string {
  // The price has at least two decimals, as is usual.
  const price = formatAmount(amount, decimalsOf[currency], { places: 2 })
  const lines = [
    `Please pay ${price} ${currencyName(currency)}`,
    description.trim(),
    link,
    expiresAt === null ? '' : `Until ${formatExpiry(expiresAt)}`,
  ]
  return lines.filter((line) => line !== '').join('\n')
}

/** Formats the expiry in UTC, because the payer may live in another time zone. */
const formatExpiry = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
