import type { Asset } from '../../../src-preload/contract/chain.ts'
import { formatAsset, formatUnits } from '../amount.ts'
import { classes } from '../../ui/classes.ts'
import { UntrustedText } from '../body/untrusted-text.tsx'
import styles from './chain.module.css'

export const ton: Asset = { jetton: null, symbol: 'TON', decimals: 9 }

/** An exact amount with its unit; `signed` for what came or went. */
export function Amount({
  units,
  asset = ton,
  signed = false,
}: {
  units: string
  asset?: Asset
  signed?: boolean
}) {
  const isPlus = signed && /^\d*[1-9]\d*$/.test(units)
  const isMinus = units.startsWith('-')
  return (
    <span
      className={classes(
        styles['amount'],
        signed && isPlus && styles['plus'],
        signed && isMinus && styles['minus'],
      )}
      title={titleOf(units, asset)}
    >
      {isPlus && '+'}
      {formatAsset(units, asset)} <AssetSymbol asset={asset} />
    </span>
  )
}

/** A long symbol is cut: the maker of a jetton chooses it. */
export function AssetSymbol({ asset }: { asset: Asset }) {
  return (
    <span className={styles['unit']}>
      <UntrustedText text={symbolOf(asset)} />
    </span>
  )
}

function titleOf(units: string, { jetton, extraCurrency, symbol, scale, decimals }: Asset) {
  if (extraCurrency !== undefined) return `${symbol}, extra currency ${extraCurrency}`
  if (jetton === null) return undefined
  const multiplied = scale
    ? `, shown with its multiplier; ${formatUnits(units, decimals)} on the chain`
    : ''
  return `${symbol}, jetton ${jetton}${multiplied}`
}

/** A jetton that calls itself TON is not to be taken for it. */
export function symbolOf({ jetton, extraCurrency, symbol }: Asset): string {
  if (extraCurrency !== undefined) return `${symbol} (extra currency)`
  if (jetton === null) return symbol
  if (symbol.trim() === '') return 'jetton'
  return /^ton$/i.test(symbol.trim()) ? `${symbol} (jetton)` : symbol
}
