import { expect, test } from 'vitest'
import {
  parseAmount,
  previewAmount,
  formatAmount,
  formatAssetAmount,
  rescale,
} from '../../../src-preload/domain/amount.ts'

test.each([
  ['0', 9, 0n],
  ['1', 9, 1_000_000_000n],
  ['1.5', 9, 1_500_000_000n],
  ['0.000000001', 9, 1n],
  ['9223372036.854775807', 9, 2n ** 63n - 1n],
  ['2.5', 6, 2_500_000n],
  ['-0.1', 9, -100_000_000n],
])('the amount %s with %i decimals is parsed as %s and formatted back', (text, decimals, units) => {
  expect(parseAmount(text, decimals)).toBe(units)
  expect(formatAmount(units, decimals)).toBe(text)
})

test.each([
  [undefined, '1.5'],
  [{ numerator: '2', denominator: '1' }, '3'],
  [{ numerator: '1', denominator: '4' }, '0.375'],
  // The amount is rounded towards zero, because the displayed balance must exist.
  [{ numerator: '2', denominator: '1000000' }, '0.000003'],
  [{ numerator: '1', denominator: '2000000' }, '0'],
])('an amount of a jetton with the display multiplier %j is formatted as %s', (scale, text) => {
  expect(formatAssetAmount(1_500_000n, { decimals: 6, scale })).toBe(text)
})

test.each(['', '.5', '1.', '1e3', '0x1', '1,5', ' 1', 'NaN', '0.0000000001'])(
  'the amount %j is refused instead of rounded',
  (text) => {
    expect(() => parseAmount(text, 9)).toThrow(RangeError)
  },
)

test.each([
  [1_000_000_000n, '1 TON'],
  [1_239_000_000n, '1.23 TON'],
  [12_345_678_900_000n, '12 345 TON'],
  [1n, '0.000000001 TON'],
  [123_456n, '0.000123 TON'],
  [0n, '0 TON'],
  [-5_000_000_000n, '-5 TON'],
  [1_001_200_000n, '1 TON'],
  [-1_239_000_000n, '-1.23 TON'],
  [12_345_678_900_000_000n, '12 345 678 TON'],
  [999_999_999_999n, '999 TON'],
])('the preview of %s nanotons is %s', (units, text) => {
  expect(previewAmount(units, 9, 'TON')).toBe(text)
})

test.each([
  [1_500_000_000n, 9, {}, '1.5'],
  ['1500000000', 9, { places: 2 }, '1.50'],
  ['-1500000001', 9, { mark: ',', places: 2 }, '-1,500000001'],
  [0n, 6, { places: 2 }, '0.00'],
  ['0', 6, {}, '0'],
  [70n, 0, {}, '70'],
])(
  'the amount %s with %i decimals and the options %j is written as %s',
  (units, decimals, options, text) => {
    expect(formatAmount(units, decimals, options)).toBe(text)
  },
)

test.each([
  [1_000_000_001n, 1_000_000n, 1_000_001n],
  [1_000_000_000n, 1_000_000n, 1_000_000n],
  [1_000_000_999n, 1_000_000n, 1_000_001n],
  [0n, 0n, 0n],
])('%s nanounits are %s microunits rounded down and %s rounded up', (units, down, up) => {
  expect(rescale(units, 9, 6, 'down')).toBe(down)
  expect(rescale(units, 9, 6, 'up')).toBe(up)
  expect(rescale(units, 6, 6, 'up')).toBe(units)
})

test('the error of an amount names its first 80 characters and the reason', () => {
  const long = '1'.repeat(100)
  expect(() => parseAmount(`${long}x`, 9)).toThrow(`'${'1'.repeat(80)}' is not a decimal number`)
  expect(() => parseAmount(`${long}.01`, 1)).toThrow(
    `'${'1'.repeat(80)}' has more than 1 decimal places`,
  )
})
