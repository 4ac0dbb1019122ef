import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type ComponentProps,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import {
  type AmountSize,
  type AmountSizes,
  fitColumns,
  measureAmounts,
  sizeOfAmount,
} from './data-columns.ts'
import surface from './surface.module.css'
import styles from './data-list.module.css'
import { FailedState, Skeleton } from './loaded.tsx'
import { formatNumber } from './format.ts'
import { shortcutsOf, useShortcuts } from './keyboard.ts'
import { Note, Digits, Text, textClasses } from './layout.tsx'
import type { ListSource, RowId } from './list-source.ts'
import { showToast } from './toast.tsx'

/** The heights must equal `--row` in the stylesheet. */
const rowHeight = () => (document.documentElement.dataset['density'] === 'compact' ? 24 : 30)
const headHeight = 26
const pageStep = 15

export type Sort<K extends string> = { readonly by: K; readonly descending: boolean }

export type DataColumn<T, K extends string = string> = {
  /** The column's name in the setting of hidden columns, if it differs from `name`. */
  readonly id?: string
  readonly name: string
  /** The minimum width in pixels. */
  readonly width: number
  /** The share of the remaining width; if absent, the width is fixed. */
  readonly grow?: number
  /** True to show the heading only to screen readers. */
  readonly hideName?: boolean
  /**
   * Columns with a number are hidden if there is no space, the highest number first; the user can
   * hide them too.
   */
  readonly gives?: number
  readonly sort?: K
  /**
   * `number` and `amount` are aligned to the end of their cell; an `amount` in text is never cut
   * and is aligned at its decimal point.
   */
  readonly look?: 'number' | 'amount' | 'mono' | 'dim' | 'strong'
  readonly tone?: (row: T) => ComponentProps<typeof Text>['tone']
  /** `shows` returns whether another column is visible. */
  readonly cell: (row: T, index: number, shows: (column: string) => boolean) => ReactNode
  /** The tooltip. */
  readonly title?: (row: T) => string | undefined
}

/** A column by its name, its form and the content of its cells. */
export function dataColumn<T, K extends string = string>(
  name: string,
  form: Omit<DataColumn<T, K>, 'name' | 'cell'>,
  cell: DataColumn<T, K>['cell'],
): DataColumn<T, K> {
  return { name, ...form, cell }
}

/** Returns the order after a press on a heading: its first order, the reverse, and then the default order. */
export function nextSort<K extends string>(
  sort: Sort<K>,
  by: K,
  /** Columns in `largeFirst` sort in descending order first. */
  { usual, largeFirst }: { usual: Sort<K>; largeFirst: ReadonlySet<K> },
): Sort<K> {
  const first = largeFirst.has(by)
  if (sort.by !== by) return { by, descending: first }
  if (by === usual.by) return { by, descending: !sort.descending }
  return sort.descending === first ? { by, descending: !first } : usual
}

/** How a row was opened: `walk` means by moving to it while another row is open beside the list. */
type OpenedBy = 'press' | 'enter' | 'walk'

type DataListProps<T, K extends string> = {
  list: ListSource<T>
  columns: readonly DataColumn<T, K>[]
  /** The plural of the listed things, such as “accounts”. */
  of: string
  /** The name of one listed thing, such as “account”. */
  thing: string
  /** The heading of the keys in the list of shortcuts. */
  group: string
  /** Replaces the list while it has no row. */
  empty: ReactNode
  sort?: Sort<K>
  onSort?: (by: K) => void
  onOpen?: (row: T, by: OpenedBy) => void
  /**
   * The id of the item that is open beside the list, or null: then one press opens a row, and
   * moving the cursor follows.
   */
  openId?: string | number | null
  /**
   * Called on Escape if no row is selected; if a detail can be open beside the list, also if no row
   * has the cursor.
   */
  onLeave?: () => void
  /** Makes rows selectable; returns the name of a row for its checkbox. */
  selectable?: (row: T) => string
  /** The ids of the columns that the user has hidden: see `createHiddenColumns`. */
  hidden?: ReadonlySet<string>
  /** Returns true for rows with a mark at their beginning, such as unread ones. */
  isMarked?: (row: T) => boolean
  /** Content below the last row. */
  foot?: ReactNode
}

