import { Address } from '@ton/core'
import { expect, test } from 'vitest'
import {
  growthOf,
  isFailing,
  progressSince,
} from '../../../src-main/webhooks/store/subscriptions.ts'
import { stepsOf } from '../../../src-main/webhooks/store/failure-history.ts'
import { readAddressText } from '../../../src-main/webhooks/store/subscription-rows.ts'
import {
  firstPositions,
  inTurn,
  isDue,
  pagesFor,
  pauseAfter,
} from '../../../src-main/webhooks/sampler/sampler.ts'

const reading = (failedAttempts: number, failedLt: bigint | null, lastDeliveredLt: bigint) => ({
  failedAttempts,
  failedLt,
  lastDeliveredLt,
  failedAt: null,
})

// A counter that was reset must not cause negative growth, and an absurd counter must not cause an absurd sum.
test.each<[number | bigint | null, number | bigint, number]>([
  [null, 7, 0],
  [3, 7, 4],
  [7, 7, 0],
  [7, 2, 2],
  [7n, 0n, 0],
  [0n, 2n ** 63n, 1_000_000_000],
])('a counter that changed from %s to %s has grown by %s', (before, after, growth) => {
  expect(growthOf(before, after)).toBe(growth)
})

test.each<[string, ReturnType<typeof reading>, boolean]>([
  ['never failed', reading(0, null, 0n), false],
  ['failed without a later delivery', reading(1, 9n, 5n), true],
  ['failed and was delivered later', reading(4, 9n, 9n), false],
  ['failed at an unknown event', reading(1, null, 5n), true],
  ['failed beyond 2^63', reading(1, 2n ** 63n + 1n, 2n ** 63n), true],
])('the failing state is right for an account that %s', (_name, after, failing) => {
  expect(isFailing(after)).toBe(failing)
})

test.each<[string, ReturnType<typeof reading>, ReturnType<typeof reading>, boolean]>([
  ['still fails', reading(2, 9n, 5n), reading(3, 9n, 5n), false],
  ['was delivered', reading(2, 9n, 5n), reading(2, 9n, 9n), true],
  ['was delivered and fails again', reading(2, 9n, 5n), reading(3, 12n, 9n), true],
  ['fails again with a reset counter', reading(5, 9n, 5n), reading(1, 12n, 5n), true],
  ['was delivered an older event', reading(2, 9n, 5n), reading(2, 9n, 7n), false],
])('the recovery is right for an account that %s', (_name, before, after, recovered) => {
  expect(progressSince({ ...before, isFailing: true }, after).recovered).toBe(recovered)
})

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const now = Date.UTC(2026, 5, 15, 12, 34)

// Steps shorter than the stored ones would be gaps, and a chart has room for a few hundred steps.
test.each<[string, number, number, number, number]>([
  ['the last hour', hour, 1, 120, minute],
  ['the last hour with values every ten minutes', hour, 10, 120, 10 * minute],
  ['the last day', day, 1, 120, 30 * minute],
  ['the last week', 7 * day, 60, 120, 2 * hour],
  ['one month', 31 * day, 60, 120, 12 * hour],
  ['one month that was reduced to days', 31 * day, 1440, 120, day],
  ['90 days', 90 * day, 60, 120, day],
  ['90 days in at most ten steps', 90 * day, 60, 10, 10 * day],
  ['a week in at most one step', 7 * day, 60, 1, 8 * day],
  ['a century', 36_500 * day, 60, 120, 172 * day],
])('the width of a step fits a chart of %s', (_name, span, finest, maxSteps, width) => {
  const steps = stepsOf({ from: now - span, to: now }, { maxSteps, finest })
  expect(steps.width * minute).toBe(width)
  // Each day and each hour is completely within one step.
  expect(steps.from % Math.min(steps.width, 24 * 60)).toBe(0)
  expect(steps.count).toBeLessThanOrEqual(maxSteps)
  expect(steps.from * minute).toBeLessThanOrEqual(Math.max(0, now - span))
  expect((steps.from + steps.width * steps.count) * minute).toBeGreaterThanOrEqual(now)
})

test('steps begin at a multiple of their width, so that each hourly value belongs to one step', () => {
  const from = (1_000_000 * 60 + 37) * minute
  const limits = { maxSteps: 120, finest: 60 }
  expect(stepsOf({ from, to: from + 5 * hour }, limits)).toEqual({
    from: 1_000_000 * 60,
    width: 60,
    count: 6,
  })
  // A partial minute at the end has a step.
  const whole = { from: 0, to: 2 * hour }
  expect(stepsOf(whole, limits).count).toBe(2)
  expect(stepsOf({ ...whole, to: whole.to + 1 }, limits).count).toBe(3)
  // Exactly the allowed number of steps is accepted.
  expect(stepsOf(whole, { maxSteps: 2, finest: 60 })).toEqual({ from: 0, width: 60, count: 2 })
  expect(stepsOf(whole, { maxSteps: 1, finest: 60 })).toEqual({ from: 0, width: 120, count: 1 })
  const even = stepsOf({ from, to: from + 7 * day }, limits)
  expect([even.width, even.from % even.width]).toEqual([120, 0])
})

test('subscriptions of a webhook with news are synced first but reserve requests, and small sets precede large ones', () => {
  const candidates = [
    { key: 1, hasNews: false, rows: 100_000 },
    { key: 2, hasNews: false, rows: 10 },
    { key: 3, hasNews: true, rows: 90_000 },
    { key: 4, hasNews: false, rows: 20 },
  ]
  const brief = (turns = firstPositions) =>
    inTurn(candidates, turns, 20).map(({ key, reserved }) => [key, reserved])
  expect(brief()).toEqual([
    [3, 10],
    [2, 5],
    [4, 5],
    [1, 0],
  ])
  expect(brief({ small: 4, large: 1 }).map(([key]) => key)).toEqual([3, 4, 2, 1])
  const [alone] = inTurn(candidates.slice(2, 3), firstPositions, 20)
  expect(alone?.reserved).toBe(0)
})

test('a failing network is requested with growing delays, and a clock that was set back causes no wait', () => {
  expect([0, 1, 2, 10, 1000].map((failures) => pauseAfter(30, failures))).toEqual([
    30_000, 60_000, 120_000, 600_000, 600_000,
  ])
  expect(pauseAfter(3600, 3)).toBe(3_600_000)
  expect(pagesFor(30)).toBe(20)
  expect(isDue({ lastAt: 100, nextAt: 200 }, 150)).toBe(false)
  expect(isDue({ lastAt: 100, nextAt: 200 }, 50)).toBe(true)
  expect(isDue({ lastAt: null, nextAt: null }, 50)).toBe(true)
})

test('an address is found by the beginning of any of its forms', () => {
  const raw = `0:${'c3'.repeat(31)}7f`
  for (const bounceable of [true, false]) {
    for (const testOnly of [true, false]) {
      const friendly = Address.parse(raw).toString({ bounceable, testOnly })
      expect(readAddressText(friendly)).toEqual({ address: raw })
      for (const length of [3, 6, 9, 31, 46, 47]) {
        const sought = readAddressText(friendly.slice(0, length))
        if (sought === null || !('range' in sought) || sought.range === null) {
          throw new Error(`${friendly.slice(0, length)} is not understood`)
        }
        expect(sought.range.from <= raw && raw <= sought.range.to).toBe(true)
        expect(sought.range.to < `0:c4${'00'.repeat(31)}`).toBe(length > 4)
      }
    }
  }
  expect(readAddressText('  ')).toBeNull()
  expect(readAddressText('C3C3')).toEqual({ part: 'c3c3', range: null })
})
