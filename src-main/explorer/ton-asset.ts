import type { Asset } from '../../src-preload/contract/index.ts'

export const tonAsset: Asset = { jetton: null, symbol: 'TON', decimals: 9 }