/**
 * A table of any length, of which only visible rows exist or are even loaded: sortable headings,
 * keys, selection, a bar for new rows, and its four states.
 */
export function DataList<T, K extends string = string>(props: DataListProps<T, K>) {
  const { list, of, empty, group, onLeave } = props
  const status = list.use((state) => state.status)
  const error = list.use((state) => state.error)
  const isEmpty = list.use((state) => state.total === 0 && state.rowCount !== null)
  // Without rows there are no row keys, but Escape still works.
  useShortcuts(
    onLeave === undefined
      ? []
      : [{ keys: ['Escape'], label: 'Close details or clear the selection', group, run: onLeave }],
  )
  if (status === 'loading') return <Skeleton rows={10} label={`Loading ${of}`} />
  if (status === 'failed') {
    return (
      <FailedState what={`Could not list the ${of}`} why={error ?? ''} onRetry={list.refresh} />
    )
  }
  return isEmpty ? <div className={styles['empty']}>{empty}</div> : <Rows {...props} />
}

function Rows<T, K extends string>(props: DataListProps<T, K>) {
  const { list, columns, of, selectable, hidden, foot, sort, onSort } = props
  const id = useId()
  const { total, rowCount, error, news, cursor, selected, beginning, held } = list.use()
  const scroller = useRef<HTMLDivElement>(null)
  const width = useWidth(scroller)
  const shown = useFitting(columns, { width, hidden, held, hasChecks: selectable !== undefined })
  // oxlint-disable-next-line react/incompatible-library -- its functions are used here only
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: rowHeight,
    overscan: 8,
    scrollPaddingStart: headHeight,
    scrollMargin: headHeight,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0

  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0
  }, [beginning])
  useEffect(() => list.show(first, last), [list, first, last, beginning])
  useEffect(() => {
    if (cursor !== null) virtual.scrollToIndex(cursor, { align: 'auto' })
  }, [cursor, virtual])

  const selection = selectionOf(list, of)
  useRowKeys(props, selection)
  const presses = usePresses(props, selection)
  const rowId = (index: number) => `${id}-${index}`

  return (
    <div className={styles['area']}>
      {/* New rows wait until the user presses this, so that no row moves while it is being read. */}
      {news !== null && (
        <button
          type="button"
          className={styles['news']}
          title="Show new rows. Shortcut: the period key"
          onClick={list.refresh}
        >
          {describeNews(news)}
        </button>
      )}
      {error !== null && (
        <Note tone="bad">
          The rows shown may be outdated: {error.message}{' '}
          <Button onClick={list.refresh}>Try again</Button>
        </Note>
      )}
      <div
        ref={scroller}
        role="grid"
        tabIndex={0}
        aria-label={`${of.charAt(0).toUpperCase()}${of.slice(1)}`}
        aria-rowcount={rowCount === null ? -1 : (rowCount ?? total) + 1}
        aria-colcount={shown.columns.length}
        aria-multiselectable={selectable === undefined ? undefined : true}
        aria-activedescendant={
          cursor !== null && cursor >= first && cursor <= last ? rowId(cursor) : undefined
        }
        className={styles['grid']}
        style={shown.style}
        onScroll={({ currentTarget }) => list.atTop(currentTarget.scrollTop < rowHeight() / 2)}
        {...presses}
      >
        <div role="rowgroup" className={styles['head']}>
          <div role="row" aria-rowindex={1} className={styles['columns']}>
            {selectable !== undefined && (
              <span role="columnheader">
                <Text hidden>Selected</Text>
              </span>
            )}
            {shown.columns.map((column) => {
              const { name, hideName = false, sort: by } = column
              const words = hideName ? <Text hidden>{name}</Text> : name
              const style = classes(textClasses({ over: 'cut' }), isAtEnd(column) && styles['end'])
              if (by === undefined || sort === undefined) {
                return (
                  <span key={name} role="columnheader" className={style}>
                    {words}
                  </span>
                )
              }
              const direction =
                sort.by !== by ? 'none' : sort.descending ? 'descending' : 'ascending'
              return (
                <span key={name} role="columnheader" aria-sort={direction} className={style}>
                  <button type="button" className={styles['sort']} onClick={() => onSort?.(by)}>
                    {words}
                    <span aria-hidden="true">
                      {{ ascending: '↑', descending: '↓', none: '' }[direction]}
                    </span>
                  </button>
                </span>
              )
            })}
          </div>
        </div>
        <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => (
            <DataRow
              key={index}
              id={rowId(index)}
              index={index}
              top={start - headHeight}
              list={props}
              shown={shown}
              selected={selected}
              isAtCursor={index === cursor}
              onToggle={() => selection.toggle(index)}
            />
          ))}
        </div>
        {foot && (
          // A grid may contain only rows.
          <div role="rowgroup">
            <div role="row">
              <div role="gridcell">{foot}</div>
            </div>
          </div>
        )}
      </div>
    </div>
  )
}

