import { memo } from 'react'
import type { CaptureRow } from '../../../../src-preload/contract/index.ts'
import { formatDuration, formatExact, formatRowTime, shorten } from '../../../format.ts'
import { classes } from '../../../ui/classes.ts'
import grid from '../../../ui/grid.module.css'
import { Icon } from '../../../ui/icons.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { AbsentCell } from '../../../virtual-grid.tsx'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { marksOf, statusTone } from './row-words.ts'
import styles from './list.module.css'

export type RowState = {
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
}

export const rowElementId = (id: number) => `capture-${id}`

export const CaptureListRow = memo(function CaptureListRow(props: Props) {
  const { row, index, top, now, isUnread, isOpen, hasCursor, isMarked } = props
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
      <span
        role="gridcell"
        className={classes(text['mono'], text['cut'])}
        title={row.account ?? undefined}
      >
        {row.account === null ? '' : shorten(row.account)}
      </span>
      <span role="gridcell" className={classes(text['mono'], text['cut'], styles['lt'])}>
        {row.lt}
      </span>
      <span role="gridcell" className={styles['meaning']}>
        <span className={classes(text['cut'], text['dim'])} title={row.summary}>
          <UntrustedText text={row.summary} />
        </span>
        {marksOf(row).map((mark) => (
          <Tag key={mark.word} tone={mark.tone} title={mark.why}>
            {mark.word}
          </Tag>
        ))}
      </span>
      <span role="gridcell">
        <Answer row={row} />
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
