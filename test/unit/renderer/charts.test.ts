import { displayOffset } from '../../../src-renderer/ui/format.ts'
import { describe, expect, it } from 'vitest'
import {
  type Point,
  duration,
  gapsOf,
  maxOf,
  formatValue,
  roundTicks,
  standsAlone,
} from '../../../src-renderer/components/charts/series.ts'
import { day, hour, minute } from '../../../src-renderer/components/charts/ranges.ts'
import { tickStepOf, timeAxis } from '../../../src-renderer/components/charts/time-axis.ts'

const both = [
  { key: 'a', name: 'a', colour: 1 },
  { key: 'b', name: 'b', colour: 4 },
] as const

const points = (...values: [number | null, number | null][]): Point[] =>
  values.map(([a, b], index) => ({ startsAt: index, values: { a, b } }))

describe('missing values in a chart', () => {
  it('a gap is an interval in which no series has a value, and zero is a value', () => {
    const some = points([null, null], [null, null], [0, null], [0, 0], [null, null])
    expect(gapsOf(some, both)).toEqual([
      { from: 0, to: 1 },
      { from: 4, to: 4 },
    ])
  })

  it('a missing value is described as no data', () => {
    expect(formatValue(duration, null)).toBe('no data')
    expect(formatValue(duration, 0)).toBe('0 s')
  })

  it('a value between two gaps is drawn as a dot', () => {
    const some = points([null, 1], [3, 1], [null, 1], [3, 1], [4, 1])
    expect([0, 1, 2, 3, 4].filter((index) => standsAlone(some, index, 'a'))).toEqual([1])
  })
})

describe('the value axis for durations', () => {
  it('the value axis has at most five round labels that include the largest value', () => {
    for (const most of [0, 1, 999, 59_000, 61_000, 3_700_000, 90_000_000, 9e9]) {
      const ticks = duration.ticks(most) ?? []
      expect(ticks.length).toBeLessThanOrEqual(5)
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most)
    }
    expect(duration.ticks(3_700_000)?.map(duration.print)).toEqual([
      '0 s',
      '30 min',
      '1 h',
      '1 h 30 min',
    ])
  })

  it('the value axis reaches the sum of stacked values, or the highest line', () => {
    const some = points([3, 4], [null, 5])
    expect(maxOf(some, both, true)).toBe(7)
    expect(maxOf(some, both, false)).toBe(5)
  })
})

describe('the value axis for counts', () => {
  it('the value axis for counts has round labels', () => {
    expect([0, 1, 7, 21, 270].map((most) => roundTicks(most))).toEqual([
      [0, 1],
      [0, 1],
      [0, 2, 4, 6, 8],
      [0, 10, 20, 30],
      [0, 100, 200, 300],
    ])
  })
})

describe('labels of a time axis', () => {
  it('labels of a time axis are at the intervals with a round time, and show that time', () => {
    const first = Date.UTC(2026, 10, 20, 14, 37, 11) * 1000
    const step = 24 * minute
    const starts = Array.from({ length: 60 }, (_, index) => first + index * step)
    const { ticks, tick } = timeAxis(starts, {
      step,
      between: tickStepOf(step * starts.length),
      now: first + 24 * hour,
    })
    expect(ticks.length).toBeGreaterThanOrEqual(4)
    expect(ticks.length).toBeLessThanOrEqual(7)
    for (const at of ticks) {
      expect(tick(at)).toMatch(/^(00|04|08|12|16|20):00$/)
      const ofDay = (at + displayOffset(first)) % (4 * hour)
      expect(4 * hour - ofDay).toBeLessThanOrEqual(step)
    }
  })

  it('labels of a time axis are dates where the intervals are days', () => {
    const first = Date.UTC(2026, 9, 20) * 1000
    const starts = Array.from({ length: 30 }, (_, index) => first + index * day)
    const now = first + 30 * day
    const { ticks, tick } = timeAxis(starts, { step: day, between: tickStepOf(30 * day), now })
    expect(ticks.length).toBeGreaterThanOrEqual(4)
    for (const at of ticks) expect(tick(at)).toMatch(/^\d+ (Oct|Nov)$/)
  })
})
