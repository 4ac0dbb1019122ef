import { displayOffset } from '../../../src-renderer/ui/format.ts'
import { describe, expect, it } from 'vitest'
import {
  type Point,
  duration,
  maxOf,
  formatValue,
  roundTicks,
  isSinglePoint,
} from '../../../src-renderer/components/charts/series.ts'
import {
  boundsOf,
  day,
  hour,
  minute,
  planChart,
} from '../../../src-renderer/components/charts/plan.ts'
import { ranges } from '../../../src-renderer/components/query/received-span.ts'
import { tickStepOf, timeAxis } from '../../../src-renderer/components/charts/time-axis.ts'

const both = [
  { key: 'a', name: 'a', colour: 1 },
  { key: 'b', name: 'b', colour: 4 },
] as const

const points = (...values: [number | null, number | null][]): Point[] =>
  values.map(([a, b], index) => ({ startsAt: index, values: { a, b } }))

describe('missing values in a chart', () => {
  it('a missing value is described as no data', () => {
    expect(formatValue(duration, null)).toBe('no data')
    expect(formatValue(duration, 0)).toBe('0 s')
  })

  it('a value between two gaps is drawn as a dot', () => {
    const some = points([null, 1], [3, 1], [null, 1], [3, 1], [4, 1])
    expect([0, 1, 2, 3, 4].filter((index) => isSinglePoint(some, index, 'a'))).toEqual([1])
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

describe('the plan of a chart', () => {
  /** A value each minute, counted back from the last one. */
  const minutes = (length: number, filled: number): Point[] =>
    Array.from({ length }, (_, index) => ({
      startsAt: index * minute,
      values: { a: index >= length - filled ? 1 : 0, b: null },
    }))
  const options = { kind: 'bars', width: 600, step: minute, fits: false } as const

  it('steps are joined until a bar is at least 6 pixels wide, and nothing is lost', () => {
    for (const width of [120, 250, 330, 600, 1200]) {
      const { points, step, form } = planChart(minutes(1440, 1440), both, { ...options, width })
      expect((width / points.length) * 0.78).toBeGreaterThanOrEqual(6)
      expect(points.reduce((sum, { values }) => sum + (values['a'] ?? 0), 0)).toBe(1440)
      expect((step ?? 0) % minute).toBe(0)
      expect(form).toBe('bars')
    }
  })

  it('bars that stand beside each other need as much room each', () => {
    const beside = [both[0], { ...both[1], stack: 'other' }]
    const { points } = planChart(minutes(120, 120), beside, { ...options, width: 480 })
    expect((480 / points.length / 2) * 0.78).toBeGreaterThanOrEqual(6)
  })

  it('joined steps keep their time, and an interval without data in all of them has none', () => {
    const { points } = planChart(minutes(60, 60), both, { ...options, width: 100 })
    for (const { startsAt, endsAt = 0, values } of points) {
      expect(endsAt - startsAt).toBeGreaterThan(minute)
      expect(values['b']).toBeNull()
    }
  })

  it('fewer than five values are points, and five are bars', () => {
    expect(planChart(minutes(15, 4), both, options).form).toBe('points')
    expect(planChart(minutes(15, 5), both, options).form).toBe('bars')
    expect(planChart([], both, options).form).toBe('points')
  })

  it('a line of zeros is drawn as a line, because zero is a value', () => {
    expect(planChart(minutes(15, 0), both, { ...options, kind: 'lines' }).form).toBe('lines')
  })

  it('a range that the user did not choose begins with the data, and keeps six intervals', () => {
    const fitted = { ...options, fits: true }
    expect(planChart(minutes(24, 24), both, fitted).points).toHaveLength(24)
    expect(planChart(minutes(24, 9), both, fitted).points).toHaveLength(9)
    expect(planChart(minutes(24, 1), both, fitted).points).toHaveLength(6)
    expect(planChart(minutes(24, 0), both, fitted).points).toHaveLength(24)
    expect(planChart(minutes(24, 1), both, options).points).toHaveLength(24)
  })

  it('steps that have exact amounts of their own are not joined', () => {
    const { points } = planChart(minutes(60, 60), both, { ...options, step: null, width: 100 })
    expect(points).toHaveLength(60)
  })

  it('a range that ends now includes the present and ends on a whole step of local time', () => {
    const now = Date.UTC(2026, 10, 20, 14, 32, 7) * 1000
    const offset = 5.5 * hour
    for (const range of ranges) {
      const { from, to } = boundsOf(range, now, offset)
      expect(to).toBeGreaterThan(now)
      expect(to - now).toBeLessThanOrEqual(range.step)
      expect((to + offset) % range.step).toBe(0)
      expect(to - from).toBe(range.step * range.buckets)
    }
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