/** Selects rows of a list; a toast says that the selection cannot grow, or that loading it failed. */
function selectionOf<T>(list: ListSource<T>, of: string) {
  const check = (work: boolean) => {
    if (work) return
    const title = `At most ${formatNumber(list.mostSelected)} ${of} can be selected`
    showToast({ title, tone: 'bad' })
  }
  return {
    toggle: (index: number) => check(list.toggle(index)),
    to: (index: number) => {
      list.selectTo(index).then(check, (problem: unknown) => {
        const detail = problem instanceof Error ? problem.message : ''
        showToast({ title: `Could not select the ${of}`, detail, tone: 'bad' })
      })
    },
  }
}

/** Moves the cursor to the row with an index. If a detail is open beside the list, it shows that row. */
function useWalk<T, K extends string>({ list, onOpen, openId }: DataListProps<T, K>) {
  const { total, cursorId, held } = list.use()
  const isDetailOpen = openId !== null && openId !== undefined
  const isAwaited = useRef(false)
  const walk = (index: number) => {
    leaveControl()
    const row = list.put(Math.max(0, Math.min(total - 1, index)))
    isAwaited.current = row === null && isDetailOpen
    if (row !== null && isDetailOpen) onOpen?.(row, 'walk')
  }
  useEffect(() => {
    const row = list.cursorRow()
    if (!isAwaited.current || row === null) return
    isAwaited.current = false
    onOpen?.(row, 'walk')
  }, [list, cursorId, onOpen])
  // The keys continue from a row that was opened by its link.
  useEffect(() => {
    if (openId === null || openId === undefined) return
    if (list.use.getState().cursorId === openId) return
    const index = list.indexOf(openId)
    if (index !== null) list.put(index)
    else list.seek?.(openId)
  }, [list, openId, held])
  return walk
}

