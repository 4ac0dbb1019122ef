export const tonDecimals = 9
export const usdtDecimals = 6

export type Currency = 'TON' | 'USDT'

export const decimalsOf: Readonly<Record<Currency, number>> = {
  TON: tonDecimals,
  USDT: usdtDecimals,
}

/** @param name as an API writes it; undefined for a currency whose decimals are unknown */
export function decimalsOfCurrency(name: string | null): number | undefined {
  return name === 'TON' || name === 'USDT' ? decimalsOf[name] : undefined
}

export type CoinName = 'TON' | 'GRAM'

let coin: CoinName = 'TON'

/**
 * The displayed name of the native coin, the same in this whole process. The API, stored data and the data
 * columns of exports always say TON.
 */
export const coinName = (): CoinName => coin

export function showCoinAs(name: CoinName): void {
  coin = name
}

type CoinSettings = {
  readonly coinName: CoinName | 'network'
  readonly gramNetworks: readonly string[]
}

/** The name of a network's coin. By default GRAM, if the network's gateway sent a field of that name. */
export function coinOf(settings: CoinSettings, network: string): CoinName {
  if (settings.coinName !== 'network') return settings.coinName
  return settings.gramNetworks.includes(network) ? 'GRAM' : 'TON'
}

/** The displayed name of a currency of the API. */
export function currencyName(currency: string): string {
  return currency === 'TON' ? coin : currency
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?$/

/**
 * Example: `1.5` with 9 decimals is 1500000000n.
 * @throws RangeError for no number, or one finer than a minimal unit; its message is a sentence
 */
export function parseAmount(text: string, decimals: number): bigint {
  const match = decimal.exec(text)
  if (match === null) throw new RangeError(`'${text.slice(0, 80)}' is not a decimal number`)
  const [, sign, whole = '', fraction = ''] = match
  if (fraction.length > decimals) {
    throw new RangeError(`'${text.slice(0, 80)}' has more than ${decimals} decimal places`)
  }
  const units = BigInt(whole + fraction.padEnd(decimals, '0'))
  return sign === '-' ? -units : units
}

/** Exact, without trailing zeros: 1500000000n with 9 decimals is `1.5`. */
export function formatAmount(units: bigint, decimals: number): string {
  const digits = units
    .toString()
    .replace('-', '')
    .padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Exact, with every decimal: `1500000000` with 9 decimals is `1.500000000`. */
export function formatAllDecimals(units: bigint | string, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Exact, without trailing zeros: `12.5 TON`. */
export function formatMoney(units: bigint | string, currency: Currency): string {
  return `${formatAmount(BigInt(units), decimalsOf[currency])} ${currencyName(currency)}`
}

type Scale = { readonly numerator: string; readonly denominator: string }

/** Display units of a jetton with a display multiplier, rounded towards zero. */
export function scaled(units: bigint, { numerator, denominator }: Scale): bigint {
  return (units * BigInt(numerator)) / BigInt(denominator)
}

/** The display multiplier is applied; the result is rounded towards zero. */
export function formatAssetAmount(
  units: bigint,
  asset: {
    readonly decimals: number
    readonly scale?: Scale | undefined
  },
): string {
  const { decimals, scale } = asset
  return formatAmount(scale ? scaled(units, scale) : units, decimals)
}

/**
 * Formatted like the service's previews: three significant digits, never rounded up, thousands separated,
 * such as `1.23 TON`, `12 345 TON`.
 */
export function previewAmount(units: bigint, decimals: number, symbol: string): string {
  const [whole = '0', fraction = ''] = formatAmount(units, decimals).replace('-', '').split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ' ')
  const kept = significant(whole, fraction)
  const sign = units < 0n ? '-' : ''
  return `${sign}${grouped}${kept === '' ? '' : `.${kept}`} ${symbol}`
}

function significant(whole: string, fraction: string): string {
  const places = whole === '0' ? fraction.search(/[1-9]/) + 3 : Math.max(0, 3 - whole.length)
  return fraction.slice(0, places).replace(/0+$/, '')
}
