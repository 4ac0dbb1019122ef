import { memo } from 'react'
import type { CaptureRow, MovedAmount } from '../../../../src-preload/contract/capture.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { isMoved } from '../../../../src-preload/contract/invoice-money.ts'
import { formatDuration, formatExact, formatRowTime, shorten } from '../../../ui/format.ts'
import { classes } from '../../../ui/classes.ts'
import grid from '../../../ui/grid.module.css'
import { Icon } from '../../../ui/icons.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { AbsentCell } from '../../../ui/virtual-grid.tsx'
import type { AddressForm } from '../../../components/address.tsx'
import { shortAccount } from '../../../components/capture-account.ts'
import { Amount } from '../../../components/chain/amount.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { NetworkMark } from './network-mark.tsx'
import { forwardWords, marksOf, statusTone } from './row-words.ts'
import styles from './list.module.css'

type RowState = {
  readonly isUnread: boolean
  readonly isOpen: boolean
  readonly hasCursor: boolean
  readonly isMarked: boolean
}

type Props = RowState & {
  readonly row: CaptureRow
  readonly index: number
  /** Its place in the scrolled area, in pixels. */
  readonly top: number
  readonly now: number
  /** Null where nothing tells whose delivery it is. */
  readonly network: Network | null
  /** The person's own name for its account. */
  readonly label: string | null
  readonly form: AddressForm
}

export const rowElementId = (id: number) => `capture-${id}`

export const CaptureListRow = memo(function CaptureListRow(props: Props) {
  const { row, index, top, now, network, label, form, isUnread, isOpen, hasCursor, isMarked } =
    props
  return (
    <div
      role="row"
      id={rowElementId(row.id)}
      data-id={row.id}
      aria-rowindex={index + 2}
      aria-selected={isMarked || isOpen}
      className={classes(
        grid['row'],
        styles['row'],
        isUnread && styles['unread'],
        isOpen && styles['open'],
        hasCursor && styles['cursor'],
        isMarked && styles['marked'],
      )}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span role="gridcell" className={classes(text['mono'], text['faint'])}>
        {isUnread && <span className={text['hidden']}>Unread. </span>}
        {isMarked && <span className={text['hidden']}>Selected. </span>}
        <time title={formatExact(row.receivedAt)}>{formatRowTime(row.receivedAt, now)}</time>
      </span>
      <span role="gridcell" className={text['cut']}>
        {row.method !== 'POST' && <span className={styles['method']}>{row.method}</span>}
        {row.kind ?? <span className={grid['blank']} title="Not classified yet" />}
      </span>
      <span role="gridcell">
        <NetworkMark network={network} />
      </span>
      <span
        role="gridcell"
        className={classes(label === null && text['mono'], text['cut'], styles['account'])}
        title={[label, row.account].filter((each) => each !== null).join('\n') || undefined}
      >
        {label !== null && <UntrustedText text={label} />}
        {label === null && row.account !== null && shortAccount(row.account, network, form)}
      </span>
      <span role="gridcell" className={classes(text['cut'], styles['amount'])}>
        <Moved amount={row.meaning.amount} isSigned={isMoved(row)} />
      </span>
      <span role="gridcell" className={styles['meaning']}>
        <Content row={row} />
        {/* In a narrow list only what deserves a look has room. */}
        {(row.forward === 'failed' || row.forward === 'dropped') && (
          <ForwardTag forward={row.forward} className={styles['forwardMark']} />
        )}
        {marksOf(row).map((mark) => (
          <Tag key={mark.word} tone={mark.tone} title={mark.why}>
            {mark.word}
          </Tag>
        ))}
      </span>
      <span role="gridcell">
        <Answer row={row} />
      </span>
      <span role="gridcell" className={styles['forward']}>
        <ForwardTag forward={row.forward} />
      </span>
      <span role="gridcell" className={classes(text['number'], text['faint'], styles['took'])}>
        {formatDuration(row.durationUs)}
      </span>
      <span role="gridcell" className={styles['marks']}>
        {row.note !== '' && <Mark name="note" label="Has a note" title={row.note} />}
        {row.pinned && <Mark name="pin" label="Pinned" title="Pinned" />}
      </span>
    </div>
  )
})

function Moved({ amount, isSigned }: { amount: MovedAmount | null; isSigned: boolean }) {
  if (amount === null) return null
  const { units, direction, asset } = amount
  const isOut = direction === 'out' && /[1-9]/.test(units)
  return <Amount units={isOut ? `-${units}` : units} asset={asset} signed={isSigned} />
}

/** What was written with it, the invoice it pays; else the line on its content. */
function Content({ row: { kind, summary, meaning, lt } }: { row: CaptureRow }) {
  // An invoice's delivery says its state; what was paid with is its id.
  const said = (kind === 'invoice' ? null : meaning.comment) ?? summary
  // Of an event of which no more is known.
  const line = said === '' && meaning.invoice === null && lt !== null ? `lt ${lt}` : said
  return (
    <>
      {meaning.invoice !== null && kind !== 'invoice' && (
        <span className={styles['invoice']} title={`Invoice ${meaning.invoice}`}>
          invoice <UntrustedText text={shorten(meaning.invoice, 8, 0).replace('…', '')} />
        </span>
      )}
      {line !== meaning.invoice && (
        <span className={classes(text['cut'], text['dim'], styles['said'])} title={line}>
          <UntrustedText text={line} />
        </span>
      )}
    </>
  )
}

function ForwardTag({
  forward,
  className,
}: {
  forward: CaptureRow['forward']
  className?: string | undefined
}) {
  if (forward === null) return null
  const { tone, word, why } = forwardWords[forward]
  return (
    <span className={className}>
      <Tag tone={tone} title={why}>
        {word}
      </Tag>
    </span>
  )
}

function Answer({ row: { origin, status } }: { row: CaptureRow }) {
  if (status !== null) return <Tag tone={statusTone(status)}>{status}</Tag>
  // Nobody waited for one.
  if (origin !== 'received') return null
  return <Tag title="The other side was gone before an answer.">none</Tag>
}

function Mark({ name, label, title }: { name: 'note' | 'pin'; label: string; title: string }) {
  return (
    <span title={title}>
      <Icon name={name} size={12} />
      <span className={text['hidden']}>{label}</span>
    </span>
  )
}

/** A row whose page is on its way (again). */
export function AbsentRow({ index, top }: { index: number; top: number }) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-busy="true"
      className={grid['row']}
      style={{ transform: `translateY(${top}px)` }}
    >
      <AbsentCell />
    </div>
  )
}
