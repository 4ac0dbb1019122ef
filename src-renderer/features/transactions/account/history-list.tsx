import { useVirtualizer } from '@tanstack/react-virtual'
import type { MouseEvent } from 'react'
import { useEffect, useRef, useState } from 'react'
import { formatCount } from '../../../format.ts'
import { useShortcuts } from '../../../keyboard.ts'
import { useNow } from '../../../moment.tsx'
import { navigate } from '../../../route.ts'
import { Button } from '../../../ui/button.tsx'
import text from '../../../ui/text.module.css'
import { HistoryListRow } from './history-row.tsx'
import { isFiltered } from './history-words.ts'
import type { History, HistoryState } from './history.ts'
import styles from './account.module.css'

const rowHeight = 30
const headHeight = 26
/** Rows before the end at which the next page is fetched. */
const nearEnd = 20

const columns = [
  ['Time', undefined],
  ['', 'direction'],
  ['With', undefined],
  ['Amount', 'number'],
  ['Meaning', undefined],
  ['Fees', 'fees'],
] as const

/** The history as a grid of which only what is in sight exists. */
export function HistoryList({
  history,
  state,
  onAtTop,
}: {
  history: History
  state: Extract<HistoryState, { status: 'ready' }>
  onAtTop: (atTop: boolean) => void
}) {
  const { rows, older, isSparse } = state.pages
  const scroller = useRef<HTMLDivElement>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const now = useNow()
  // eslint-disable-next-line react-hooks/incompatible-library -- its functions are used here only
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollPaddingStart: headHeight,
    scrollMargin: headHeight,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const canGoOn = older !== null && !isSparse && state.olderProblem === null

  useEffect(() => {
    if (canGoOn && last + nearEnd >= rows.length) void history.loadOlder()
  }, [history, canGoOn, last, rows.length])

  const open = (hash: string | undefined) => {
    if (hash === undefined) return
    navigate({ page: 'transactions', network: history.question.network, view: 'tx', hash })
  }
  const walk = (step: 1 | -1) => {
    const at = rows.findIndex(({ hash }) => hash === cursor)
    const next = at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))
    setCursor(rows[next]?.hash ?? null)
    virtual.scrollToIndex(next, { align: 'auto' })
  }
  const group = 'Transactions'
  useShortcuts([
    { keys: ['j', 'ArrowDown'], label: 'Next transaction', group, run: () => walk(1) },
    { keys: ['k', 'ArrowUp'], label: 'Previous transaction', group, run: () => walk(-1) },
    {
      keys: ['Enter'],
      label: 'Open the transaction',
      group,
      run: () => open(cursor ?? undefined),
    },
  ])

  const click = (event: MouseEvent) => {
    if (!(event.target instanceof Element) || event.target.closest('a,button') !== null) return
    open(event.target.closest('[data-hash]')?.getAttribute('data-hash') ?? undefined)
  }
  const isCursorShown = items.some(({ index }) => rows[index]?.hash === cursor)

  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label="Transactions"
      aria-rowcount={older === null ? rows.length + 1 : -1}
      aria-colcount={columns.length}
      aria-activedescendant={isCursorShown && cursor !== null ? `tx-${cursor}` : undefined}
      className={styles['grid']}
      onScroll={(event) => onAtTop(event.currentTarget.scrollTop < rowHeight / 2)}
      onClick={click}
    >
      <div role="rowgroup" className={styles['columnsArea']}>
        <div role="row" aria-rowindex={1} className={styles['columns']}>
          {columns.map(([name, style]) => (
            <span
              key={style ?? name}
              role="columnheader"
              className={style === undefined ? undefined : styles[style]}
            >
              {name === '' ? <span className={text['hidden']}>Direction</span> : name}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index]
          return (
            row !== undefined && (
              <HistoryListRow
                key={row.hash}
                row={row}
                index={index}
                top={start - headHeight}
                now={now}
                hasCursor={row.hash === cursor}
              />
            )
          )
        })}
      </div>
      <Foot history={history} state={state} />
    </div>
  )
}

function Foot({
  history,
  state: { pages, olderProblem },
}: {
  history: History
  state: Extract<HistoryState, { status: 'ready' }>
}) {
  const goOn = () => void history.loadOlder()
  if (olderProblem !== null) {
    return (
      <div className={styles['foot']} role="alert">
        <span className={styles['bad']}>
          Older ones could not be loaded: {olderProblem.message}
        </span>
        <Button icon="refresh" onClick={goOn}>
          Try again
        </Button>
      </div>
    )
  }
  if (pages.older === null) {
    return (
      <div className={styles['foot']}>
        {isFiltered(history.question.filter)
          ? `All of it was read: ${formatCount(pages.scanned, 'transaction')}.`
          : 'This is where its history begins.'}
      </div>
    )
  }
  if (!pages.isSparse) return <div className={styles['foot']}>Loading older ones…</div>
  return (
    <div className={styles['foot']}>
      Nothing in the last ones read. {formatCount(pages.scanned, 'transaction')} read in all.
      <Button onClick={goOn}>Look further back</Button>
    </div>
  )
}
