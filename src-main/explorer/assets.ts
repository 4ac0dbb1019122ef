/** What accounts own, and its value. */
import type { CoinRate } from '../../src-preload/contract/asset.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { type ExplorerContext, shownCurrency } from './chain-access.ts'

/** The gateway itself updates its rates about once a minute. */
const rateMs = 60_000

export function createAssets(context: ExplorerContext) {
  const { access, now } = context
  const rates = new Map<string, CoinRate>()

  const coinRate: Handlers['asset.coinRate'] = async ({ network }) => {
    const currency = shownCurrency(context)
    const known = rates.get(network)
    if (known?.currency === currency && now() - known.at < rateMs) return known
    const found = await access
      .query(network)
      .rates(['ton'], currency, { signal: access.interest(network) })
    const prices = found.get('ton') ?? found.get('gram')
    const loaded = { network, currency, rate: prices?.get(currency) ?? null, at: now() }
    rates.set(network, loaded)
    return loaded
  }

  return { 'asset.coinRate': coinRate } satisfies Partial<Handlers>
}
