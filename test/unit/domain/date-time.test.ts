import { expect, test } from 'vitest'
import { readDateTime } from '../../../src-main/gateway/response-fields.ts'

const at = Date.UTC(2026, 8, 25, 12, 34, 56, 789)
const whole = at - 789

test.each([
  ['2026-09-25T12:34:56.789Z', at],
  // Go formats times with up to nine decimal places.
  ['2026-09-25T12:34:56.789123456Z', at],
  ['2026-09-25T12:34:56.7Z', whole + 700],
  ['2026-09-25T15:34:56+03:00', whole],
  ['2026-09-25T15:34:56+0300', whole],
  ['2026-09-25T15:34:56+03', whole],
  ['2026-09-25T04:04:56-0830', whole],
  ['2026-09-25 12:34:56.789', at],
  ['2026-09-25 15:34:56,789 +0300', at],
  ['2026-09-25T12:34:56', whole],
  ['2026-09-25t12:34z', whole - 56_000],
  [' 2026-09-25T12:34:56Z ', whole],
  [Math.floor(at / 1000), whole],
  [at, at],
  [BigInt(at), at],
  [String(at), at],
  [`${Math.floor(at / 1000)}.789`, at],
])('the date and time %s is parsed', (value, expected) => {
  expect(readDateTime(value)).toBe(expected)
})

test.each([
  // Go and Unix time write a date that was never set like this.
  '0001-01-01T00:00:00Z',
  0,
  '0',
  '',
  'yesterday',
  '25.09.2026 12:34',
  '2026-13-45T12:34:56Z',
  '2026-09-25T12:34:56+99:99',
  '2026-09-25',
  -5,
  Number.NaN,
  2n ** 80n,
  '9999999999999999',
])('%s is refused as a date and time', (value) => {
  expect(readDateTime(value)).toBeNull()
})
