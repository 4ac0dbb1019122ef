import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import warning from '../../ui/warning.module.css'
import { copyTextOf, innerContainers, isContainer, layOutJson, pathOf } from './json-rows.ts'
import type { JsonTree } from './json-nodes.ts'
import { shorten } from '../../ui/format.ts'
import { TreeRow } from './tree-row.tsx'
import { useJsonTree } from './use-json-tree.ts'
import { VirtualRows } from './virtual-rows.tsx'
import styles from './body.module.css'

const rowHeight = 21

/** A body as a JSON tree in which every literal stands as it was received. */
export function TreeView({ text, label = 'Body as a tree' }: { text: string; label?: string }) {
  const tree = useJsonTree(text)
  if (tree === null) return <Skeleton rows={8} label="Reading the body" />
  return <Tree key={tree.text} tree={tree} label={label} />
}

function Tree({ tree, label }: { tree: JsonTree; label: string }) {
  const id = useId()
  const [collapsed, setCollapsed] = useState<ReadonlySet<number>>(() => new Set())
  const [current, setCurrent] = useState(0)
  const { rows, cutOff } = useMemo(() => layOutJson(tree, collapsed), [tree, collapsed])
  const row = useMemo(() => rows.indexOf(current), [rows, current])

  const toggle = (node: number, close = !collapsed.has(node)) => {
    if (!isContainer(tree, node) || tree.counts[node] === 0) return
    const next = new Set(collapsed)
    if (close) next.add(node)
    else next.delete(node)
    setCollapsed(next)
  }

  const step = (by: 1 | -1) => {
    for (let at = row + by; at >= 0 && at < rows.length; at += by) {
      const node = rows[at] ?? -1
      if (node >= 0) {
        setCurrent(node)
        return
      }
    }
  }

  const press = (event: KeyboardEvent) => {
    const isOpen = isContainer(tree, current) && !collapsed.has(current)
    const parent = tree.parents[current] ?? -1
    const act = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      ArrowRight: () => (isOpen ? step(1) : toggle(current, false)),
      ArrowLeft: () => (isOpen ? toggle(current, true) : parent >= 0 && setCurrent(parent)),
      Home: () => setCurrent(0),
      End: () => setCurrent(rows.findLast((node) => node >= 0) ?? 0),
      Enter: () => toggle(current),
      ' ': () => toggle(current),
    }[event.key]
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    act()
  }

  return (
    <div className={styles['view']}>
      {tree.problem !== null && (
        <p className={warning['box']} role="status">
          Not valid JSON: line {tree.problem.line}, column {tree.problem.column}.{' '}
          {tree.problem.message}{' '}
          <Button kind="link" onClick={() => setCurrent(tree.size - 1)}>
            Show the place
          </Button>
        </p>
      )}
      <div className={styles['tools']}>
        <code className={styles['path']}>{shorten(pathOf(tree, current), 40, 40)}</code>
        <CopyButton text={copyTextOf(tree, current)} what="Value" label="Copy value" kind="quiet" />
        <CopyButton text={pathOf(tree, current)} what="Path" label="Copy path" kind="quiet" />
        <Button kind="quiet" onClick={() => setCollapsed(new Set())}>
          Expand
        </Button>
        <Button
          kind="quiet"
          onClick={() => {
            setCollapsed(innerContainers(tree))
            setCurrent(0)
          }}
        >
          Collapse
        </Button>
      </div>
      <VirtualRows
        count={rows.length}
        height={rowHeight}
        role="tree"
        aria-label={label}
        aria-activedescendant={`${id}-${current}`}
        reveal={row}
        onKeyDown={press}
        render={(index, top) => {
          const code = rows[index] ?? 0
          return (
            <TreeRow
              key={code}
              tree={tree}
              code={code}
              top={top}
              elementId={`${id}-${code}`}
              isCurrent={code === current}
              isCollapsed={collapsed.has(code)}
              onChoose={() => setCurrent(code)}
              onToggle={() => toggle(code)}
            />
          )
        }}
      />
      {cutOff && (
        <p className={warning['box']} role="status">
          Only the first million lines are shown. Collapse something to see more.
        </p>
      )}
    </div>
  )
}
