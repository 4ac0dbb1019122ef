import { describe, expect, it } from 'vitest'
import {
  drawOpen,
  drawPaymentTimes,
  describeBucket,
} from '../../../../src-renderer/features/invoices/charts/buckets.ts'
import {
  amountsOf,
  describeBefore,
  describeChange,
  type TallyStep,
  describeTotal,
  drawTallies,
  overTimeCharts,
  stepAxis,
  stepsFor,
  titleOf,
} from '../../../../src-renderer/features/invoices/charts/over-time.ts'
import { formatShare } from '../../../../src-renderer/ui/format.ts'

const day = 86_400_000

function chartOf(title: string) {
  const chart = overTimeCharts.find((each) => titleOf(each) === title)
  if (chart === undefined) throw new Error(`no chart “${title}”`)
  return chart
}

const span = 'the day before'

describe('a percentage', () => {
  it.each([
    [1406n, 1727n, '81.4 %'],
    [0n, 5n, '0.0 %'],
    [5n, 5n, '100.0 %'],
    // Rounding would show these as 0 % and 100 %.
    [1n, 1_000_000n, '0.1 %'],
    [999_999n, 1_000_000n, '99.9 %'],
    [1n, 0n, null],
  ])('the percentage of %s in %s is %s', (part, whole, text) => {
    expect(formatShare(part, whole)).toBe(text)
  })
})

describe('the change from the period before', () => {
  it.each([
    [118n, 100n, '+18 % on the day before'],
    [1063n, 1000n, '+6.3 % on the day before'],
    [94n, 100n, '−6 % on the day before'],
    // The values differ by one unit, beyond the precision of a float.
    [10n ** 30n + 1n, 10n ** 30n, '+<0.1 % on the day before'],
    [1n, 10n ** 30n, '−>99.9 % on the day before'],
    [0n, 7n, '−100 % on the day before'],
    [25n, 2n, '12 times the day before'],
    [7n, 7n, 'as much as in the day before'],
    [7n, 0n, 'nothing in the day before'],
    [0n, 0n, null],
  ])('the change to %s from %s is described as: %s', (now, before, text) => {
    expect(describeChange(now, before, span)).toBe(text)
  })

  it('the period before is named by its length, even across a clock change', () => {
    expect(describeBefore(0, 30 * day)).toBe('the 30 days before')
    expect(describeBefore(0, 30 * day + day / 24)).toBe('the 30 days before')
    expect(describeBefore(0, 29.4 * day)).toBe('the 30 days before')
    expect(describeBefore(0, 14.2 * (day / 24))).toBe('the 15 h before')
  })
})

const amounts = (ton: string) => ({ TON: ton, USDT: '0' })
const step = (startsAt: number, figures: Partial<TallyStep['tally']>): TallyStep => ({
  startsAt,
  endsAt: startsAt + day,
  tally: {
    created: 0,
    createdPaid: 0,
    paid: 0,
    expired: 0,
    cancelled: 0,
    volume: amounts('0'),
    overpaid: 0,
    overpayment: amounts('0'),
    ...figures,
  },
})

describe('a chart over time', () => {
  // The amount exceeds the precision of a float by one unit.
  const large = '9007199254740993000000001'
  const exact = '9 007 199 254 740 993.000000001 TON'.replaceAll(/(?<=\d) (?=\d)/g, '\u202f')

  it('amounts of a chart are exact, and a bar links to its paid invoices in the currency', () => {
    const chart = chartOf('Volume, TON')
    const steps = [step(0, {}), step(day, { paid: 2, volume: amounts(large) })]
    const { points, series, rowsOf } = drawTallies(chart, steps, null)
    expect(points[1]?.texts?.['volume']).toBe(exact)
    expect(series.map(({ key }) => key)).toEqual(['volume', 'count'])
    expect(describeTotal(chart, step(0, { volume: amounts(large) }).tally)).toBe(exact)
    expect(points[1] && rowsOf(points[1], 'volume')).toEqual({
      statuses: ['paid'],
      currencies: ['TON'],
      period: { by: 'ended', from: day, to: 2 * day },
    })
  })

  it('the period before is aligned at its end and links to its own invoices', () => {
    const steps = [step(10 * day, { created: 1 }), step(11 * day, { created: 2 })]
    const before = [step(7 * day, {}), step(8 * day, { created: 5 }), step(9 * day, { created: 6 })]
    const { points, rowsOf } = drawTallies(
      chartOf('Created, paid, expired, cancelled'),
      steps,
      before,
    )
    expect(points.map(({ values }) => values['created-before'])).toEqual([5, 6])
    expect(points[0] && rowsOf(points[0], 'created-before')).toEqual({
      period: { by: 'created', from: 8 * day, to: 9 * day },
    })
  })

  it('an interval without created invoices has no conversion rate', () => {
    const steps = [step(0, {}), step(day, { created: 3, createdPaid: 1 })]
    const { points } = drawTallies(chartOf('Conversion rate'), steps, null)
    expect(points.map(({ values }) => values['conversion'])).toEqual([null, 333])
    expect(points[0]?.texts?.['conversion']).toBe('none created')
  })
})