/** Handles the keys that move the cursor, select and open. */
function useRowKeys<T, K extends string>(
  props: DataListProps<T, K>,
  selection: ReturnType<typeof selectionOf>,
) {
  const { list, thing, group, onOpen, openId, onLeave, selectable } = props
  const { total, cursor, selected } = list.use()
  const walk = useWalk(props)
  const extend = (step: 1 | -1) => {
    if (cursor !== null && selected.size === 0) selection.toggle(cursor)
    const next = Math.max(0, Math.min(total - 1, (cursor ?? -1) + step))
    walk(next)
    selection.to(next)
  }
  const key = shortcutsOf(group)
  const at = cursor ?? -1
  useShortcuts([
    key(['j', 'ArrowDown'], `Next ${thing}`, () => walk(at + 1)),
    key(['k', 'ArrowUp'], `Previous ${thing}`, () => walk(at - 1)),
    key(['PageDown'], 'One page down', () => walk(at + pageStep)),
    key(['PageUp'], 'One page up', () => walk(at - pageStep)),
    key(['Home'], `First ${thing}`, () => walk(0)),
    key(['End'], `Last ${thing}`, () => walk(total - 1)),
    key(['.'], 'Show new rows', list.refresh),
    key(['Escape'], 'Close details or clear the selection', () => {
      if (selected.size > 0) list.selectNone()
      else if (openId !== null && onLeave !== undefined) onLeave()
      else if (cursor !== null) list.put(null)
      else onLeave?.()
    }),
    ...(onOpen === undefined
      ? []
      : [
          key(['Enter'], `Open the ${thing}`, () => {
            const row = list.cursorRow()
            if (row !== null) onOpen(row, 'enter')
          }),
        ]),
    ...(selectable === undefined
      ? []
      : [
          key(['x', ' '], `Select or deselect the ${thing}`, () => {
            if (cursor !== null) selection.toggle(cursor)
          }),
          key(['J', 'shift+ArrowDown'], 'Extend the selection down', () => extend(1)),
          key(['K', 'shift+ArrowUp'], 'Extend the selection up', () => extend(-1)),
          key(['X'], 'Select all rows from the last selected row to this row', () => {
            if (cursor !== null) selection.to(cursor)
          }),
        ]),
  ])
}

const controls = 'a, button, input'

/** Handles the mouse in the rows: a press moves the cursor, selects or opens. */
function usePresses<T, K extends string>(
  { list, onOpen, openId, selectable }: DataListProps<T, K>,
  selection: ReturnType<typeof selectionOf>,
) {
  const indexOf = ({ target }: MouseEvent): number | null => {
    const row = target instanceof Element ? target.closest('[role=row][data-index]') : null
    return row === null ? null : Number(row.getAttribute('data-index'))
  }
  const isOnControl = ({ target }: MouseEvent) =>
    target instanceof Element && target.closest(controls) !== null
  /** Rows may move between press and release, so the pressed row counts. */
  const pressed = useRef<RowId | null>(null)
  const press = (event: MouseEvent) => {
    const index = list.indexOf(pressed.current ?? '') ?? indexOf(event)
    pressed.current = null
    if (index === null) return
    const isOne = event.ctrlKey || event.metaKey
    // This comes before the cursor moves: if nothing was selected, a range begins at the cursor.
    if (selectable !== undefined && event.shiftKey) selection.to(index)
    else if (selectable !== undefined && isOne && !isOnControl(event)) selection.toggle(index)
    const row = list.put(index)
    if (row === null || openId === undefined || isOnControl(event)) return
    if (!event.shiftKey && !isOne) onOpen?.(row, 'press')
    else if (openId !== null) onOpen?.(row, 'walk')
  }
  /** A pressed element of a row must not take the focus, so that Enter and Space still work in the list. */
  const hold = (event: MouseEvent<HTMLElement>) => {
    const row = list.rowAt(indexOf(event))
    pressed.current = row === null ? null : list.idOf(row)
    const isInRow = isOnControl(event) && indexOf(event) !== null
    // While Shift is held, the browser would select the text between two presses.
    if (!isInRow && !(event.shiftKey && selectable !== undefined)) return
    event.preventDefault()
    event.currentTarget.focus({ preventScroll: true })
  }
  const openUnlessBeside = (event: MouseEvent) => {
    const row = list.rowAt(indexOf(event))
    if (row !== null && openId === undefined) onOpen?.(row, 'press')
  }
  return { onMouseDown: hold, onClick: press, onDoubleClick: openUnlessBeside }
}

