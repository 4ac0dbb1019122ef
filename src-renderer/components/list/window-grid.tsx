import { type MouseEvent, type ReactNode, useEffect, useId } from 'react'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import grid from '../../ui/grid.module.css'
import text from '../../ui/text.module.css'
import warning from '../../ui/warning.module.css'
import { type Column, AbsentCell, VirtualGrid, useRowsInSight } from '../../ui/virtual-grid.tsx'
import { type ReadyWindows, type WindowList, rowAt } from './windows.ts'
import styles from './grid.module.css'

/** What was pressed: the row itself, a link or a button in it, or the row so as to select it. */
type PressBy = 'row' | 'control' | 'select'

const controls = 'a, button, input'

/** A grid of which only what is in sight exists, or is even fetched. */
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
  isSelected,
  onSelect,
}: {
  label: string
  /** Sets `--columns`, and `--least` where it is not to become narrower. */
  className: string | undefined
  columns: readonly Column[]
  list: WindowList<T, X>
  state: ReadyWindows<T, X>
  /** The cells of one row, each with the role of a `gridcell`. */
  cells: (row: T, index: number) => ReactNode
  /** The row that keys act on, by its index. */
  cursor: number | null
  onCursor: (index: number, by: PressBy) => void
  onOpen?: ((row: T) => void) | undefined
  /** Whether the first row is in sight. */
  onTop?: ((atTop: boolean) => void) | undefined
  /** Where several rows can be meant at once. */
  isSelected?: ((row: T) => boolean) | undefined
  /** A press with Ctrl or Cmd selects a row too, one with Shift all from the last selected on. */
  onSelect?: ((index: number, reach: 'row' | 'range') => void) | undefined
}) {
  const id = useId()
  const { question } = state
  const inSight = useRowsInSight(state.total, question)
  const { first, last, virtual } = inSight

  useEffect(() => list.show(first, last), [list, first, last, question])

  useEffect(() => {
    if (cursor !== null) virtual.scrollToIndex(cursor, { align: 'auto' })
  }, [cursor, virtual])

  const rowId = (index: number) => `${id}-${index}`
  const indexOf = (event: MouseEvent): number | null => {
    const row =
      event.target instanceof Element ? event.target.closest('[role=row][data-index]') : null
    return row === null ? null : Number(row.getAttribute('data-index'))
  }
  const open = (event: MouseEvent) => {
    const index = indexOf(event)
    const row = index === null ? null : rowAt(state, index)
    if (row !== null) onOpen?.(row)
  }

  const press = (event: MouseEvent) => {
    const index = indexOf(event)
    if (index === null) return
    const isOwn = event.target instanceof Element && event.target.closest(controls) !== null
    const isRow = event.ctrlKey || event.metaKey
    // Before the cursor moves: where nothing was selected yet, a range begins at it.
    if (event.shiftKey) onSelect?.(index, 'range')
    else if (isRow && !isOwn) onSelect?.(index, 'row')
    onCursor(index, isOwn ? 'control' : isRow || event.shiftKey ? 'select' : 'row')
  }

  /** What is pressed in a row does not take the focus: Enter and Space stay the list's. */
  const hold = (event: MouseEvent<HTMLElement>) => {
    const pressed = event.target instanceof Element && event.target.closest(controls)
    const isInRow = pressed instanceof Element && pressed.closest('[role=row][data-index]') !== null
    // With Shift the browser would select the text between two presses.
    if (!isInRow && !(event.shiftKey && onSelect !== undefined)) return
    event.preventDefault()
    event.currentTarget.focus({ preventScroll: true })
  }

  const table = (
    <VirtualGrid
      inSight={inSight}
      aria-label={label}
      rowCount={state.total}
      columns={columns}
      aria-activedescendant={
        cursor !== null && cursor >= first && cursor <= last ? rowId(cursor) : undefined
      }
      className={classes(styles['grid'], className)}
      onTop={onTop}
      aria-multiselectable={isSelected === undefined ? undefined : true}
      onMouseDown={hold}
      onClick={press}
      onDoubleClick={open}
      row={(index, top) => {
        const row = rowAt(state, index)
        const isMeant = row !== null && isSelected?.(row) === true
        return (
          <div
            key={index}
            role="row"
            id={rowId(index)}
            data-index={index}
            aria-rowindex={index + 2}
            aria-selected={isSelected === undefined ? index === cursor : isMeant}
            className={classes(
              grid['row'],
              index === cursor && styles['cursor'],
              isMeant && styles['selected'],
            )}
            style={{ transform: `translateY(${top}px)` }}
          >
            {row === null ? <AbsentCell /> : cells(row, index)}
          </div>
        )
      }}
    />
  )
  return (
    <div className={styles['area']}>
      {state.problem !== null && (
        <p className={warning['bar']} role="alert">
          What you see may be old: {state.problem.message}{' '}
          <Button onClick={() => list.refresh()}>Try again</Button>
        </p>
      )}
      {table}
    </div>
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
