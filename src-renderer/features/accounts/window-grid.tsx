import { useVirtualizer } from '@tanstack/react-virtual'
import type { MouseEvent, ReactNode } from 'react'
import { useEffect, useId, useLayoutEffect, useRef } from 'react'
import { classes } from '../../ui/classes.ts'
import text from '../../ui/text.module.css'
import type { ReadyWindows, WindowList } from './windows.ts'
import { rowAt } from './windows.ts'
import styles from './grid.module.css'

const rowHeight = 30
const headHeight = 26

export type Column = {
  readonly name: string
  /** Numbers stand at the end of their cell. */
  readonly end?: boolean
  /** For those who see no heading. */
  readonly hideName?: boolean
  readonly sort?: {
    readonly direction: 'ascending' | 'descending' | 'none'
    readonly onSort: () => void
  }
}

/** A list of any length as a grid of which only what is in sight exists, or is even fetched. */
export function WindowGrid<T, X>({
  label,
  className,
  columns,
  list,
  state,
  cells,
  cursor,
  onCursor,
  onOpen,
  onTop,
}: {
  label: string
  /** Sets `--columns`, and `--least` where it is not to become narrower. */
  className: string | undefined
  columns: readonly Column[]
  list: WindowList<T, X>
  state: ReadyWindows<T, X>
  /** The cells of one row, each with the role of a `gridcell`. */
  cells: (row: T) => ReactNode
  /** The row that keys act on, by its index. */
  cursor: number | null
  onCursor: (index: number) => void
  onOpen?: ((row: T) => void) | undefined
  /** Whether the first row is in sight. */
  onTop?: ((atTop: boolean) => void) | undefined
}) {
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  // eslint-disable-next-line react-hooks/incompatible-library -- its functions are used here only
  const virtual = useVirtualizer({
    count: state.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollPaddingStart: headHeight,
    scrollMargin: headHeight,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0
  const { question } = state

  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0
  }, [question])

  useEffect(() => list.show(first, last), [list, first, last, question])

  useEffect(() => {
    if (cursor !== null) virtual.scrollToIndex(cursor, { align: 'auto' })
  }, [cursor, virtual])

  const rowId = (index: number) => `${id}-${index}`
  const indexOf = (event: MouseEvent): number | null => {
    const row = event.target instanceof Element ? event.target.closest('[data-index]') : null
    return row === null ? null : Number(row.getAttribute('data-index'))
  }
  const open = (event: MouseEvent) => {
    const index = indexOf(event)
    const row = index === null ? null : rowAt(state, index)
    if (row !== null) onOpen?.(row)
  }

  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={state.total + 1}
      aria-colcount={columns.length}
      aria-activedescendant={
        cursor !== null && cursor >= first && cursor <= last ? rowId(cursor) : undefined
      }
      className={classes(styles['grid'], className)}
      onScroll={(event) => onTop?.(event.currentTarget.scrollTop < rowHeight / 2)}
      onClick={(event) => {
        const index = indexOf(event)
        if (index !== null) onCursor(index)
      }}
      onDoubleClick={open}
    >
      <div role="rowgroup" className={styles['head']}>
        <div role="row" aria-rowindex={1} className={styles['columns']}>
          {columns.map((column) => (
            <Heading key={column.name} column={column} />
          ))}
        </div>
      </div>
      <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rowAt(state, index)
          return (
            <div
              key={index}
              role="row"
              id={rowId(index)}
              data-index={index}
              aria-rowindex={index + 2}
              aria-selected={index === cursor}
              className={classes(styles['row'], index === cursor && styles['cursor'])}
              style={{ transform: `translateY(${start - headHeight}px)` }}
            >
              {row === null ? <Absent /> : cells(row)}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Heading({ column: { name, end = false, hideName = false, sort } }: { column: Column }) {
  const shown = hideName ? <span className={text['hidden']}>{name}</span> : name
  if (sort === undefined) {
    return (
      <span role="columnheader" className={classes(end && styles['end'])}>
        {shown}
      </span>
    )
  }
  const arrow = { ascending: '↑', descending: '↓', none: '' }[sort.direction]
  return (
    <span role="columnheader" aria-sort={sort.direction} className={classes(end && styles['end'])}>
      <button type="button" className={styles['sort']} onClick={sort.onSort}>
        {shown}
        <span aria-hidden="true">{arrow}</span>
      </button>
    </span>
  )
}

/** A row whose window is on its way. */
function Absent() {
  return (
    <span role="gridcell" className={styles['absent']}>
      <span className={styles['bar']} />
      <span className={text['hidden']}>Loading</span>
    </span>
  )
}

export function Cell({
  className,
  title,
  children,
}: {
  className?: string | undefined
  title?: string | undefined
  children?: ReactNode
}) {
  return (
    <span role="gridcell" className={classes(text['cut'], className)} title={title}>
      {children}
    </span>
  )
}
