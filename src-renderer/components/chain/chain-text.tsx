import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { transactionHref } from './chain-links.ts'
import { shorten, trimZeros } from '../../ui/format.ts'
import { CopyButton } from '../../ui/toast.tsx'
import { classes } from '../../ui/classes.ts'
import { Digits, Tag, Text, textClasses } from '../../ui/layout.tsx'
import type { Asset } from '../../../src-preload/contract/chain/references.ts'
import { currencyName } from '../../../src-preload/domain/amount.ts'
import { formatAsset, formatUnits } from '../amount.ts'
import { UntrustedText } from '../body/untrusted-text.tsx'
import styles from './chain.module.css'

/** Shows a shortened hash, with the whole hash in the tooltip and on the clipboard. `href` makes it a link. */
export function HashText({
  hash,
  href,
  whole = false,
  what = 'Hash',
}: {
  hash: string
  href?: string | undefined
  /** True to show the whole hash. */
  whole?: boolean
  /** The copied thing, such as "Transaction hash". */
  what?: string
}) {
  const shown = whole ? hash : shorten(hash, 8, 8)
  return (
    <span className={styles['account']}>
      {href === undefined ? (
        <Text mono title={hash}>
          {shown}
        </Text>
      ) : (
        <a
          className={classes(
            styles['link'],
            styles['plain'],
            textClasses({ mono: true, over: 'cut' }),
          )}
          href={href}
          title={hash}
        >
          {shown}
        </a>
      )}
      <span className={styles['copy']}>
        <CopyButton text={hash} what={what} iconOnly kind="quiet" />
      </span>
    </span>
  )
}

/** Links a transaction's hash to its page. */
export function TransactionHash({ hash, network }: { hash: string; network: NetworkId }) {
  return <HashText hash={hash} href={transactionHref(hash, network)} what="Transaction hash" />
}

/** A logical time: digits alone, so that what is selected can be searched for. */
export function LtText({ lt, canCopy = false }: { lt: string; canCopy?: boolean }) {
  return (
    <>
      <Text mono>{lt}</Text>
      {canCopy && <CopyButton text={lt} what="Logical time" iconOnly kind="quiet" />}
    </>
  )
}

/** Shows the operation of a message: the name of a known opcode, else the opcode. */
export function OpcodeTag({
  operation,
  opcode,
}: {
  operation: string | null
  opcode: string | null
}) {
  if (operation !== null) return <Tag title={opcode ?? undefined}>{operation}</Tag>
  if (opcode === null) return null
  return (
    <Tag title="This opcode has no known name.">
      <Text mono>{opcode}</Text>
    </Tag>
  )
}

/** Formats `0: success`, `37: not enough coins`, or only the code if no description is known. */
export function describeCode(code: number, words: string | null): string {
  if (words !== null) return `${code}: ${words}`
  return code === 0 || code === 1 ? `${code}: success` : String(code)
}

export const ton: Asset = { jetton: null, symbol: 'TON', decimals: 9 }

/** Shows an exact amount with its unit; `signed` for amounts that were received or sent. */
export function Amount({
  units,
  asset = ton,
  signed = false,
  aligned = false,
}: {
  units: string
  asset?: Asset
  signed?: boolean
  /** In a column: every decimal is there, zeros at the end are dimmed. */
  aligned?: boolean
}) {
  const number = formatAsset(units, asset)
  const isPlus = signed && /^\d*[1-9]\d*$/.test(units)
  return (
    <span
      className={classes(styles['amount'], signed && isPlus && textClasses({ tone: 'ok' }))}
      title={titleOf(units, asset)}
    >
      {isPlus && '+'}
      {aligned ? <Digits text={number} /> : trimZeros(number)} <AssetSymbol asset={asset} />
    </span>
  )
}

/** A long symbol is cut, because the jetton's creator can choose any. */
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

/** Distinguishes a jetton that names itself TON or GRAM from the native coin. */
export function symbolOf({ jetton, extraCurrency, symbol }: Asset): string {
  if (extraCurrency !== undefined) return `${symbol} (extra currency)`
  if (jetton === null) return currencyName(symbol)
  if (symbol.trim() === '') return 'jetton'
  return /^(ton|gram)$/i.test(symbol.trim()) ? `${symbol} (jetton)` : symbol
}

/** Shows warnings to read before sending money to an account. */
export function AccountFlags({
  isScam,
  isSuspended,
  memoRequired,
}: {
  isScam: boolean
  isSuspended: boolean
  memoRequired: boolean
}) {
  return (
    <>
      {isScam && (
        <Tag tone="bad" title="The gateway lists this account as a scam.">
          scam
        </Tag>
      )}
      {isSuspended && (
        <Tag tone="bad" title="The network does not allow this account to send messages.">
          suspended
        </Tag>
      )}
      {memoRequired && (
        <Tag tone="warn" title="A transfer to this account may be lost if it has no comment.">
          comment required
        </Tag>
      )}
    </>
  )
}
