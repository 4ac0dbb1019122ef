import type { Asset } from '../../../src-preload/contract/index.ts'
import { formatUnits } from '../../amount.ts'
import { classes } from '../../ui/classes.ts'
import { UntrustedText } from '../inspector/body/untrusted-text.tsx'
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
      title={asset.jetton === null ? undefined : `${asset.symbol}, jetton ${asset.jetton}`}
    >
      {isPlus && '+'}
      {formatUnits(units, asset.decimals)}{' '}
      <span className={styles['unit']}>
        <UntrustedText text={symbolOf(asset)} />
      </span>
    </span>
  )
}

/** A jetton that calls itself TON is not to be taken for it. */
export function symbolOf({ jetton, symbol }: Asset): string {
  if (jetton === null) return symbol
  if (symbol.trim() === '') return 'jetton'
  return /^ton$/i.test(symbol.trim()) ? `${symbol} (jetton)` : symbol
}
