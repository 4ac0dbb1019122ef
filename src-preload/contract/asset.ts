/** What accounts own: its value, jettons, NFTs. */
import { z } from 'zod'
import { fiatCurrencies } from '../domain/fiat.ts'
import { networkId, onNetwork } from './network.ts'
import { moment, takes } from './route.ts'

export const fiatCurrency = z.enum(fiatCurrencies)

const coinRate = z.object({
  network: networkId,
  /** The currency of the settings; USD if none is chosen there. */
  currency: fiatCurrency,
  /** Price of one whole coin, a decimal; null if the gateway has none. */
  rate: z.string().nullable(),
  /** When Tondesk loaded the rate, at most a minute ago. */
  at: moment,
})
export type CoinRate = z.infer<typeof coinRate>

export const assetRoutes = {
  /** The rate of the native coin. */
  'asset.coinRate': takes(onNetwork).returns(coinRate),
} as const