function DataRow<T, K extends string>({
  id,
  index,
  top,
  list: { list, selectable, isMarked },
  shown: { columns, sizes },
  selected,
  isAtCursor,
  onToggle,
}: {
  id: string
  index: number
  /** The distance from the first row in pixels. */
  top: number
  list: DataListProps<T, K>
  shown: ReturnType<typeof useFitting<T, K>>
  selected: { has(id: RowId): boolean }
  isAtCursor: boolean
  onToggle: () => void
}) {
  const row = list.rowAt(index)
  const isSelected = row !== null && selected.has(list.idOf(row))
  const isSigned = (isAtCursor && isSelected) || (row !== null && isMarked?.(row) === true)
  const shows = (name: string) => columns.some((column) => column.name === name)
  return (
    <div
      role="row"
      id={id}
      data-index={index}
      data-id={row === null ? undefined : list.idOf(row)}
      aria-rowindex={index + 2}
      aria-selected={selectable === undefined ? isAtCursor : isSelected}
      className={classes(
        surface['hover'],
        styles['row'],
        (isAtCursor || isSelected) && surface['chosen'],
        isSigned && surface['marked'],
      )}
      style={{ transform: `translateY(${top}px)` }}
    >
      {row !== null && selectable !== undefined && (
        <span role="gridcell">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${selectable(row)}`}
            checked={isSelected}
            onChange={onToggle}
          />
        </span>
      )}
      {row === null ? (
        <span role="gridcell" className={styles['absent']}>
          <span className={styles['blank']} />
          <Text hidden>Loading</Text>
        </span>
      ) : (
        columns.map((column) => {
          const { name, look, cell, title, tone } = column
          const content = cell(row, index, shows)
          return (
            <span
              key={name}
              role="gridcell"
              title={title?.(row)}
              className={textClasses({
                over: 'cut',
                mono: look === 'mono' || look === 'amount',
                number: isAtEnd(column),
                tone: tone?.(row) ?? (look === 'dim' ? 'dim' : undefined),
                strong: look === 'strong',
              })}
            >
              {look === 'amount' && typeof content === 'string' ? (
                <AmountInColumn text={content} size={sizes[name]} />
              ) : (
                content
              )}
            </span>
          )
        })
      )}
    </div>
  )
}

function describeNews(news: number | string): string {
  if (typeof news === 'string') return news
  return news > 0 ? `${formatNumber(news)} new` : 'The order of the rows has changed'
}

const isAtEnd = ({ look }: { look?: string }) => look === 'number' || look === 'amount'

/** Aligns amounts in a column at their decimal points. */
function AmountInColumn({ text, size }: { text: string; size: AmountSize | undefined }) {
  const missing = Math.max(0, (size?.rest ?? 0) - sizeOfAmount(text).rest)
  return (
    <span style={{ paddingRight: `${missing}ch` }}>
      <Digits text={text} />
    </span>
  )
}

/** Enter must open the row with the cursor, and not press the last pressed button again. */
function leaveControl(): void {
  const focused = document.activeElement
  if (focused instanceof HTMLElement && focused.matches('a, button')) focused.blur()
}

/** Returns the width in pixels; 0 before the element exists. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const box = element.current
    if (box === null) return undefined
    const measure = () => setWidth(box.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [element])
  return width
}

/** Returns the columns for which there is space, and their widths. */
function useFitting<T, K extends string>(
  columns: readonly DataColumn<T, K>[],
  {
    held,
    ...room
  }: {
    width: number
    hidden: ReadonlySet<string> | undefined
    held: ReadonlyMap<number, readonly T[]> | undefined
    hasChecks: boolean
  },
): { columns: readonly DataColumn<T, K>[]; sizes: AmountSizes; style: CSSProperties } {
  const [known, setKnown] = useState<AmountSizes>({})
  const sizes = measureAmounts(columns, [...(held?.values() ?? [])].flat(), known)
  if (sizes !== known) setKnown(sizes)
  const { shown, template, least } = fitColumns(columns, { ...room, sizes })
  const style = { '--columns': template, '--least': `${least}px` } as CSSProperties
  return { columns: shown, sizes, style }
}
