import { expect, test } from 'vitest'
import { fitColumns, measureAmounts, sizeOfAmount } from '../../../src-renderer/ui/data-columns.ts'

const columns = [
  { name: 'Name', width: 100, grow: 1, cell: () => '' },
  { id: 'sum', name: 'Amount', width: 50, gives: 1, look: 'amount', cell: (row: string) => row },
  { name: 'Changed', width: 90, gives: 2, cell: () => '' },
] as const

const room = { hidden: undefined, sizes: {}, hasChecks: false }
const names = (given: Parameters<typeof fitColumns>[1]) =>
  fitColumns(columns, given).shown.map(({ name }) => name)

test('columns are removed in order of importance in a narrow list, and a hidden column leaves room for another', () => {
  expect(names({ ...room, width: 0 })).toEqual(['Name', 'Amount', 'Changed'])
  expect(names({ ...room, width: 292 })).toEqual(['Name', 'Amount', 'Changed'])
  expect(names({ ...room, width: 291 })).toEqual(['Name', 'Amount'])
  expect(names({ ...room, width: 10 })).toEqual(['Name'])
  expect(names({ ...room, width: 291, hidden: new Set(['sum']) })).toEqual(['Name', 'Changed'])
})

test('an amount is measured before and after its decimal point, and its column only grows', () => {
  expect(sizeOfAmount('1.500000000 TON')).toEqual({ whole: 1, rest: 14 })
  expect(sizeOfAmount('12 TON')).toEqual({ whole: 2, rest: 4 })
  const first = measureAmounts(columns, ['1.500000000 TON', '120.4 USDT'], {})
  expect(first).toEqual({ Amount: { whole: 3, rest: 14 } })
  expect(measureAmounts(columns, ['1.5 TON'], first)).toBe(first)
  const { template } = fitColumns(columns, { ...room, width: 0, sizes: first, hasChecks: true })
  // The template has a checkbox, a name, and 17 characters of 7.3 pixels.
  expect(template).toBe('14px minmax(100px, 1fr) 125px 90px')
})
