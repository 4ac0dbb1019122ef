import { useVirtualizer } from '@tanstack/react-virtual'
import { type ComponentProps, type ReactNode, useLayoutEffect, useRef } from 'react'
import { classes } from './classes.ts'
import styles from './grid.module.css'
import text from './text.module.css'

/** As `--row` has it. */
const rowHeight = 30
const headHeight = 26

export type Column = {
  readonly name: string
  /** Numbers stand at the end of their cell. */
  readonly end?: boolean | undefined
  /** For those who see no heading. */
  readonly hideName?: boolean | undefined
  readonly className?: string | undefined
  readonly sort?:
    | {
        readonly direction: 'ascending' | 'descending' | 'none'
        readonly onSort: () => void
      }
    | undefined
}

/**
 * Which rows of a `VirtualGrid` are in sight, and the way to another. It begins at its top again
 * when `beginning` changes.
 */
export function useRowsInSight(count: number, beginning?: number) {
  const scroller = useRef<HTMLDivElement>(null)
  // eslint-disable-next-line react-hooks/incompatible-library -- its functions are used here only
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollPaddingStart: headHeight,
    scrollMargin: headHeight,
  })
  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0
  }, [beginning])
  const items = virtual.getVirtualItems()
  return {
    scroller,
    virtual,
    items,
    first: items[0]?.index ?? 0,
    last: items.at(-1)?.index ?? 0,
  }
}

type RowsInSight = ReturnType<typeof useRowsInSight>

/** A list of any length as a grid of which only what is in sight exists. */
export function VirtualGrid({
  inSight: { scroller, virtual, items },
  columns,
  rowCount,
  className,
  row,
  foot,
  onTop,
  ...rest
}: {
  inSight: RowsInSight
  columns: readonly Column[]
  /** Null when it is not known how many there are. */
  rowCount: number | null
  /** The element of a row; it is put in its place by `top`, in pixels. */
  row: (index: number, top: number) => ReactNode
  foot?: ReactNode
  /** Whether the first row is in sight. */
  onTop?: ((atTop: boolean) => void) | undefined
} & Omit<ComponentProps<'div'>, 'children' | 'onScroll' | 'ref'>) {
  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-rowcount={rowCount === null ? -1 : rowCount + 1}
      aria-colcount={columns.length}
      className={classes(styles['grid'], className)}
      onScroll={(event) => onTop?.(event.currentTarget.scrollTop < rowHeight / 2)}
      {...rest}
    >
      <div role="rowgroup" className={styles['head']}>
        <div role="row" aria-rowindex={1} className={styles['columns']}>
          {columns.map((column) => (
            <Heading key={column.name} column={column} />
          ))}
        </div>
      </div>
      <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => row(index, start - headHeight))}
      </div>
      {foot}
    </div>
  )
}

function Heading({
  column: { name, end = false, hideName = false, className, sort },
}: {
  column: Column
}) {
  const shown = hideName ? <span className={text['hidden']}>{name}</span> : name
  const style = classes(end && styles['end'], className)
  if (sort === undefined) {
    return (
      <span role="columnheader" className={style}>
        {shown}
      </span>
    )
  }
  const arrow = { ascending: '↑', descending: '↓', none: '' }[sort.direction]
  return (
    <span role="columnheader" aria-sort={sort.direction} className={style}>
      <button type="button" className={styles['sort']} onClick={sort.onSort}>
        {shown}
        <span aria-hidden="true">{arrow}</span>
      </button>
    </span>
  )
}

/** Stands in a row that is on its way. */
export function AbsentCell() {
  return (
    <span role="gridcell" className={styles['absent']}>
      <span className={styles['blank']} />
      <span className={text['hidden']}>Loading</span>
    </span>
  )
}
