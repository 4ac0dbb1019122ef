import { create } from 'zustand'

export const currencies = [
  { value: 'none', label: 'None' },
  { value: 'usd', label: 'USD' },
  { value: 'eur', label: 'EUR' },
  { value: 'gbp', label: 'GBP' },
  { value: 'cny', label: 'CNY' },
  { value: 'rub', label: 'RUB' },
  { value: 'btc', label: 'BTC' },
  { value: 'eth', label: 'ETH' },
] as const
type Currency = (typeof currencies)[number]['value']

/** What a lookup is to be called, and in which currency balances are asked for too. */
export const useLookupOptions = create<{ readonly name: string; readonly currency: Currency }>(
  () => ({ name: '', currency: 'none' }),
)
