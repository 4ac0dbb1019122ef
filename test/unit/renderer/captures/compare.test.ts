import { expect, test } from 'vitest'
import type { DiffLine } from '../../../../src-preload/contract/replay.ts'
import {
  formatComparable,
  parseComparable,
} from '../../../../src-renderer/components/delivery/comparable.ts'
import {
  changedParts,
  changeStarts,
  countChanged,
  foldEqual,
} from '../../../../src-renderer/components/delivery/diff-table.tsx'

const lines = (shape: string): DiffLine[] =>
  Array.from(shape, (sign) => ({
    kind: sign === '.' ? 'same' : 'changed',
    left: sign,
    right: sign,
  }))

/** Returns the displayed lines; a fold is written as its length. */
const print = (shape: string, opened: number[] = []) =>
  foldEqual(lines(shape), new Set(opened))
    .map((each) => (each.kind === 'fold' ? `<${each.count}>` : each.line.left))
    .join('')

test.each([
  // Three lines around each change are shown, and a short block is not folded.
  ['..........x..........', '<7>...x...<7>'],
  ['x.........x', 'x.........x'],
  ['x..........x', 'x...<4>...x'],
  ['....', '<4>'],
  ['...', '...'],
  ['xx', 'xx'],
  ['', ''],
])('equal lines away from changes are folded: %s', (shape, shown) => {
  expect(print(shape)).toBe(shown)
})

test('an opened fold stays open, and other folds stay closed', () => {
  expect(print('..........x..........', [0])).toBe('..........x...<7>')
  expect(changeStarts(lines('x..xx.x'))).toEqual([0, 3, 6])
  // Three changed lines in a row are three differences.
  expect(countChanged(lines('x..xx.x'))).toBe(4)
})

test('the differing part of two lines never contains half a character', () => {
  const parts = (left: string, right: string) =>
    changedParts(left, right).map(({ before, changed, after }) => [before, changed, after])
  expect(parts('"a": 12,', '"a": 142,')).toEqual([
    ['"a": 1', '', '2,'],
    ['"a": 1', '4', '2,'],
  ])
  // 😀 and 😁 share their first half, 😀 and 🐀 their second.
  expect(parts('x😀', 'x😁')).toEqual([
    ['x', '😀', ''],
    ['x', '😁', ''],
  ])
  expect(parts('😀x', '\u{1fa00}x').map(([, changed]) => changed)).toEqual(['😀', '\u{1fa00}'])
})

test('each comparable object has a text form that is parsed back', () => {
  for (const text of ['capture-12', 'replay-3-0', 'forward-01J-x_9']) {
    const one = parseComparable(text)
    expect(one && formatComparable(one)).toBe(text)
  }
  expect(parseComparable(' 12 ')).toEqual({ kind: 'capture', id: 12 })
  for (const text of ['', 'capture-0', 'capture-99999999999999999', 'forward-', 'replay-<x>']) {
    expect(parseComparable(text), text).toBeNull()
  }
})
