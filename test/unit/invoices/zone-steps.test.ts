import { expect, test } from 'vitest'
import type { Step } from '../../../src-main/invoices/calendar.ts'
import { maxSteps, stepsOf } from '../../../src-main/invoices/stats/stats-routes.ts'

const at = (text: string) => Date.parse(text)
const hourMs = 3_600_000

function steps(zone: string, step: Step, from: string, to: string) {
  return stepsOf({ from: at(from), to: at(to) }, step, zone).map(({ startsAt, endsAt }) => ({
    from: new Date(startsAt).toISOString(),
    hours: (endsAt - startsAt) / hourMs,
  }))
}

test('a day of a clock change has 23 or 25 hours', () => {
  const spring = steps('Europe/Berlin', 'day', '2025-03-28T23:00Z', '2025-03-31T22:00Z')
  expect(spring).toEqual([
    { from: '2025-03-28T23:00:00.000Z', hours: 24 },
    { from: '2025-03-29T23:00:00.000Z', hours: 23 },
    { from: '2025-03-30T22:00:00.000Z', hours: 24 },
  ])
  const autumn = steps('Europe/Berlin', 'day', '2025-10-25T22:00Z', '2025-10-26T23:00Z')
  expect(autumn).toEqual([{ from: '2025-10-25T22:00:00.000Z', hours: 25 }])
  const hours = steps('Europe/Berlin', 'hour', '2025-10-25T22:00Z', '2025-10-26T23:00Z')
  expect(hours).toHaveLength(25)
  expect(new Set(hours.map((each) => each.hours))).toEqual(new Set([1]))
})

test('days and hours begin at the offset of half and quarter hour time zones', () => {
  expect(steps('America/St_Johns', 'day', '2025-07-01T02:30Z', '2025-07-02T02:30Z')).toEqual([
    { from: '2025-07-01T02:30:00.000Z', hours: 24 },
  ])
  expect(steps('Asia/Kathmandu', 'hour', '2025-07-01T18:15Z', '2025-07-01T20:15Z')).toEqual([
    { from: '2025-07-01T18:15:00.000Z', hours: 1 },
    { from: '2025-07-01T19:15:00.000Z', hours: 1 },
  ])
  // In this zone clocks changed one minute after midnight, and the day must begin once.
  expect(steps('America/St_Johns', 'day', '2010-11-06T02:30Z', '2010-11-08T03:30Z')).toEqual([
    { from: '2010-11-06T02:30:00.000Z', hours: 24 },
    { from: '2010-11-07T02:30:00.000Z', hours: 25 },
  ])
})

test('a date that a time zone skipped has no step, and a day whose midnight was skipped begins at the next moment', () => {
  expect(steps('Pacific/Apia', 'day', '2011-12-29T10:00Z', '2011-12-31T10:00Z')).toEqual([
    { from: '2011-12-29T10:00:00.000Z', hours: 24 },
    { from: '2011-12-30T10:00:00.000Z', hours: 24 },
  ])
  // In Cairo the clocks changed from midnight to one o'clock on 28 April 2023.
  expect(steps('Africa/Cairo', 'day', '2023-04-26T22:00Z', '2023-04-28T21:00Z')).toEqual([
    { from: '2023-04-26T22:00:00.000Z', hours: 24 },
    { from: '2023-04-27T22:00:00.000Z', hours: 23 },
  ])
})

test('weeks begin on Monday, months begin on the first, and the steps are cut at the ends of the period', () => {
  expect(steps('Europe/Berlin', 'week', '2025-03-26T12:00Z', '2025-04-08T00:00Z')).toEqual([
    { from: '2025-03-26T12:00:00.000Z', hours: 4 * 24 + 10 },
    { from: '2025-03-30T22:00:00.000Z', hours: 7 * 24 },
    { from: '2025-04-06T22:00:00.000Z', hours: 26 },
  ])
  expect(steps('UTC', 'month', '2024-01-31T00:00Z', '2024-03-02T00:00Z')).toEqual([
    { from: '2024-01-31T00:00:00.000Z', hours: 24 },
    { from: '2024-02-01T00:00:00.000Z', hours: 29 * 24 },
    { from: '2024-03-01T00:00:00.000Z', hours: 24 },
  ])
  expect(stepsOf({ from: 5, to: 5 }, 'day', 'UTC')).toEqual([])
})

test('an unknown time zone and too many steps are refused with a reason', () => {
  const year = { from: at('2024-01-01'), to: at('2025-01-01') }
  expect(() => stepsOf(year, 'day', 'Europe/Atlantis')).toThrow(
    '"Europe/Atlantis" is not a time zone',
  )
  expect(() => stepsOf(year, 'hour', 'UTC')).toThrow(`more than ${maxSteps} hours. Choose days.`)
})
