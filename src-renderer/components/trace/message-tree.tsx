import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { coinName } from '../../../src-preload/domain/amount.ts'
import surface from '../../ui/surface.module.css'
import styles from './trace.module.css'
import type { Trace, TraceNode } from '../../../src-preload/contract/chain/transaction.ts'
import { navigate } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { runKey } from '../../ui/keyboard.ts'
import { Icon } from '../../ui/icons.tsx'
import { Pane, Row, Stack, Tag, Text, textClasses, Small } from '../../ui/layout.tsx'
import { formatUnits } from '../amount.ts'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { VirtualRows } from '../body/virtual-rows.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { AccountLink, useAccountNames } from '../chain/account-link.tsx'
import { Amount } from '../chain/chain-text.tsx'
import { transactionHref } from '../chain/chain-links.ts'
import { useShownNetwork } from '../network-tag.tsx'
import { formatTree, operationOf } from './tree-text.ts'

/** Converts the tree of a trace to lines: the visible nodes and their branches. */

/** Deeper levels are not indented further; their depth is shown as a number. */
export const maxDrawnDepth = 14

type TreeLine = {
  /** The index in the list of nodes. */
  readonly index: number
  readonly depth: number
  /** For each drawn level, whether its branch continues below. The last level is that of this line. */
  readonly runsOn: readonly boolean[]
  /** The number of descendants, including collapsed ones. */
  readonly below: number
}

/** Returns the lines of all nodes without a collapsed ancestor, in order. */
export function layOutTree(
  nodes: readonly Pick<TraceNode, 'parent' | 'depth'>[],
  collapsed: ReadonlySet<number>,
): TreeLine[] {
  const below = countBelow(nodes)
  const isLast = findLast(nodes)
  const lines: TreeLine[] = []
  /** For each ancestor of the current node and for the node itself, whether the branch continues. */
  const path: boolean[] = []
  let hiddenUnder = -1
  nodes.forEach((node, index) => {
    path.length = node.depth
    path.push(isLast[index] !== true)
    if (hiddenUnder >= 0 && index < hiddenUnder) return
    lines.push({
      index,
      depth: node.depth,
      runsOn: drawn(path.slice(1)),
      below: below[index] ?? 0,
    })
    hiddenUnder = collapsed.has(index) ? index + (below[index] ?? 0) + 1 : -1
  })
  return lines
}

/** A deep line shows the outer branches and its own, because the branches in between would overlap. */
function drawn(branches: readonly boolean[]): readonly boolean[] {
  if (branches.length <= maxDrawnDepth) return branches
  return [...branches.slice(0, maxDrawnDepth - 1), ...branches.slice(-1)]
}

/** Counts the descendants of each node. Parents precede their children. */
function countBelow(nodes: readonly Pick<TraceNode, 'parent'>[]): number[] {
  const below = nodes.map(() => 0)
  for (let index = nodes.length - 1; index > 0; index -= 1) {
    const parent = nodes[index]?.parent ?? null
    if (parent !== null) below[parent] = (below[parent] ?? 0) + (below[index] ?? 0) + 1
  }
  return below
}

/** Returns for each node whether it is the last child of its parent. */
function findLast(nodes: readonly Pick<TraceNode, 'parent'>[]): boolean[] {
  const lastOf = new Map<number | null, number>()
  nodes.forEach(({ parent }, index) => lastOf.set(parent, index))
  return nodes.map(({ parent }, index) => lastOf.get(parent) === index)
}

/** Returns all nodes with descendants except the root; "Collapse all" closes these. */
export function innerNodes(lines: readonly TreeLine[]): Set<number> {
  return new Set(
    lines.filter(({ below, depth }) => below > 0 && depth > 0).map(({ index }) => index),
  )
}

/**
 * Returns keys that identify nodes while a trace grows, because new nodes change the indexes of
 * others. An emulated trace has no hashes and does not grow.
 */
export function keyOf(nodes: readonly Pick<TraceNode, 'hash'>[], index: number): string {
  return nodes[index]?.hash ?? String(index)
}

/** Returns the indexes of the nodes with these keys. */
export function findKeys(nodes: readonly Pick<TraceNode, 'hash'>[], keys: ReadonlySet<string>) {
  return new Set([...nodes.keys()].filter((index) => keys.has(keyOf(nodes, index))))
}

const rowHeight = 30

/** The closed branches, the selected transaction, and the keys that change both. */
function useTree(trace: Trace, here: string | null) {
  const network = useShownNetwork().id
  const { nodes } = trace
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
    if (hash !== null && hash !== here) navigate({ page: 'explorer', network, view: 'tx', hash })
  }

  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    const hasOpen = line !== undefined && line.below > 0 && !collapsed.has(current)
    const parent = nodes[current]?.parent ?? null
    runKey(event, {
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
    })
  }

  return { hereIndex, collapsed, setCollapsed, current, setCurrent, lines, row, toggle, press }
}

/**
 * Shows all messages of a trace, each below the message that caused it. `here` is the hash of the
 * transaction on the page.
 */
