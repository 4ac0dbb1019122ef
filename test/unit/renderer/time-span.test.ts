import { describe, expect, it } from 'vitest'
import { doubledPause, parseSpan } from '../../../src-preload/domain/time-span.ts'
import { formatTimeSpan, readSpans } from '../../../src-renderer/components/time-span.ts'

describe('durations in a field', () => {
  it.each([
    [0, '0 ms'],
    [500, '500 ms'],
    [5000, '5 s'],
    [90_000, '90 s'],
    [900_000, '15 min'],
    [3_600_000, '1 h'],
    [86_400_000, '1 d'],
  ])('a duration of %d ms is formatted as %s and parsed back', (ms, printed) => {
    expect(formatTimeSpan(ms)).toBe(printed)
    expect(parseSpan(printed)).toBe(ms)
  })

  it.each([
    ['10', 10_000],
    ['1.5 h', 5_400_000],
    ['2MIN', 120_000],
    ['5 weeks', 3_024_000_000],
    ['1h 30m', 5_400_000],
    ['1.5s', 1500],
  ])('the text %j is parsed as a duration', (text, ms) => {
    expect(parseSpan(text)).toBe(ms)
  })

  it.each([
    '',
    'soon',
    '-5 s',
    '1,5 h',
    '5 moons',
    '1:30',
    '5 s 3',
    'constructor',
    '1 constructor',
  ])('the text %j is refused as a duration', (text) => {
    expect(parseSpan(text)).toBeNull()
  })

  it('a list of durations is parsed completely or refused', () => {
    expect(readSpans('5 s, 15 s, 1 min,')).toEqual([5000, 15_000, 60_000])
    expect(readSpans('5 s, soon')).toBeNull()
    expect(readSpans(' , ')).toBeNull()
  })
})

it('a pause doubles with each failure up to its limit, also after very many failures', () => {
  expect([1, 2, 3, 6, 7, 40].map((failures) => doubledPause(failures, 1000, 40_000))).toEqual([
    1000, 2000, 4000, 32_000, 40_000, 40_000,
  ])
  expect(doubledPause(5000, 500, 60_000)).toBe(60_000)
})
