/** The tree of a trace as lines to be drawn: what is seen of it, and where its branches run. */
import type { TraceNode } from '../../../../src-preload/contract/chain.ts'

/** Further levels are drawn no further right: their depth stands beside them. */
export const deepest = 14

export type TreeLine = {
  /** In the list of nodes. */
  readonly index: number
  readonly depth: number
  /** For each level drawn, whether a branch runs on below: the last one is this line's own. */
  readonly runsOn: readonly boolean[]
  /** Everything that hangs below it, seen or not. */
  readonly below: number
}

/** Lines of all nodes that no collapsed one hides, in their order. */
export function layOutTree(
  nodes: readonly Pick<TraceNode, 'parent' | 'depth'>[],
  collapsed: ReadonlySet<number>,
): TreeLine[] {
  const below = countBelow(nodes)
  const isLast = findLast(nodes)
  const lines: TreeLine[] = []
  /** Of the ancestors of the node that comes next, and of itself. */
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

/** Of a deep line the outer branches and its own: those between stand too close to be told apart. */
function drawn(branches: readonly boolean[]): readonly boolean[] {
  if (branches.length <= deepest) return branches
  return [...branches.slice(0, deepest - 1), ...branches.slice(-1)]
}

/** Nodes that hang below each one. Parents come before their children. */
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

/** Those with something below them, but for the root: what "Collapse all" closes. */
export function innerNodes(lines: readonly TreeLine[]): Set<number> {
  return new Set(
    lines.filter(({ below, depth }) => below > 0 && depth > 0).map(({ index }) => index),
  )
}

/**
 * What a node is known by while its trace grows: those that come meanwhile move the others in the
 * list. An emulated trace has no hashes, and does not grow.
 */
export function keyOf(nodes: readonly Pick<TraceNode, 'hash'>[], index: number): string {
  return nodes[index]?.hash ?? String(index)
}

/** Where the nodes of these keys stand in the list. */
export function findKeys(
  nodes: readonly Pick<TraceNode, 'hash'>[],
  keys: ReadonlySet<string>,
): ReadonlySet<number> {
  return new Set([...nodes.keys()].filter((index) => keys.has(keyOf(nodes, index))))
}