export function MessageTree({ trace, here }: { trace: Trace; here: string | null }) {
  const id = useId()
  const [isText, setIsText] = useState(false)
  const { nodes, isComplete } = trace
  const tree = useTree(trace, here)
  const { hereIndex, collapsed, setCollapsed, current, setCurrent, lines, row, press } = tree
  return (
    <section className={styles['tree']} aria-label="Message tree">
      <Pane>
        <Row pad="s">
          <Row pad="s" gap="l">
            <h3>Message tree</h3>
            <Small tone="faint">{formatCount(nodes.length, 'transaction')}</Small>
            {!isComplete && (
              <Tag tone="warn" title="Some messages of this trace are not processed yet.">
                in progress
              </Tag>
            )}
          </Row>
          <Row last gap="none">
            <Button
              kind="quiet"
              aria-label={isText ? 'Show the messages as a tree' : 'Show the messages as text'}
              onClick={() => setIsText(!isText)}
            >
              {isText ? 'Tree' : 'Text'}
            </Button>
            {!isText && hereIndex >= 0 && nodes.length > 20 && (
              <Button
                kind="quiet"
                onClick={() => {
                  setCollapsed(new Set())
                  setCurrent(hereIndex)
                }}
              >
                Show this transaction
              </Button>
            )}
            {isText ? null : collapsed.size > 0 ? (
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
          </Row>
        </Row>
        {isText ? (
          <TreeText nodes={nodes} here={hereIndex} />
        ) : (
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
                <TreeRow
                  key={keyOf(nodes, shown.index)}
                  id={`${id}-${shown.index}`}
                  tree={tree}
                  node={node}
                  line={shown}
                  top={top}
                />
              )
            }}
          />
        )}
      </Pane>
    </section>
  )
}

/** Shows the whole tree as indented lines, which screen readers read in order and which can be copied. */
function TreeText({ nodes, here }: { nodes: readonly TraceNode[]; here: number }) {
  const text = formatTree(nodes, useAccountNames(), here)
  return (
    <Stack pad="m" scroll>
      <Row justify="end">
        <CopyButton text={text} what="Message tree" label="Copy text" />
      </Row>
      <CodeBlock label="Message tree as text" rows={40} wrap>
        {text}
      </CodeBlock>
    </Stack>
  )
}

type TreeRowProps = {
  id: string
  tree: ReturnType<typeof useTree>
  node: TraceNode
  line: TreeLine
  top: number
}

/** Shows one transaction of a trace: the incoming message, its receiver, its value and its outcome. */
function TreeRow({ id, tree, node, line, top }: TreeRowProps) {
  const { hereIndex, current, collapsed, setCurrent, toggle } = tree
  const isHere = line.index === hereIndex
  const isCurrent = line.index === current
  const isCollapsed = collapsed.has(line.index)
  const onToggle = () => toggle(line.index)
  const network = useShownNetwork().id
  const operation = operationOf(node)
  return (
    <div
      role="treeitem"
      id={id}
      aria-level={line.depth + 1}
      aria-selected={isCurrent}
      aria-current={isHere ? 'true' : undefined}
      aria-expanded={line.below > 0 ? !isCollapsed : undefined}
      className={classes(
        surface['hover'],
        styles['row'],
        isCurrent && surface['chosen'],
        isHere && classes(surface['marked'], styles['here']),
      )}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => setCurrent(line.index)}
      onDoubleClick={() => line.below > 0 && onToggle()}
    >
      <span className={styles['what']}>
        {/* The lines to the rows above and below, and the sign that closes a branch. */}
        {line.runsOn.map((runsOn, level) => (
          <span
            key={level}
            className={classes(
              styles['guide'],
              level === line.runsOn.length - 1 && styles['elbow'],
              runsOn && styles['runs'],
            )}
          />
        ))}
        {line.below > 0 ? (
          <span className={styles['twist']} onClick={onToggle} aria-hidden="true">
            <Icon name={isCollapsed ? 'right' : 'down'} size={12} />
          </span>
        ) : (
          <span className={styles['leaf']} />
        )}
        {line.depth > maxDrawnDepth && (
          <span className={styles['depth']} title="Depth in the tree">
            {line.depth}
          </span>
        )}
        {node.hash === null || isHere ? (
          <span className={operationLook}>{operation}</span>
        ) : (
          <a
            className={operationLook}
            href={transactionHref(node.hash, network)}
            title={`Transaction ${node.hash}`}
            tabIndex={-1}
          >
            {operation}
          </a>
        )}
        <Text tone="faint" aria-label="to">
          →
        </Text>
        <span className={styles['account']}>
          <AccountLink account={node.account} canCopy={false} tabIndex={-1} />
        </span>
        {isHere && <Tag>this transaction</Tag>}
        {isCollapsed && (
          <Tag title="Hidden transactions in this branch">+{formatNumber(line.below)}</Tag>
        )}
        <Outcome node={node} />
      </span>
      <Small tone="faint" over="nowrap">
        {node.jetton !== null && (
          <>
            <Amount units={node.jetton.units} asset={node.jetton.asset} />
            {' · '}
          </>
        )}
        {node.source === null ? <Text tone="faint">external</Text> : <Amount units={node.value} />}
      </Small>
      <span
        className={classes(
          styles['fees'],
          textClasses({ tone: 'faint', mono: true, number: true }),
        )}
        title={`Fees of this transaction with the forward fees of its messages, in ${coinName()}`}
      >
        {formatUnits(node.fees, 9)}
      </span>
    </div>
  )
}

function Outcome({ node: { bounced, success, failure, exitCode, comment } }: { node: TraceNode }) {
  return (
    <>
      {bounced && (
        <Tag
          tone="warn"
          title="The destination account could not process the message, so the message was returned to the sender."
        >
          bounced
        </Tag>
      )}
      {!success && (
        <Tag tone="bad" title={failure ?? undefined}>
          {exitCode === null || exitCode === 0 ? 'failed' : `exit ${exitCode}`}
        </Tag>
      )}
      {!success && failure !== null && (
        <span
          className={classes(styles['comment'], textClasses({ size: 's', tone: 'bad' }))}
          title={failure}
        >
          {failure}
        </span>
      )}
      {comment !== null && (
        <span
          className={classes(styles['comment'], textClasses({ size: 's', tone: 'dim' }))}
          title={comment}
        >
          “<UntrustedText text={comment} />”
        </span>
      )}
    </>
  )
}

const operationLook = classes(styles['operation'], textClasses({ size: 's' }))
