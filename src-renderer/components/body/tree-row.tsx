import { formatCount } from '../../ui/format.ts'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icons.tsx'
import { Tag } from '../../ui/tag.tsx'
import { decodeJsonString } from './json-literals.ts'
import { isContainer, keySourceOf, sourceOf } from './json-rows.ts'
import { type JsonTree, nodeFlag, nodeKind } from './json-nodes.ts'
import { UntrustedText } from './untrusted-text.tsx'
import styles from './body.module.css'

/** Deeper rows are not moved further right: their depth stands beside them instead. */
const deepest = 40
const indentPx = 14
/** A literal is cut here; the Text view and Copy value have all of it. */
const longest = 500

const kindStyles = ['', '', 'string', 'numeral', 'word', 'wrong'] as const

type Props = {
  tree: JsonTree
  /** A node, or the complement of one for the line that closes it. */
  code: number
  top: number
  elementId: string
  isCurrent: boolean
  isCollapsed: boolean
  onChoose: () => void
  onToggle: () => void
}

export function TreeRow(props: Props) {
  const { tree, code, top, elementId, isCurrent, isCollapsed, onChoose, onToggle } = props
  const node = code < 0 ? ~code : code
  const depth = tree.depths[node] ?? 0
  const style = {
    transform: `translateY(${top}px)`,
    paddingLeft: 8 + Math.min(depth, deepest) * indentPx,
  }
  if (code < 0) {
    return (
      <div className={styles['branch']} style={style} role="presentation">
        <span className={styles['twist']} />
        <span className={styles['faint']}>{tree.kinds[node] === nodeKind.object ? '}' : ']'}</span>
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
      className={classes(styles['branch'], isCurrent && styles['current'])}
      style={style}
      onClick={onChoose}
      onDoubleClick={onToggle}
    >
      <span className={styles['twist']} onClick={expandable ? onToggle : undefined}>
        {expandable && <Icon name={isCollapsed ? 'right' : 'down'} size={12} />}
      </span>
      {depth > deepest && <span className={styles['depth']}>{depth}</span>}
      <Key tree={tree} node={node} />
      <Value tree={tree} node={node} isCollapsed={isCollapsed} />
    </div>
  )
}

function Key({ tree, node }: { tree: JsonTree; node: number }) {
  const source = keySourceOf(tree, node)
  if (source === null) {
    const parent = tree.parents[node] ?? -1
    return parent < 0 ? null : <span className={styles['faint']}>{tree.positions[node]}: </span>
  }
  const isDuplicate = ((tree.flags[node] ?? 0) & nodeFlag.duplicateKey) !== 0
  return (
    <>
      <span className={styles['key']} title={decoded(source)}>
        <UntrustedText text={cut(source)} />
      </span>
      <span className={styles['faint']}>: </span>
      {isDuplicate && (
        <Tag tone="warn" title="This key stands in the object more than once.">
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
}: {
  tree: JsonTree
  node: number
  isCollapsed: boolean
}) {
  const kind = tree.kinds[node] ?? 0
  if (isContainer(tree, node)) {
    const count = tree.counts[node] ?? 0
    const [open, close] = kind === nodeKind.object ? ['{', '}'] : ['[', ']']
    const unclosed = ((tree.flags[node] ?? 0) & nodeFlag.unclosed) !== 0
    const words =
      kind === nodeKind.object ? formatCount(count, 'member') : formatCount(count, 'item')
    if (count > 0 && !isCollapsed) return <span className={styles['faint']}>{open}</span>
    return (
      <span className={styles['faint']}>
        {open}
        {count > 0 && ` ${words} `}
        {!unclosed && close}
      </span>
    )
  }
  const source = sourceOf(tree, node)
  if (kind === nodeKind.problem) {
    const { line = 0, column = 0, message = '' } = tree.problem ?? {}
    return (
      <span className={styles['wrong']} title={message}>
        <span className={styles['place']}>
          line {line}, column {column}: {message}
        </span>{' '}
        <UntrustedText text={cut(source)} />
      </span>
    )
  }
  return (
    <span
      className={styles[kindStyles[kind] ?? '']}
      title={kind === nodeKind.string ? decoded(source) : undefined}
    >
      <UntrustedText text={cut(source)} />
    </span>
  )
}

function cut(source: string): string {
  return source.length <= longest
    ? source
    : `${source.slice(0, longest)}… (${formatCount(source.length, 'character')})`
}

/** What escapes in it mean, for the pointer that rests on it; nothing where it has none. */
function decoded(source: string): string | undefined {
  return source.includes('\\') ? decodeJsonString(source).slice(0, longest) : undefined
}
