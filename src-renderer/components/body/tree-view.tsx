import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react'
import surface from '../../ui/surface.module.css'
import styles from './body.module.css'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { classes } from '../../ui/classes.ts'
import { formatCount, shorten } from '../../ui/format.ts'
import { Icon } from '../../ui/icons.tsx'
import { Note, Row, Tag, Text } from '../../ui/layout.tsx'
import { runKey } from '../../ui/keyboard.ts'
import { Skeleton } from '../../ui/loaded.tsx'
import {
  type JsonTree,
  JsonScan,
  decodeJsonString,
  nodeFlag,
  nodeKind,
  readJsonTree,
} from './json-tree.ts'
import { UntrustedText } from './untrusted-text.tsx'
import { VirtualRows } from './virtual-rows.tsx'

/**
 * The lines of a tree: a node's index for its own line, its complement (`~index`) for the line that
 * closes it. The list is flat, so that it can be virtual and depth has no cost.
 */
type JsonRows = { readonly rows: Int32Array; readonly cutOff: boolean }

/** Chromium limits a scroll area to about 33 million pixels. */
const maxRows = 1_000_000

function isContainer(tree: JsonTree, node: number): boolean {
  const kind = tree.kinds[node]
  return kind === nodeKind.object || kind === nodeKind.array
}

/** Returns the lines of the tree if these containers are closed. */
export function layOutJson(tree: JsonTree, collapsed: ReadonlySet<number>): JsonRows {
  const rows = new Int32Array(Math.min(tree.size * 2, maxRows))
  const open: number[] = []
  let count = 0
  let node = 0
  while (node < tree.size && count < rows.length) {
    rows[count++] = node
    const expandable = isContainer(tree, node) && (tree.counts[node] ?? 0) > 0
    if (expandable && !collapsed.has(node)) {
      open.push(node)
      node += 1
    } else {
      node = tree.afters[node] ?? tree.size
    }
    while (open.length > 0 && node >= (tree.afters[open.at(-1) ?? 0] ?? 0)) {
      const closing = open.pop() ?? 0
      const unclosed = ((tree.flags[closing] ?? 0) & nodeFlag.unclosed) !== 0
      if (!unclosed && count < rows.length) rows[count++] = ~closing
    }
  }
  return { rows: rows.subarray(0, count), cutOff: node < tree.size }
}

/** Returns all containers except the outermost. */
export function innerContainers(tree: JsonTree): Set<number> {
  const found = new Set<number>()
  for (let node = 1; node < tree.size; node += 1) {
    if (isContainer(tree, node) && (tree.counts[node] ?? 0) > 0) found.add(node)
  }
  return found
}

/** Returns the value as it is written in the text. */
export const sourceOf = (tree: JsonTree, node: number): string =>
  tree.text.slice(tree.starts[node], tree.ends[node])

/** Returns the key as it is written in the text, with quotes; null if there is none. */
export function keySourceOf(tree: JsonTree, node: number): string | null {
  const start = tree.keyStarts[node] ?? -1
  return start < 0 ? null : tree.text.slice(start, tree.keyEnds[node])
}

/** Returns the value for the clipboard: a string without quotes and escapes, anything else as received. */
export function copyTextOf(tree: JsonTree, node: number): string {
  const source = sourceOf(tree, node)
  return tree.kinds[node] === nodeKind.string ? decodeJsonString(source) : source
}

/** Formats the path of a node, such as `$.items[3]["odd key"]`. */
export function pathOf(tree: JsonTree, node: number): string {
  const parts: string[] = []
  for (let at = node; at >= 0; at = tree.parents[at] ?? -1) {
    const key = keySourceOf(tree, at)
    if (key !== null) parts.push(stepOf(key))
    else if ((tree.parents[at] ?? -1) >= 0) parts.push(`[${tree.positions[at] ?? 0}]`)
  }
  return `$${parts.reverse().join('')}`
}

