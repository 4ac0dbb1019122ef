import { expect, test } from 'vitest'
import { readMoment } from '../../../src-main/captures/files/exported.ts'
import { readDateTime } from '../../../src-main/gateway/response-fields.ts'
import { parseDateTime } from '../../../src-preload/domain/time-span.ts'

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
  // Go and Unix time use these for a date that was never set.
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

test('every reader of dates refuses a day that does not exist, and takes leap days', () => {
  const readers: ((day: string) => number | null)[] = [
    (day) => parseDateTime(day, '12:00'),
    (day) => readDateTime(`${day}T12:00:00Z`),
    (day) => readMoment(`${day}T12:00:00Z`),
  ]
  for (const read of readers) {
    expect(['2026-02-29', '2026-02-30', '2026-04-31', '2026-13-01'].map(read)).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect(read('2028-02-29')).not.toBeNull()
    expect(read('2026-12-31')).not.toBeNull()
  }
})

test('a time after the end of its day is refused, and an offset moves a time across midnight', () => {
  expect(parseDateTime('2026-01-31', '24:00', 'Z')).toBeNull()
  expect(parseDateTime('2026-01-31', '23:59:59.999', 'Z')).toBe(Date.UTC(2026, 1, 1) - 1)
  expect(parseDateTime('2026-02-01', '01:00', '+03:00')).toBe(Date.UTC(2026, 0, 31, 22))
})
