/** The tree of a trace as lines to draw: the visible nodes and their branches. */
import type { TraceNode } from '../../../src-preload/contract/chain.ts'

/** Deeper levels are not indented further; their depth is shown as a number. */
export const maxDrawnDepth = 14

export type TreeLine = {
  /** Index in the list of nodes. */
  readonly index: number
  readonly depth: number
  /** For each drawn level, whether its branch continues below. The last level is this line's own. */
  readonly runsOn: readonly boolean[]
  /** All descendants, collapsed ones included. */
  readonly below: number
}

/** The lines of all nodes that have no collapsed ancestor, in order. */
export function layOutTree(
  nodes: readonly Pick<TraceNode, 'parent' | 'depth'>[],
  collapsed: ReadonlySet<number>,
): TreeLine[] {
  const below = countBelow(nodes)
  const isLast = findLast(nodes)
  const lines: TreeLine[] = []
  /** Whether the branch continues, for each ancestor of the current node and for the node itself. */
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

/** For a deep line, the outer branches and its own. The branches between would overlap. */
function drawn(branches: readonly boolean[]): readonly boolean[] {
  if (branches.length <= maxDrawnDepth) return branches
  return [...branches.slice(0, maxDrawnDepth - 1), ...branches.slice(-1)]
}

/** The number of descendants of each node. Parents precede their children. */
function countBelow(nodes: readonly Pick<TraceNode, 'parent'>[]): number[] {
  const below = nodes.map(() => 0)
  for (let index = nodes.length - 1; index > 0; index -= 1) {
    const parent = nodes[index]?.parent ?? null
    if (parent !== null) below[parent] = (below[parent] ?? 0) + (below[index] ?? 0) + 1
  }
  return below
}

/** Whether each is the last child of its parent. */
function findLast(nodes: readonly Pick<TraceNode, 'parent'>[]): boolean[] {
  const lastOf = new Map<number | null, number>()
  nodes.forEach(({ parent }, index) => lastOf.set(parent, index))
  return nodes.map(({ parent }, index) => lastOf.get(parent) === index)
}

/** All nodes with descendants, except the root: "Collapse all" closes these. */
export function innerNodes(lines: readonly TreeLine[]): Set<number> {
  return new Set(
    lines.filter(({ below, depth }) => below > 0 && depth > 0).map(({ index }) => index),
  )
}

/**
 * Identifies a node while its trace grows: new nodes change the indexes of others. An emulated trace has no
 * hashes, and does not grow.
 */
export function keyOf(nodes: readonly Pick<TraceNode, 'hash'>[], index: number): string {
  return nodes[index]?.hash ?? String(index)
}

/** The indexes of the nodes with these keys. */
export function findKeys(
  nodes: readonly Pick<TraceNode, 'hash'>[],
  keys: ReadonlySet<string>,
): ReadonlySet<number> {
  return new Set([...nodes.keys()].filter((index) => keys.has(keyOf(nodes, index))))
}
