/** Values a payment in a fiat currency. */
import fiatDecimals from './fiat-decimals.json' with { type: 'json' }
import { formatAllDecimals, formatAmount, parseAmount } from './amount.ts'

/** The currencies to choose from, with their decimal places (ISO 4217). */
export { fiatDecimals }

export type FiatCurrency = keyof typeof fiatDecimals

export const fiatCurrencies = Object.keys(fiatDecimals) as readonly FiatCurrency[]

const number = /^(\d{1,40})(?:\.(\d{1,60}))?(?:e([+-]?\d{1,2}))?$/i

/**
 * Formats a positive JSON number as a decimal without exponent: `1e-7` becomes `0.0000001`. The
 * result is the shortest decimal that identifies the number, with up to 17 digits.
 * @returns null for anything else, including zero
 */
export function toDecimalText(value: unknown): string | null {
  const match = number.exec(String(value))
  if (match === null) return null
  const [, whole = '', fraction = '', exponent = '0'] = match
  const places = fraction.length - Number(exponent)
  const units = BigInt(whole + fraction) * 10n ** BigInt(Math.max(0, -places))
  return units === 0n ? null : formatAmount(units, Math.max(0, places))
}

/**
 * The value of an amount, exact and then rounded half up to the currency's decimal places.
 * @param units minimal units, not negative
 * @param rate a decimal, the price of one whole unit
 */
export function fiatValue(
  units: bigint,
  decimals: number,
  rate: string,
  fiat: FiatCurrency,
): string {
  const [whole = '', fraction = ''] = rate.split('.')
  const places = fiatDecimals[fiat]
  const worth = units * BigInt(whole + fraction) * 10n ** BigInt(places)
  const divisor = 10n ** BigInt(decimals + fraction.length)
  return formatAllDecimals((2n * worth + divisor) / (2n * divisor), places)
}

/** The exact sum of values in a currency, with its decimal places. */
export function addFiat(values: readonly string[], fiat: FiatCurrency): string {
  const places = fiatDecimals[fiat]
  const sum = values.reduce((total, value) => total + parseAmount(value, places), 0n)
  return formatAllDecimals(sum, places)
}

/**
 * A rate further away from a moment is not used. A request for rates extends its period by this
 * time on both sides.
 */
export const reachMs = 12 * 3_600_000
/** The time that one request for rates covers: the gateway spreads at most 200 rates over it. */
export const rateSpanMs = 7 * 24 * 3_600_000

/** The price of one whole unit as a decimal, at a time in milliseconds. */
export type RatePoint = { readonly at: number; readonly rate: string }

/** The point nearest to a moment; of two equally near points, the earlier. Null if none is near enough. */
export function nearestPoint(points: readonly RatePoint[], at: number): RatePoint | null {
  let nearest: RatePoint | null = null
  let least = reachMs
  for (const point of points) {
    const away = Math.abs(point.at - at)
    const isNearer = away < least || (away === least && point.at < (nearest?.at ?? Infinity))
    if (isNearer) [nearest, least] = [point, away]
  }
  return nearest
}
