import { type MouseEvent, useEffect, useState } from 'react'
import { formatCount } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { useNow } from '../../../ui/moment.tsx'
import { navigate } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import grid from '../../../ui/grid.module.css'
import { VirtualGrid, useRowsInSight } from '../../../ui/virtual-grid.tsx'
import { HistoryListRow } from './history-row.tsx'
import { isFiltered } from './history-words.ts'
import type { HistoryPages } from './history-pages.ts'
import type { History, HistoryState } from './history.ts'
import styles from './account.module.css'

/** Rows before the end at which the next page is fetched. */
const nearEnd = 20

const columns = [
  { name: 'Time' },
  { name: 'Direction', hideName: true },
  { name: 'With' },
  { name: 'Amount', end: true },
  { name: 'Meaning' },
  { name: 'Fees', className: styles['fees'] },
]

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
  const [cursor, setCursor] = useState<string | null>(null)
  const now = useNow()
  const inSight = useRowsInSight(rows.length)
  const { last, virtual, items } = inSight
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
    <VirtualGrid
      inSight={inSight}
      aria-label="Transactions"
      rowCount={older === null ? rows.length : null}
      columns={columns}
      aria-activedescendant={isCursorShown && cursor !== null ? `tx-${cursor}` : undefined}
      className={styles['grid']}
      onTop={onAtTop}
      onClick={click}
      row={(index, top) => {
        const row = rows[index]
        return (
          row !== undefined && (
            <HistoryListRow
              key={row.hash}
              row={row}
              index={index}
              top={top}
              now={now}
              hasCursor={row.hash === cursor}
            />
          )
        )
      }}
      foot={<Foot history={history} state={state} />}
    />
  )
}

/** A node that prunes its history ends before the account's first transaction. */
function endWords({ scanned, isBeginning, offline }: HistoryPages, isFiltered: boolean): string {
  const read = isFiltered ? ` ${formatCount(scanned, 'transaction')} read.` : ''
  if (isBeginning) return `This is where its history begins.${read}`
  if (isFiltered) return `The search ends here.${read}`
  return offline === null
    ? 'The gateway has nothing older, although the account’s history goes further back.'
    : 'Nothing older is stored on this computer.'
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
      <div className={grid['foot']} role="alert">
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
      <div className={grid['foot']}>{endWords(pages, isFiltered(history.question.filter))}</div>
    )
  }
  if (!pages.isSparse) return <div className={grid['foot']}>Loading older ones…</div>
  return (
    <div className={grid['foot']}>
      Nothing in the last ones read. {formatCount(pages.scanned, 'transaction')} read in all.
      <Button onClick={goOn}>Look further back</Button>
    </div>
  )
}
