import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import type { Trace } from '../../../../src-preload/contract/chain.ts'
import { formatCount } from '../../../ui/format.ts'
import { navigate } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { VirtualRows } from '../../../components/body/virtual-rows.tsx'
import { findKeys, innerNodes, keyOf, layOutTree } from './message-tree.ts'
import { MessageTreeRow } from './message-tree-row.tsx'
import styles from './trace.module.css'

const rowHeight = 30

/** All messages of a trace, each below the one that caused it. */
export function MessageTree({ trace, here }: { trace: Trace; here: string | null }) {
  const network = useShownNetwork().id
  const id = useId()
  const { nodes, isComplete } = trace
  const hereIndex = nodes.findIndex(({ hash }) => hash !== null && hash === here)
  const [closed, setClosed] = useState<ReadonlySet<string>>(() => new Set())
  const [chosen, setChosen] = useState(() => keyOf(nodes, Math.max(0, hereIndex)))
  const collapsed = useMemo(() => findKeys(nodes, closed), [nodes, closed])
  const found = nodes.findIndex((_, index) => keyOf(nodes, index) === chosen)
  const current = Math.max(0, found)
  const setCurrent = (index: number) => setChosen(keyOf(nodes, index))
  const setCollapsed = (indexes: ReadonlySet<number>) =>
    setClosed(new Set([...indexes].map((index) => keyOf(nodes, index))))
  const lines = useMemo(() => layOutTree(nodes, collapsed), [nodes, collapsed])
  const row = lines.findIndex(({ index }) => index === current)
  const line = lines[row]

  const toggle = (index: number, close = !collapsed.has(index)) => {
    const next = new Set(collapsed)
    if (close) next.add(index)
    else next.delete(index)
    setCollapsed(next)
  }
  const step = (by: number) => {
    const next = lines[Math.min(lines.length - 1, Math.max(0, row + by))]
    if (next !== undefined) setCurrent(next.index)
  }
  const open = (index: number) => {
    const hash = nodes[index]?.hash ?? null
    if (hash !== null && hash !== here)
      navigate({ page: 'transactions', network, view: 'tx', hash })
  }

  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    const hasOpen = line !== undefined && line.below > 0 && !collapsed.has(current)
    const parent = nodes[current]?.parent ?? null
    const act = {
      ArrowDown: () => step(1),
      j: () => step(1),
      ArrowUp: () => step(-1),
      k: () => step(-1),
      PageDown: () => step(10),
      PageUp: () => step(-10),
      ArrowRight: () => (hasOpen ? step(1) : toggle(current, false)),
      ArrowLeft: () => {
        if (hasOpen) toggle(current, true)
        else if (parent !== null) setCurrent(parent)
      },
      Home: () => step(-lines.length),
      End: () => step(lines.length),
      Enter: () => open(current),
      ' ': () => line !== undefined && line.below > 0 && toggle(current),
    }[event.key]
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    act()
  }

  return (
    <section className={styles['tree']} aria-label="Message tree">
      <div className={styles['bar']}>
        <h3>Message tree</h3>
        <span className={styles['count']}>{formatCount(nodes.length, 'transaction')}</span>
        {!isComplete && (
          <Tag tone="warn" title="Messages of it are still on their way.">
            in progress
          </Tag>
        )}
        <span className={styles['end']}>
          {hereIndex >= 0 && nodes.length > 20 && (
            <Button
              kind="quiet"
              onClick={() => {
                setCollapsed(new Set())
                setCurrent(hereIndex)
              }}
            >
              Show this one
            </Button>
          )}
          {collapsed.size > 0 ? (
            <Button kind="quiet" onClick={() => setCollapsed(new Set())}>
              Expand all
            </Button>
          ) : (
            nodes.length > 4 && (
              <Button
                kind="quiet"
                onClick={() => {
                  setCollapsed(innerNodes(lines))
                  setCurrent(0)
                }}
              >
                Collapse all
              </Button>
            )
          )}
        </span>
      </div>
      <VirtualRows
        count={lines.length}
        height={rowHeight}
        role="tree"
        aria-label="Messages"
        aria-activedescendant={`${id}-${current}`}
        reveal={row}
        onKeyDown={press}
        render={(at, top) => {
          const shown = lines[at]
          const node = shown === undefined ? undefined : nodes[shown.index]
          if (shown === undefined || node === undefined) return null
          return (
            <MessageTreeRow
              key={keyOf(nodes, shown.index)}
              node={node}
              line={shown}
              top={top}
              elementId={`${id}-${shown.index}`}
              isHere={shown.index === hereIndex}
              isCurrent={shown.index === current}
              isCollapsed={collapsed.has(shown.index)}
              onChoose={() => setCurrent(shown.index)}
              onToggle={() => toggle(shown.index)}
            />
          )
        }}
      />
    </section>
  )
}