function stepOf(keySource: string): string {
  const name = decodeJsonString(keySource)
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

const rowHeight = 21

/** Shows a body as a JSON tree in which every literal is as received. */
export function TreeView({ text, label = 'Body as a tree' }: { text: string; label?: string }) {
  const tree = useJsonTree(text)
  if (tree === null) return <Skeleton rows={8} label="Loading the body" />
  return <Tree key={tree.text} tree={tree} label={label} />
}

/** Returns the node of the next row that is not a closing bracket. */
function nodeBeside(rows: Int32Array, row: number, by: 1 | -1): number | undefined {
  let at = row + by
  while ((rows[at] ?? 0) < 0) at += by
  return rows[at]
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

  const step = (by: 1 | -1) => setCurrent(nodeBeside(rows, row, by) ?? current)

  const press = (event: KeyboardEvent) => {
    const isOpen = isContainer(tree, current) && !collapsed.has(current)
    const parent = tree.parents[current] ?? -1
    runKey(event, {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      ArrowRight: () => (isOpen ? step(1) : toggle(current, false)),
      ArrowLeft: () => (isOpen ? toggle(current, true) : parent >= 0 && setCurrent(parent)),
      Home: () => setCurrent(0),
      End: () => setCurrent(rows.findLast((node) => node >= 0) ?? 0),
      Enter: () => toggle(current),
      ' ': () => toggle(current),
    })
  }

  return (
    <div className={styles['view']}>
      {tree.problem !== null && (
        <Note tone="warn">
          Not valid JSON: line {tree.problem.line}, column {tree.problem.column}.{' '}
          {tree.problem.message}{' '}
          <Button kind="link" onClick={() => setCurrent(tree.size - 1)}>
            Show the error
          </Button>
        </Note>
      )}
      <Row pad="s" gap="none">
        <Row grow>
          <Text as="code" tone="dim" over="cut">
            {shorten(pathOf(tree, current), 40, 40)}
          </Text>
        </Row>
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
      </Row>
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
      {cutOff && <Note>Only the first million rows are shown. Collapse objects to see more.</Note>}
    </div>
  )
}

/** A longer text is parsed in steps, so that the window stays responsive. */
const maxAtOnce = 100_000
const tokensPerTurn = 40_000

/** Returns the tree of a text; null while a large one is being parsed. */
function useJsonTree(text: string): JsonTree | null {
  const small = useMemo(() => (text.length <= maxAtOnce ? readJsonTree(text) : null), [text])
  const [large, setLarge] = useState<JsonTree | null>(null)
  useEffect(() => {
    if (text.length <= maxAtOnce) return undefined
    const scan = new JsonScan(text)
    let timer = setTimeout(step)
    function step(): void {
      if (scan.step(tokensPerTurn)) setLarge(scan.tree())
      else timer = setTimeout(step)
    }
    return () => clearTimeout(timer)
  }, [text])
  return small ?? (large?.text === text ? large : null)
}

/** Deeper rows are not indented further, and their depth is shown as a number. */
const maxIndent = 40
const indentPx = 14
/** A literal is cut here; the Text view and Copy value contain it completely. */
const maxLiteral = 500

const tones = new Map<number, 'ok' | 'warn'>([
  [nodeKind.string, 'ok'],
  [nodeKind.word, 'warn'],
])

type RowProps = {
  tree: JsonTree
  /** The number of the node; for the line that closes a node, the bitwise complement of this number. */
  code: number
  top: number
  elementId: string
  isCurrent: boolean
  isCollapsed: boolean
  onChoose: () => void
  onToggle: () => void
}

function TreeRow(props: RowProps) {
  const { tree, code, top, elementId, isCurrent, isCollapsed, onChoose, onToggle } = props
  const node = code < 0 ? ~code : code
  const depth = tree.depths[node] ?? 0
  const style = {
    transform: `translateY(${top}px)`,
    paddingLeft: 8 + Math.min(depth, maxIndent) * indentPx,
  }
  if (code < 0) {
    return (
      <div className={styles['branch']} style={style} role="presentation">
        <span className={styles['twist']} />
        <Text tone="faint">{tree.kinds[node] === nodeKind.object ? '}' : ']'}</Text>
      </div>
    )
  }
  const expandable = isContainer(tree, node) && (tree.counts[node] ?? 0) > 0
  return (
    <div
      role="treeitem"
      id={elementId}
      aria-level={depth + 1}
      aria-selected={isCurrent}
      aria-expanded={expandable ? !isCollapsed : undefined}
      className={classes(styles['branch'], isCurrent && surface['chosen'])}
      style={style}
      onClick={onChoose}
      onDoubleClick={onToggle}
    >
      <span className={styles['twist']} onClick={expandable ? onToggle : undefined}>
        {expandable && <Icon name={isCollapsed ? 'right' : 'down'} size={12} />}
      </span>
      {depth > maxIndent && <span className={styles['depth']}>{depth}</span>}
      <Key tree={tree} node={node} />
      <Value tree={tree} node={node} isCollapsed={isCollapsed} />
    </div>
  )
}

function Key({ tree, node }: { tree: JsonTree; node: number }) {
  const source = keySourceOf(tree, node)
  if (source === null) {
    const parent = tree.parents[node] ?? -1
    return parent < 0 ? null : <Text tone="faint">{tree.positions[node]}: </Text>
  }
  const isDuplicate = ((tree.flags[node] ?? 0) & nodeFlag.duplicateKey) !== 0
  return (
    <>
      <UntrustedText tone="accent" title={decoded(source)} text={cut(source)} />
      <Text tone="faint">: </Text>
      {isDuplicate && (
        <Tag tone="warn" title="This key occurs more than once in the object.">
          duplicate key
        </Tag>
      )}
    </>
  )
}

function Value({
  tree,
  node,
  isCollapsed,
}: Pick<RowProps, 'tree' | 'isCollapsed'> & { node: number }) {
  const kind = tree.kinds[node] ?? 0
  if (isContainer(tree, node)) {
    const count = tree.counts[node] ?? 0
    const [open, close] = kind === nodeKind.object ? ['{', '}'] : ['[', ']']
    const unclosed = ((tree.flags[node] ?? 0) & nodeFlag.unclosed) !== 0
    const words =
      kind === nodeKind.object ? formatCount(count, 'member') : formatCount(count, 'item')
    if (count > 0 && !isCollapsed) return <Text tone="faint">{open}</Text>
    return (
      <Text tone="faint">
        {open}
        {count > 0 && ` ${words} `}
        {!unclosed && close}
      </Text>
    )
  }
  const source = sourceOf(tree, node)
  if (kind === nodeKind.problem) {
    const { line = 0, column = 0, message = '' } = tree.problem ?? {}
    return (
      <Text tone="bad" title={message}>
        <span className={styles['place']}>
          line {line}, column {column}: {message}
        </span>{' '}
        <UntrustedText text={cut(source)} />
      </Text>
    )
  }
  return (
    <UntrustedText
      tone={tones.get(kind)}
      title={kind === nodeKind.string ? decoded(source) : undefined}
      text={cut(source)}
    />
  )
}

const cut = (source: string): string =>
  source.length <= maxLiteral
    ? source
    : `${source.slice(0, maxLiteral)}… (${formatCount(source.length, 'character')})`

/** The text for which the escape sequences of a token stand, as a tooltip; undefined if there are none. */
const decoded = (source: string): string | undefined =>
  source.includes('\\') ? decodeJsonString(source).slice(0, maxLiteral) : undefined