describe('distributions of payment times and open invoices', () => {
  it('a range of a distribution has a short name', () => {
    expect(describeBucket(0, 60)).toBe('under 1 min')
    expect(describeBucket(60, 120)).toBe('1 to 2 min')
    expect(describeBucket(1800, 3600)).toBe('30 min to 1 h')
    expect(describeBucket(86_400, null)).toBe('1 d or more')
  })

  it('a range of payment times links to the invoices in its currency and period', () => {
    const buckets = [
      { fromSeconds: 0, toSeconds: 60, count: { TON: 1, USDT: 4 } },
      { fromSeconds: 60, toSeconds: null, count: { TON: 0, USDT: 2 } },
    ]
    const { points, series, total, rowsOf, axis } = drawPaymentTimes(buckets, ['USDT'], {
      from: 5,
      to: 9,
    })
    expect(series.map(({ key }) => key)).toEqual(['USDT'])
    expect(axis.tick(0)).toBe('<1 min')
    expect(total).toBe(7)
    expect(points[1] && rowsOf(points[1], 'USDT')).toEqual({
      statuses: ['paid'],
      currencies: ['USDT'],
      period: { by: 'ended', from: 5, to: 9 },
      paidWithin: { from: 60, to: null },
    })
  })

  it('open invoices are grouped by their expiry relative to the time of the request', () => {
    const now = 1_700_000_000_000
    const { axis, points, rowsOf } = drawOpen(
      [
        { from: null, to: now, count: 1, amount: amounts('5') },
        { from: now, to: now + 900_000, count: 1, amount: amounts('5') },
        { from: now + 900_000, to: null, count: 0, amount: amounts('0') },
      ],
      'TON',
    )
    expect([0, 1, 2].map(axis.step)).toEqual(['overdue', 'in under 15 min', 'in 15 min or more'])
    expect(points[1]?.texts?.['amount']).toBe('0.000000005 TON')
    expect(points[0] && rowsOf(points[0], 'amount')?.period).toEqual({
      by: 'expires',
      from: null,
      to: now,
    })
  })
})

describe('the axes of a chart', () => {
  it('the axis of amounts has few round labels up to the largest value, without rounding', () => {
    const { ticks, print } = amountsOf('TON')
    for (const most of [1, 999, 1.5e9, 12.75e9, 9.9e18, 3e24]) {
      const all = ticks(most) ?? []
      expect(all.length).toBeLessThanOrEqual(6)
      expect(all.at(-1)).toBeGreaterThanOrEqual(most)
    }
    expect(ticks(12.75e9)?.map(print)).toEqual(['0', '5', '10', '15'])
    expect(ticks(3)?.map(print)).toEqual(['0', '0.000000001', '0.000000002', '0.000000003'])
  })

  it('the axis of intervals has labels that fit, and names each complete interval', () => {
    const first = new Date(2026, 9, 22).getTime()
    const days = Array.from({ length: 30 }, (_, index) => ({
      startsAt: new Date(2026, 9, 22 + index).getTime(),
      endsAt: new Date(2026, 9, 23 + index).getTime(),
    }))
    const axis = stepAxis(days, 'day', first * 1000)
    expect(axis.ticks.length).toBeLessThanOrEqual(7)
    expect(axis.tick(first * 1000)).toBe('22 Oct')
    expect(axis.step(first * 1000)).toBe('22 Oct')
    const week = { startsAt: first, endsAt: new Date(2026, 9, 29).getTime() }
    expect(stepAxis([week], 'week', first * 1000).step(first * 1000)).toBe('22 Oct to 28 Oct')
  })

  it('a chart offers only intervals that result in several bars, but not too many', () => {
    expect(stepsFor(0, day)).toEqual(['hour'])
    expect(stepsFor(0, 30 * day)).toEqual(['day', 'week'])
    expect(stepsFor(0, 365 * day)).toEqual(['month'])
  })
})
