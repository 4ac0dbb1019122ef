import { describe, expect, it, vi } from 'vitest'
import {
  maxDrawnDepth,
  findKeys,
  innerNodes,
  keyOf,
  layOutTree,
} from '../../../../src-renderer/components/trace/message-tree.tsx'

// The address form is read from the storage while modules load.
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
  it('each branch of the message tree is drawn up to its last child', () => {
    expect(draw(tree)).toEqual(['0 +5', '├1 +2', '│├2 +0', '│└3 +0', '└4 +1', ' └5 +0'])
  })

  it('a collapsed node hides its descendants and no other node', () => {
    expect(draw(tree, [1])).toEqual(['0 +5', '├1 +2', '└4 +1', ' └5 +0'])
    expect(draw(tree, [0, 1])).toEqual(['0 +5'])
    expect(draw(tree, [5])).toEqual(draw(tree))
  })

  it('collapsing all nodes leaves the root open', () => {
    expect([...innerNodes(layOutTree(tree, new Set()))]).toEqual([1, 4])
  })

  it('a chain of 300 messages is drawn with a limited depth and without recursion', () => {
    const chain = Array.from({ length: 300 }, (_, at) => node(at === 0 ? null : at - 1, at))
    const lines = layOutTree(chain, new Set())
    expect(lines).toHaveLength(300)
    expect(lines.at(-1)?.runsOn).toHaveLength(maxDrawnDepth)
    expect(lines[0]?.below).toBe(299)
  })

  it('the message tree of an empty trace is empty', () => {
    expect(draw([])).toEqual([])
  })

  it('a collapsed node stays collapsed after the trace has grown above it', () => {
    const before = [{ hash: 'a' }, { hash: 'c' }]
    const after = [{ hash: 'a' }, { hash: 'b' }, { hash: 'c' }]
    expect([...findKeys(after, new Set([keyOf(before, 1)]))]).toEqual([2])
    expect(keyOf([{ hash: null }], 0)).toBe('0')
  })
})
