/** Tests values in a currency, which a gateway reports as JSON numbers. */
import { expect, test } from 'vitest'
import { formatDecimal } from '../../../src-main/lookups/looked-up-account.ts'

test.each([
  [0, '0'],
  [-0, '0'],
  [12.5, '12.5'],
  [-12.5, '-12.5'],
  [1e-7, '0.0000001'],
  [-1.5e-7, '-0.00000015'],
  [1.5e21, '1500000000000000000000'],
  [-1e21, '-1000000000000000000000'],
  [1e99, `1${'0'.repeat(99)}`],
  // A number beyond all possible values keeps JavaScript's notation and is never shown as zero.
  [1e100, '1e+100'],
  [-1e-100, '-1e-100'],
])('the number %s is written as %s', (value, text) => {
  expect(formatDecimal(value)).toBe(text)
})
