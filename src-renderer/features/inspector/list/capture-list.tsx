import { useVirtualizer } from '@tanstack/react-virtual'
import type { MouseEvent, ReactNode } from 'react'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { useNow } from '../../../moment.tsx'
import { openRow } from '../inspector-commands.ts'
import type { ReadyList } from '../inspector-state.ts'
import { openId } from '../inspector-state.ts'
import { choices, live, loading, useInspector } from '../inspector.ts'
import { countRows, indexOfId, rowAt } from './capture-pages.ts'
import { AbsentRow, CaptureListRow, rowElementId } from './capture-row.tsx'
import { isEverything } from './list-loading.ts'
import { ListFoot } from './list-foot.tsx'
import styles from './list.module.css'

const rowHeight = 30
const headHeight = 26
/** Rows before the end at which the next page is fetched. */
const nearEnd = 60

const columns = [
  ['Time', undefined],
  ['Event', undefined],
  ['Account', undefined],
  ['Logical time', 'lt'],
  ['Meaning', undefined],
  ['Answer', undefined],
  ['Took', 'took'],
  ['', 'marks'],
] as const

/** The captures as a grid of which only what is in sight exists. */
export function CaptureList({ list }: { list: ReadyList }) {
  const { query, counts, readUpTo, cursor, marked, topAsked } = useInspector()
  const open = useInspector((state) => openId(state.detail))
  const scroller = useRef<HTMLDivElement>(null)
  const pressed = useRef<number | null>(null)
  const now = useNow()
  const count = countRows(list.pages)
  // eslint-disable-next-line react-hooks/incompatible-library -- its functions are used here only
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollPaddingStart: headHeight,
    scrollMargin: headHeight,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0

  useEffect(() => {
    live.showRange(first, last)
    if (last + nearEnd >= count) void loading.loadOlder()
  }, [first, last, count, list.pages])

  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0
  }, [topAsked])

  useEffect(() => {
    const index = choices.cursorIndex()
    if (index >= 0) virtual.scrollToIndex(index, { align: 'auto' })
  }, [cursor, virtual])

  const cursorIndex = cursor === null ? -1 : indexOfId(list.pages, cursor)
  const cursorShown = cursorIndex >= first && cursorIndex <= last && count > 0
  const total = isEverything(query) ? (counts?.total ?? count) : count
  const known = isEverything(query) || list.nextBefore === null

  const click = (event: MouseEvent) => {
    const id = pressed.current ?? idAt(event.target)
    pressed.current = null
    if (id === null) return
    if (event.ctrlKey || event.metaKey) choices.toggleMark(id)
    else openRow(id)
  }

  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label="Captures"
      aria-rowcount={known ? total + 1 : -1}
      aria-colcount={columns.length}
      aria-multiselectable="true"
      aria-activedescendant={cursorShown && cursor !== null ? rowElementId(cursor) : undefined}
      className={styles['grid']}
      onScroll={(event) => noteTop(event.currentTarget.scrollTop)}
      // New rows may move what is under the pointer between press and release.
      onPointerDown={(event) => (pressed.current = idAt(event.target))}
      onClick={click}
    >
      <div role="rowgroup" className={styles['head']}>
        <div role="row" aria-rowindex={1} className={styles['columns']}>
          {columns.map(([name, style]) => (
            <Column key={name} style={style}>
              {name === '' ? <span className={styles['hidden']}>Marks</span> : name}
            </Column>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rowAt(list.pages, index)
          const top = start - headHeight
          if (row === null) return <AbsentRow key={`absent-${index}`} index={index} top={top} />
          return (
            <CaptureListRow
              key={row.id}
              row={row}
              index={index}
              top={top}
              now={Math.max(now, row.receivedAt)}
              isUnread={readUpTo !== null && row.id > readUpTo}
              isOpen={row.id === open}
              hasCursor={row.id === cursor}
              isMarked={marked.has(row.id)}
            />
          )
        })}
      </div>
      <ListFoot list={list} count={count} />
    </div>
  )
}

function Column({ style, children }: { style: string | undefined; children: ReactNode }) {
  return (
    <span role="columnheader" className={style === undefined ? undefined : styles[style]}>
      {children}
    </span>
  )
}

function idAt(target: EventTarget): number | null {
  const row = target instanceof Element ? target.closest('[data-id]') : null
  const id = Number(row?.getAttribute('data-id') ?? '')
  return id > 0 ? id : null
}

function noteTop(scrollTop: number): void {
  const atTop = scrollTop < rowHeight / 2
  if (useInspector.getState().atTop === atTop) return
  useInspector.setState({ atTop })
  if (atTop) live.catchUp()
}
