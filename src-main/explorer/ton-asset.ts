import type { Asset } from '../../src-preload/contract/chain.ts'
import type { ExtraCurrencyAnswer } from '../gateway/query-answers.ts'

export const tonAsset: Asset = { jetton: null, symbol: 'TON', decimals: 9 }

export function assetOfExtra({ preview }: ExtraCurrencyAnswer): Asset {
  const { id, symbol, decimals } = preview
  return { jetton: null, extraCurrency: id, symbol, decimals }
}
