/**
 * Formats amounts of coins, which are decimal strings of minimal units, as on the bridge. They stay
 * text and never become floats.
 */
import type { Asset } from '../../src-preload/contract/chain/references.ts'
import { decimalMark, formatNumber, trimZeros } from '../ui/format.ts'
import {
  type Currency,
  coinName,
  currencyName,
  decimalsOf,
  applyMultiplier,
  splitAmount,
} from '../../src-preload/domain/amount.ts'
import { readUnits } from '../../src-preload/domain/written-amount.ts'
import { invoiceCurrencies } from '../../src-preload/domain/invoice-values.ts'

export const currencyChoices = () =>
  invoiceCurrencies.map((value) => ({ value, label: currencyName(value) }))

/** Replaces the coin's name, because stored texts use TON. */
export const renameCoin = (text: string): string => text.replaceAll(/(?<=\d )TON\b/g, coinName())

/**
 * Formats an exact amount with groups and without its unit: `1284750000000` nanotons become `1
 * 284.750000000`.
 */
export const formatAmount = (units: string, currency: Currency): string =>
  formatUnits(units, decimalsOf[currency])

/** Formats an amount with its unit, for running text: `1 284.75 TON`. */
export const formatMoney = (units: string, currency: Currency): string =>
  `${trimZeros(formatAmount(units, currency))} ${currencyName(currency)}`

/**
 * Formats an amount with its unit and every decimal, for columns, which align on the decimal mark:
 * `1 284.750000000 TON`.
 */
export const formatColumnMoney = (units: string, currency: Currency): string =>
  `${formatAmount(units, currency)} ${currencyName(currency)}`

/** Formats an amount of any asset by its decimals; a negative amount has a minus sign. */
export function formatUnits(units: string, decimals: number): string {
  const { sign, whole, fraction } = splitAmount(units, decimals)
  const text = formatNumber(whole) + (decimals === 0 ? '' : decimalMark() + fraction)
  return sign === '' ? text : `−${text}`
}

/**
 * Formats an amount of an asset for display: a jetton's display multiplier is applied and the
 * result rounded towards zero.
 */
export function formatAsset(units: string, { decimals, scale }: Pick<Asset, 'decimals' | 'scale'>) {
  return formatUnits(scale ? applyMultiplier(BigInt(units), scale).toString() : units, decimals)
}

/** Parses an entered amount of a coin to minimal units below 2^63, or returns its problem. */
export function readCoins(
  text: string,
  currency: Currency,
):
  | { readonly units: string; readonly problem: null }
  | { readonly units: null; readonly problem: string } {
  const { units, problem } = readUnits(text, decimalsOf[currency], currencyName(currency))
  if (units === null) return { units, problem }
  return units < 2n ** 63n
    ? { units: units.toString(), problem: null }
    : { units: null, problem: 'The amount is too large.' }
}

/**
 * Formats a decimal fraction in a currency, grouped and rounded: two decimals, or eight below one.
 * Its digits are rounded directly, because a float would be rounded twice.
 */
export function formatDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  // A number such as 3e-7 stays unchanged.
  if (whole === '') return text
  const decimals = BigInt(whole) > 0n || /^0*$/.test(fraction) ? 2 : 8
  const kept = fraction.slice(0, decimals).padEnd(decimals, '0')
  const up = (fraction[decimals] ?? '0') >= '5' ? 1n : 0n
  const units = (BigInt(whole + kept) + up).toString()
  return formatUnits(sign + units, decimals)
}
