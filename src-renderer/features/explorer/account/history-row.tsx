import { memo } from 'react'
import type { HistoryRow } from '../../../../src-preload/contract/chain.ts'
import { formatUnits } from '../../../components/amount.ts'
import { formatDay, formatExact, formatMinute, formatSecond, fromMs } from '../../../ui/format.ts'
import { classes } from '../../../ui/classes.ts'
import grid from '../../../ui/grid.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { Amount } from '../../../components/chain/amount.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { directionWords, meaningOf } from './history-words.ts'
import styles from './account.module.css'

export const HistoryListRow = memo(function HistoryListRow({
  row,
  index,
  top,
  now,
  hasCursor,
}: {
  row: HistoryRow
  index: number
  /** Its place in the scrolled area, in pixels. */
  top: number
  now: number
  hasCursor: boolean
}) {
  const at = fromMs(row.at)
  const meaning = meaningOf(row)
  return (
    <div
      role="row"
      id={`tx-${row.hash}`}
      data-hash={row.hash}
      aria-rowindex={index + 2}
      aria-selected={hasCursor}
      className={classes(grid['row'], styles['row'], hasCursor && styles['cursor'])}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span role="gridcell" className={classes(text['mono'], text['faint'])}>
        <time title={formatExact(at)}>{shortTime(at, now)}</time>
      </span>
      <span role="gridcell" className={classes(text['small'], text['dim'])}>
        {directionWords[row.direction]}
      </span>
      <span role="gridcell">
        {row.peer !== null && <AccountLink account={row.peer} canCopy={false} tabIndex={-1} />}
      </span>
      <span role="gridcell" className={grid['end']}>
        {row.change !== null && <Amount units={row.change.units} asset={row.change.asset} signed />}
      </span>
      <span role="gridcell" className={styles['meaning']}>
        {!row.success && (
          <Tag tone="bad" title={row.failure ?? undefined}>
            failed
          </Tag>
        )}
        {meaning !== '' && (
          <span
            className={classes(
              styles['word'],
              text['small'],
              row.operation === null && text['dim'],
            )}
          >
            {meaning}
          </span>
        )}
        {row.comment !== null && (
          <span className={styles['said']} title={row.comment}>
            <UntrustedText text={row.comment} />
          </span>
        )}
        {row.outMessages > 1 && (
          <span className={styles['sends']}>
            <Tag title={`It sent ${row.outMessages} messages.`}>{row.outMessages} messages</Tag>
          </span>
        )}
      </span>
      <span
        role="gridcell"
        className={classes(text['number'], text['mono'], text['faint'], styles['fees'])}
      >
        {formatUnits(row.fees, 9)}
      </span>
    </div>
  )
})

/** The time alone today, the day and the minute before. */
function shortTime(at: number, now: number): string {
  const today = formatDay(at, now) === formatDay(now, now)
  return today ? formatSecond(at) : `${formatDay(at, now)} ${formatMinute(at)}`
}
