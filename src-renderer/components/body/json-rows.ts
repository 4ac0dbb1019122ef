import { type JsonTree, decodeJsonString, nodeFlag, nodeKind } from './json-tree.ts'

/**
 * The lines a tree is shown as: a node's index for its own line, its complement (`~index`) for the
 * line that closes it. Flat, so that depth costs nothing and a list can be virtual.
 */
type JsonRows = { readonly rows: Int32Array; readonly cutOff: boolean }

/** A scroll area cannot be higher than some 33 million pixels in Chromium. */
const maxRows = 1_000_000

export function isContainer(tree: JsonTree, node: number): boolean {
  const kind = tree.kinds[node]
  return kind === nodeKind.object || kind === nodeKind.array
}

/** Lines of the tree with these containers closed. */
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

/** All containers except the outermost. */
export function innerContainers(tree: JsonTree): Set<number> {
  const found = new Set<number>()
  for (let node = 1; node < tree.size; node += 1) {
    if (isContainer(tree, node) && (tree.counts[node] ?? 0) > 0) found.add(node)
  }
  return found
}

/** The value as it is written in the text. */
export function sourceOf(tree: JsonTree, node: number): string {
  return tree.text.slice(tree.starts[node], tree.ends[node])
}

/** The key as it is written in the text, with quotes; null where there is none. */
export function keySourceOf(tree: JsonTree, node: number): string | null {
  const start = tree.keyStarts[node] ?? -1
  return start < 0 ? null : tree.text.slice(start, tree.keyEnds[node])
}

/** The value to paste: a string without quotes and escapes, everything else as received. */
export function copyTextOf(tree: JsonTree, node: number): string {
  const source = sourceOf(tree, node)
  return tree.kinds[node] === nodeKind.string ? decodeJsonString(source) : source
}

/** The path of a node, such as `$.items[3]["odd key"]`. */
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
