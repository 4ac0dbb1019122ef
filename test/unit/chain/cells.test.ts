import { beginCell } from '@ton/core'
import { expect, test } from 'vitest'
import { cellHandlers, requireBoc } from '../../../src-main/chain/cell-tree.ts'

const leaf = beginCell().storeUint(5, 3).endCell()
const tree = beginCell().storeUint(0xabcd, 16).storeRef(leaf).storeRef(leaf).endCell()
const bytes = tree.toBoc()

test('a BOC is parsed from hexadecimal, base64 and base64url, with or without line breaks', () => {
  for (const text of [
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('base64').replace(/(.{10})/g, '$1\n '),
  ]) {
    expect(requireBoc(text).equals(tree)).toBe(true)
  }
  for (const text of ['hello there', '00', '{}']) {
    expect(() => requireBoc(text)).toThrow(/[Nn]ot a (valid )?BOC/)
  }
})

test('a cell that is referenced twice is shown twice', async () => {
  const { cells, total } = await cellHandlers['cell.tree']({ boc: bytes.toString('hex') })
  expect(cells.map(({ depth, data, bits }) => [depth, data, bits])).toEqual([
    [0, 'ABCD', 16],
    [1, 'B_', 3],
    [1, 'B_', 3],
  ])
  expect(total).toBe(3)
})

test('the children of a cell are listed in order, each followed by its own children', async () => {
  const named = (text: string, ...children: ReturnType<typeof beginCell>[]) =>
    children.reduce(
      (cell, child) => cell.storeRef(child.endCell()),
      beginCell().storeBuffer(Buffer.from(text, 'hex')),
    )
  const root = named(
    '00',
    named('01', named('0a'), named('0b')),
    named('02'),
    named('03', named('0c')),
  )
  const { cells } = await cellHandlers['cell.tree']({ boc: root.endCell().toBoc().toString('hex') })
  expect(cells.map(({ depth, data }) => `${depth} ${data}`)).toEqual([
    ...['0 00', '1 01', '2 0A', '2 0B', '1 02', '1 03', '2 0C'],
  ])
})

test('a BOC that unfolds into too many cells is cut off at 2,000 rows and reports its total', async () => {
  let cell = leaf
  for (let level = 0; level < 200; level += 1) {
    cell = beginCell().storeRef(cell).storeRef(cell).storeRef(cell).storeRef(cell).endCell()
  }
  const { cells, total } = await cellHandlers['cell.tree']({ boc: cell.toBoc().toString('hex') })
  expect(cells).toHaveLength(2_000)
  expect(total).toBe(Number.MAX_SAFE_INTEGER)
})
