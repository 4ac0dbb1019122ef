export const tonDecimals = 9
export const usdtDecimals = 6

export type Currency = 'TON' | 'USDT'

export const decimalsOf: Readonly<Record<Currency, number>> = {
  TON: tonDecimals,
  USDT: usdtDecimals,
}

/** @param name the currency's name in an API; undefined is returned if its decimals are unknown */
export const decimalsOfCurrency = (name: string | null): number | undefined =>
  name === 'TON' || name === 'USDT' ? decimalsOf[name] : undefined

export type CoinName = 'TON' | 'GRAM'

let coin: CoinName = 'TON'

/**
 * The displayed name of the native coin, which is the same in the whole process. The API, stored
 * data and the data columns of exports always use TON.
 */
export const coinName = (): CoinName => coin

export function showCoinAs(name: CoinName): void {
  coin = name
}

type CoinSettings = {
  readonly coinName: CoinName | 'network'
  readonly gramNetworks: readonly string[]
}

/** The name of a network's coin. The default is GRAM if the network's gateway sent a field with that name. */
export function coinOf(settings: CoinSettings, network: string): CoinName {
  if (settings.coinName !== 'network') return settings.coinName
  return settings.gramNetworks.includes(network) ? 'GRAM' : 'TON'
}

/** The displayed name of a currency of the API. */
export const currencyName = (currency: string): string => (currency === 'TON' ? coin : currency)

const decimal = /^(-?)(\d+)(?:\.(\d+))?$/

/**
 * Parses an amount: `1.5` with 9 decimals is 1500000000n.
 * @throws RangeError for a text that is not a number or is finer than a minimal unit; its message is a sentence
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

/** Converts units to fewer decimals; a remainder is rounded up or down. */
export function rescale(units: bigint, from: number, to: number, round: 'up' | 'down'): bigint {
  const unit = 10n ** BigInt(Math.max(0, from - to))
  return round === 'up' ? (units + unit - 1n) / unit : units / unit
}

const zero = 48

/**
 * Splits an amount into the sign, the digits before the decimal mark and the digits after it, without
 * trailing zeros beyond `places`. Units may be digits as text, because a file has millions of amounts.
 */
export function splitAmount(units: bigint | string, decimals: number, places = decimals) {
  const text = units.toString()
  const sign = text.startsWith('-') ? '-' : ''
  const digits = text.slice(sign.length).padStart(decimals + 1, '0')
  const point = digits.length - decimals
  let end = digits.length
  while (end > point + places && digits.charCodeAt(end - 1) === zero) end -= 1
  return { sign, whole: digits.slice(0, point), fraction: digits.slice(point, end) }
}

/** Formats an exact amount without trailing zeros beyond `places`: 1500000000n with 9 decimals is `1.5`. */
export function formatAmount(
  units: bigint | string,
  decimals: number,
  { mark = '.', places = 0 }: { readonly mark?: string; readonly places?: number } = {},
): string {
  const { sign, whole, fraction } = splitAmount(units, decimals, places)
  return sign + whole + (fraction === '' ? '' : mark + fraction)
}

/** Formats an exact amount with all decimals: `1500000000` with 9 decimals is `1.500000000`. */
export const formatAllDecimals = (units: bigint | string, decimals: number): string =>
  formatAmount(units, decimals, { places: decimals })

/** Separates digits into groups of three. */
export const groupDigits = (whole: string, separator: string): string =>
  whole.replace(/\B(?=(\d{3})+$)/g, separator)

/** Formats an exact amount with its currency, without trailing zeros: `12.5 TON`. */
export const formatMoney = (units: bigint | string, currency: Currency): string =>
  `${formatAmount(units, decimalsOf[currency])} ${currencyName(currency)}`

/** Converts amounts to decimal strings for the bridge. */
export function serializeUnits<K extends string>(units: Readonly<Record<K, bigint>>) {
  const texts = Object.entries<bigint>(units).map(([name, amount]) => [name, amount.toString()])
  return Object.fromEntries(texts) as Record<K, string>
}

/** Sums amounts by currency, in the order in which the currencies occur. */
export function sumByCurrency<C extends Currency>(
  amounts: Iterable<{ readonly currency: C; readonly amount: bigint | string }>,
) {
  return [...Map.groupBy(amounts, ({ currency }) => currency)].map(([currency, all]) => {
    const sum = all.reduce((total, { amount }) => total + BigInt(amount), 0n)
    return { currency, count: all.length, sum }
  })
}

type Scale = { readonly numerator: string; readonly denominator: string }

/** Applies a jetton's display multiplier to units, rounded towards zero. */
export const applyMultiplier = (units: bigint, { numerator, denominator }: Scale): bigint =>
  (units * BigInt(numerator)) / BigInt(denominator)

/** Formats an amount with the jetton's display multiplier, rounded towards zero. */
export function formatAssetAmount(
  units: bigint,
  asset: {
    readonly decimals: number
    readonly scale?: Scale | undefined
  },
): string {
  const { decimals, scale } = asset
  return formatAmount(scale ? applyMultiplier(units, scale) : units, decimals)
}

/**
 * Formats an amount like the service's previews: three significant digits, never rounded up,
 * thousands separated, such as `1.23 TON`, `12 345 TON`.
 */
export function previewAmount(units: bigint, decimals: number, symbol: string): string {
  const { sign, whole, fraction } = splitAmount(units, decimals, 0)
  const kept = significant(whole, fraction)
  return `${sign}${groupDigits(whole, ' ')}${kept === '' ? '' : `.${kept}`} ${symbol}`
}

function significant(whole: string, fraction: string): string {
  const places = whole === '0' ? fraction.search(/[1-9]/) + 3 : Math.max(0, 3 - whole.length)
  return fraction.slice(0, places).replace(/0+$/, '')
}
