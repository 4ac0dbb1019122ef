import { expect, test, vi } from 'vitest'
import {
  findGraphNodes,
  layOutGraph,
  maxGraphNodes,
} from '../../../../src-renderer/components/trace/trace-graph.tsx'

// The address form is read while modules load.
vi.hoisted(() => vi.stubGlobal('window', { localStorage: { getItem: () => null } }))

const party = (address: string) => ({
  ...{ address, name: null, label: null },
  ...{ isScam: false, isWallet: true },
})
const usdt = { jetton: '0:usdt', symbol: 'USDT', decimals: 6 }

/** Nodes by the index of their parent, depth first. */
function grow(
  parents: readonly (number | null)[],
  change: (index: number) => Partial<{ to: string; value: string; usdt: boolean }> = () => ({}),
) {
  const depths: number[] = []
  return parents.map((parent, index) => {
    depths.push(parent === null ? 0 : (depths[parent] ?? 0) + 1)
    const { to = `to-${index}`, value = '1', usdt: isUsdt = false } = change(index)
    return {
      ...{ parent, depth: depths[index] ?? 0, value },
      ...{ account: party(to), source: parent === null ? null : party(`to-${parent}`) },
      jetton: isUsdt ? { asset: usdt, units: '5' } : null,
    }
  })
}

const everything = { account: 'all', asset: 'all' }

test('no two nodes cover each other, and each parent stands before and between its children', () => {
  const nodes = grow([null, 0, 1, 1, 0, 4, 5, 4, 0])
  const places = layOutGraph(nodes, findGraphNodes(nodes, everything).shown)
  expect(places.size).toBe(nodes.length)
  const taken = new Set<string>()
  for (const [index, { column, row }] of places) {
    for (const [other, place] of places) {
      if (other === index || place.column !== column) continue
      expect(Math.abs(place.row - row)).toBeGreaterThanOrEqual(1)
    }
    taken.add(`${column} ${row}`)
    const parent = nodes[index]?.parent ?? null
    if (parent !== null) expect(places.get(parent)?.column).toBe(column - 1)
  }
  expect(taken.size).toBe(nodes.length)
  expect(places.get(1)?.row).toBe(0.5)
})

test.each([
  ['as deep as the service allows', (index: number) => index - 1],
  ['as wide as the service allows', () => 0],
])('a trace %s is cut to what can be drawn, which is reported', (_, parentOf) => {
  const nodes = grow(
    Array.from({ length: 1_100 }, (_each, index) => (index === 0 ? null : parentOf(index))),
  )
  const { shown, matching, total } = findGraphNodes(nodes, everything)
  expect(shown.size).toBe(maxGraphNodes)
  expect([matching.size, total]).toEqual([maxGraphNodes, 1_100])
  expect(layOutGraph(nodes, shown).size).toBe(maxGraphNodes)
})

test('a filter keeps the ancestors of what matches, also of matches after the limit of the whole graph', () => {
  const wide = Array.from({ length: 1_100 }, (_each, index) => (index === 0 ? null : 0))
  const nodes = grow([...wide, 1_099], (index) =>
    index === 1_100 ? { to: 'rare', usdt: true } : { value: index === 5 ? '0' : '1' },
  )
  const byAccount = findGraphNodes(nodes, { ...everything, account: 'rare' })
  expect([...byAccount.shown].toSorted((a, b) => a - b)).toEqual([0, 1_099, 1_100])
  expect([...byAccount.matching]).toEqual([1_100])
  expect(findGraphNodes(nodes, { ...everything, asset: usdt.jetton }).total).toBe(1)
  // Node 5 moves nothing and the last one moves jettons.
  expect(findGraphNodes(nodes, { ...everything, asset: 'native' }).total).toBe(1_099)
  expect(findGraphNodes(nodes, { account: 'to-3', asset: usdt.jetton }).total).toBe(0)
})
