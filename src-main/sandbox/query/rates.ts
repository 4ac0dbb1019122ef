import { jsonResponse } from '../http.ts'

/** Invented fixed rates: the sandbox has no market. A header of each response says so. */

export const tonRates: ReadonlyMap<string, number> = new Map([
  ['TON', 1],
  ['GRAM', 1],
  ['USD', 3],
  ['EUR', 2.75],
  ['GBP', 2.4],
  ['RUB', 240],
  ['CNY', 21.5],
  ['BTC', 0.00003],
  ['ETH', 0.001],
])

export function usdtRate(currency: string): number | undefined {
  const rate = tonRates.get(currency)
  return rate === undefined ? undefined : rate / (tonRates.get('USD') ?? 1)
}

/** @param hasRates false if no currency was requested */
export const ratesResponse = (value: unknown, hasRates = true): Response =>
  jsonResponse(value, 200, hasRates ? { 'X-Sandbox-Rates': 'fixed' } : {})

export function serializeTokenRates(
  currencies: readonly string[],
  rateIn: (currency: string) => number | undefined,
) {
  const known = currencies.flatMap((currency) => {
    const rate = rateIn(currency)
    return rate === undefined ? [] : [[currency, rate] as const]
  })
  const unchanged = Object.fromEntries(known.map(([currency]) => [currency, '0.00%']))
  return {
    prices: Object.fromEntries(known),
    diff_24h: unchanged,
    diff_7d: unchanged,
    diff_30d: unchanged,
  }
}
