import { useRef, useState } from 'react'
import type { Matter } from '../../../../src-preload/contract/matter.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatCount } from '../../../ui/format.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { ListStates, useTotal } from '../../../components/list/list-states.tsx'
import { useGridKeys } from '../../../components/list/use-grid-keys.ts'
import { useRowCursor } from '../../../components/list/use-row-cursor.ts'
import { WindowGrid } from '../../../components/list/window-grid.tsx'
import { rowAt } from '../../../components/list/windows.ts'
import { readNow } from '../list/sync-state.tsx'
import { useWidth } from '../list/use-width.ts'
import { MatterCells, matterColumns } from './matter-cells.tsx'
import { handleMatters, openMatter } from './matter-commands.ts'
import { type MatterList, useShown } from './matter-list.ts'
import styles from './attention.module.css'

const noMatters: ReadonlySet<number> = new Set()
const keyOf = ({ key }: Matter) => key

/** What the filter lets through, and what keys and presses do with it. */
export function MatterRows({
  network,
  list,
  open,
  field,
}: {
  network: Network
  list: MatterList
  open: number | null
  field: React.RefObject<HTMLInputElement | null>
}) {
  const shown = useShown()
  const { handled } = shown
  const [selection, setSelection] = useState({ shown, of: noMatters })
  // What was selected may no longer be in sight: it is not to be handled unseen.
  const selected = selection.shown === shown ? selection.of : noMatters
  const select = (of: ReadonlySet<number>) => setSelection({ shown, of })
  const box = useRef<HTMLDivElement>(null)
  const columns = matterColumns(useWidth(box))
  const state = list.store()
  const { cursor, put } = useRowCursor(list, keyOf, open)
  const at = (index: number) => (state.status === 'ready' ? rowAt(state, index) : null)
  const row = cursor === null ? null : at(cursor)

  const walk = (index: number | null) => {
    const there = put(index)
    // Beside an open one, what is walked to is shown at once.
    if (there !== null && open !== null) openMatter(network.id, there.key, true)
  }
  const toggle = (key: number) => {
    const next = new Set(selected)
    if (!next.delete(key)) next.add(key)
    select(next)
  }
  const selectTo = (index: number) => {
    const start = cursor ?? index
    const next = new Set(selected)
    for (let each = Math.min(start, index); each <= Math.max(start, index); each += 1) {
      const there = at(each)
      if (there !== null) next.add(there.key)
    }
    select(next)
  }
  const handle = (keys: readonly number[]) => {
    select(noMatters)
    if (keys.length > 0) void handleMatters(network.id, keys)
  }
  /** The next one takes its place, in the detail too: keys go down the list one by one. */
  const handleMeant = () => {
    if (selected.size > 0) {
      handle([...selected])
      return
    }
    if (row === null || cursor === null) return
    handle([row.key])
    if (open === row.key) walk(at(cursor + 1) === null ? Math.max(0, cursor - 1) : cursor + 1)
  }

  const key = shortcutsOf('Attention')
  useGridKeys({
    group: 'Attention',
    thing: 'matter',
    count: useTotal(list),
    cursor,
    onCursor: walk,
  })
  useShortcuts([
    key(['Enter'], 'Open it', () => {
      if (row !== null) openMatter(network.id, row.key)
    }),
    key(['x', ' '], 'Select or deselect', () => {
      if (row !== null) toggle(row.key)
    }),
    key(['h'], 'Mark handled', () => {
      if (!handled) handleMeant()
    }),
    key(['r'], 'Read the gateway and the chain now', () => void readNow(network)),
    key(['/'], 'Search what needs attention', () => {
      field.current?.focus()
      field.current?.select()
    }),
    key(['Escape'], 'Put away the selection, the detail', () => {
      if (selected.size > 0) select(noMatters)
      else if (open !== null) openMatter(network.id, null)
    }),
  ])

  return (
    <div ref={box} className={styles['rows']}>
      {selected.size > 0 && (
        <div className={styles['selection']} role="status">
          {formatCount(selected.size, 'matter')} selected
          {!handled && <Button onClick={() => handle([...selected])}>Mark handled</Button>}
          <Button kind="quiet" onClick={() => select(noMatters)}>
            Deselect
          </Button>
        </div>
      )}
      <ListStates list={list} of="what needs attention" empty={<Nothing />}>
        {(ready) => (
          <WindowGrid
            label="What needs attention"
            className={styles[columns.layout]}
            columns={columns.heads}
            list={list}
            state={ready}
            cursor={cursor}
            onCursor={(index, by) => {
              if (by !== 'row') {
                walk(index)
                return
              }
              const there = put(index)
              if (there !== null) openMatter(network.id, there.key)
            }}
            isSelected={({ key: each }) => selected.has(each)}
            onSelect={(index, reach) => {
              const there = rowAt(ready, index)
              if (reach === 'range') selectTo(index)
              else if (there !== null) toggle(there.key)
            }}
            cells={(matter) => <MatterCells matter={matter} columns={columns} />}
          />
        )}
      </ListStates>
    </div>
  )
}

function Nothing() {
  const { kind, handled, text: typed } = useShown()
  if (kind !== null || typed !== '') {
    return (
      <EmptyState title="Nothing here is like that">
        <Button onClick={() => useShown.setState({ kind: null, text: '' })}>Show all</Button>
      </EmptyState>
    )
  }
  if (handled) {
    return (
      <EmptyState
        title="Nothing was handled yet"
        detail="What you mark as handled is kept here, with its note."
      />
    )
  }
  return (
    <EmptyState
      title="Nothing needs you"
      detail="Overpayments, late and partial payments, payments without an invoice, and states on which gateway, chain and deliveries do not agree are listed here."
    >
      <a href={printRoute(invoicesHome)}>All invoices</a>
    </EmptyState>
  )
}
