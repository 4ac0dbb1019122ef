import { expect, test } from 'vitest'
import type { DeliveryAttempt } from '../../../src-main/captures/store/deliveries.ts'
import {
  addAttempt,
  groupFailures,
  joinFailures,
  delayPercentile,
  roundDelay,
} from '../../../src-main/webhooks/history/delivery-health.ts'

test('a percentile of counted delays equals the percentile of the list, up to their rounding', () => {
  let seed = 7
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  for (const size of [1, 2, 19, 20, 21, 500]) {
    const list = Array.from({ length: size }, () => Math.floor(random() ** 6 * 1e7))
    const counted = new Map<number, number>()
    for (const ms of list) counted.set(roundDelay(ms), (counted.get(roundDelay(ms)) ?? 0) + 1)
    list.sort((a, b) => a - b)
    for (const share of [0.5, 0.95]) {
      const exact = list[Math.max(0, Math.ceil(size * share) - 1)] ?? NaN
      expect(delayPercentile(counted, share)).toBe(roundDelay(exact))
      expect(Math.abs(roundDelay(exact) - exact)).toBeLessThanOrEqual(exact * 0.005)
    }
  }
  expect(delayPercentile(new Map(), 0.95)).toBeNull()
})

test('only 200 counts as accepted, and a delay is unknown for a block time far in the future', () => {
  const tally = { accepted: 0, failed: 0, delays: new Map<number, number>(), last: null }
  const at = 1_700_000_000_000
  const attempt = { id: 1, tokenId: 'a', at, status: 200, blockAt: at - 2345 }
  const attempts: DeliveryAttempt[] = [
    attempt,
    { ...attempt, id: 2, blockAt: at + 400 },
    { ...attempt, id: 3, blockAt: at + 3_600_000 },
    { ...attempt, id: 4, blockAt: null },
    // Gateways count the status 204 as a failure.
    { ...attempt, id: 5, status: 204 },
    { ...attempt, id: 6, status: null, at: at - 1 },
  ]
  for (const each of attempts) addAttempt(tally, each)
  expect(tally).toMatchObject({ accepted: 4, failed: 2, last: { id: 5, status: 204 } })
  expect([...tally.delays]).toEqual([
    [2350, 1],
    [0, 1],
  ])
})

test('failures are grouped by error and account, and a failure in the log and in a capture counts once', () => {
  const account = `0:${'a'.repeat(64)}`
  const captured = [
    { at: 60_000, cause: '500', account, capture: 7 },
    { at: 120_000, cause: '500', account, capture: 9 },
    { at: 180_000, cause: '401', account: null, capture: 10 },
  ]
  const logged = [
    { at: 60_001, cause: '500', account: null, capture: null },
    { at: 190_000, cause: 'timed-out', account: null, capture: null },
  ]
  const failures = joinFailures(captured, logged)
  expect(groupFailures(failures)).toEqual([
    {
      cause: '500',
      text: '500 Internal Server Error',
      account,
      capture: 9,
      firstAt: 60_000,
      lastAt: 120_000,
      count: 2,
    },
    {
      cause: 'timed-out',
      text: 'Timed out',
      account: null,
      capture: null,
      firstAt: 190_000,
      lastAt: 190_000,
      count: 1,
    },
    {
      cause: '401',
      text: '401 Unauthorized',
      account: null,
      capture: 10,
      firstAt: 180_000,
      lastAt: 180_000,
      count: 1,
    },
  ])
  // A webhook that delivers elsewhere has entries in the gateway's log only.
  expect(groupFailures(joinFailures([], logged)).map(({ cause }) => cause)).toEqual([
    'timed-out',
    '500',
  ])
})
