import { describe, expect, it, vi } from 'vitest'
import {
  maxDrawnDepth,
  findKeys,
  innerNodes,
  keyOf,
  layOutTree,
} from '../../../../src-renderer/components/trace/message-tree.tsx'

// The address form is read while modules load.
vi.hoisted(() => vi.stubGlobal('window', { localStorage: { getItem: () => null } }))

type Node = { parent: number | null; depth: number }

const node = (parent: number | null, depth: number): Node => ({ parent, depth })

/**
 * 0
 * ├ 1
 * │ ├ 2
 * │ └ 3
 * └ 4
 *   └ 5
 */
const tree = [node(null, 0), node(0, 1), node(1, 2), node(1, 2), node(0, 1), node(4, 2)]

function draw(nodes: readonly Node[], collapsed: readonly number[] = []): string[] {
  return layOutTree(nodes, new Set(collapsed)).map(({ index, runsOn, below }) => {
    const branches = runsOn.map((runs, level) =>
      level === runsOn.length - 1 ? (runs ? '├' : '└') : runs ? '│' : ' ',
    )
    return `${branches.join('')}${index} +${below}`
  })
}

describe('the message tree', () => {
  it('draws each branch for as long as it runs on, and no longer', () => {
    expect(draw(tree)).toEqual(['0 +5', '├1 +2', '│├2 +0', '│└3 +0', '└4 +1', ' └5 +0'])
  })

  it('hides what hangs below a collapsed node, a collapsed one among it, and nothing else', () => {
    expect(draw(tree, [1])).toEqual(['0 +5', '├1 +2', '└4 +1', ' └5 +0'])
    expect(draw(tree, [0, 1])).toEqual(['0 +5'])
    expect(draw(tree, [5])).toEqual(draw(tree))
  })

  it('collapses all but the root', () => {
    expect([...innerNodes(layOutTree(tree, new Set()))]).toEqual([1, 4])
  })

  it('does not run out of the window with a chain of 300, nor out of the stack', () => {
    const chain = Array.from({ length: 300 }, (_, at) => node(at === 0 ? null : at - 1, at))
    const lines = layOutTree(chain, new Set())
    expect(lines).toHaveLength(300)
    expect(lines.at(-1)?.runsOn).toHaveLength(maxDrawnDepth)
    expect(lines[0]?.below).toBe(299)
  })

  it('is empty for a trace of nothing', () => {
    expect(draw([])).toEqual([])
  })

  it('knows what was collapsed again after the trace has grown above it', () => {
    const before = [{ hash: 'a' }, { hash: 'c' }]
    const after = [{ hash: 'a' }, { hash: 'b' }, { hash: 'c' }]
    expect([...findKeys(after, new Set([keyOf(before, 1)]))]).toEqual([2])
    expect(keyOf([{ hash: null }], 0)).toBe('0')
  })
})
