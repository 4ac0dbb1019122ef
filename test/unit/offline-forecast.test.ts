import { expect, test } from 'vitest'
import {
  type Outage,
  forecastOffline,
  forecastRetry,
} from '../../src-main/webhooks/forecast/forecast.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const start = Date.UTC(2026, 5, 1)

const ongoing = (change: Partial<Outage> = {}): Outage => ({
  firstFrom: start,
  firstTo: start,
  attempts: 2,
  survivedAt: start + minute,
  outcome: null,
  offlineFrom: null,
  offlineTo: null,
  isCutShort: false,
  ...change,
})
/** @param survived from the first failed attempt to the last one after which it stayed online */
function offlineAfter(ms: number, survived: number, change: Partial<Outage> = {}): Outage {
  const first = start - 10 * day
  return ongoing({
    firstFrom: first,
    firstTo: first,
    survivedAt: first + survived,
    outcome: 'offline',
    offlineFrom: first + ms,
    offlineTo: first + ms,
    ...change,
  })
}
const recovered = (survived: number, attempts: number) =>
  ongoing({ outcome: 'recovered', survivedAt: start + survived, attempts })
const at = (now: number) => ({ recent: [start + 2 * minute, start + minute, start], now })

test('without an observed outage the limit is unknown, and the reason says what was seen', () => {
  const { offline, reason } = forecastOffline(ongoing(), [recovered(3 * hour, 9)], at(start))
  expect(offline).toBeNull()
  expect(reason).toMatch(/limit is unknown\. Webhooks stayed online .* up to 3 hours/)
})

test('an attempt ahead of its retry shows a deadline, which the next outage ends at', () => {
  const past = offlineAfter(2 * hour, hour, { isCutShort: true })
  const { offline, reason } = forecastOffline(ongoing(), [past], at(start + hour))
  expect(offline?.from).toBeLessThanOrEqual(start + 2 * hour)
  expect(offline?.to).toBeGreaterThanOrEqual(start + 2 * hour)
  expect((offline?.to ?? 0) - (offline?.from ?? 0)).toBeLessThan(5 * minute)
  expect(reason).toMatch(/2 hours after the first failed attempt\.$/)
})

// One outage cannot tell a limit of time from a limit of attempts: the range must hold both.
test('after one outage both rules are possible, and the range holds both moments', () => {
  const past = offlineAfter(2 * hour, 110 * minute, { attempts: 10 })
  const { offline, reason } = forecastOffline(ongoing(), [past], at(start + 3 * minute))
  expect(offline?.from).toBeLessThanOrEqual(start + 9 * minute)
  expect(offline?.to).toBeGreaterThanOrEqual(start + 2 * hour)
  expect(reason).toMatch(/10 failed attempts\. Either can be its limit\.$/)
})

test('outages of the same count and different lengths show a limit of attempts', () => {
  const past = [
    offlineAfter(2 * hour, hour, { attempts: 10 }),
    offlineAfter(20 * minute, 19 * minute, { attempts: 10 }),
  ]
  const { offline, reason } = forecastOffline(ongoing(), past, at(start + 3 * minute))
  expect(offline?.from).toBeLessThanOrEqual(start + 9 * minute)
  expect(offline?.to).toBeGreaterThanOrEqual(start + 9 * minute)
  expect(offline?.to).toBeLessThan(start + hour)
  expect(reason).toMatch(/last 2 outages .* after 10 failed attempts\.$/)
})

// A policy that was changed must not be forecast from the days before the change.
test('only outages since the limit changed count', () => {
  const past = [
    offlineAfter(4 * hour, 3 * hour, { isCutShort: true }),
    offlineAfter(hour, 30 * minute, { isCutShort: true }),
  ]
  const { offline } = forecastOffline(ongoing(), past, at(start + hour))
  expect(offline?.from).toBeGreaterThan(start + 3.9 * hour)
})

test('an outage that outlasts the known limit has no forecast', () => {
  const past = offlineAfter(hour, 30 * minute, { isCutShort: true, attempts: 5 })
  const now = ongoing({ attempts: 50, survivedAt: start + 2 * hour })
  const { offline, reason } = forecastOffline(now, [past], at(start + 2 * hour))
  expect(offline).toBeNull()
  expect(reason).toMatch(/limit seems to have changed/)
})

test('a first failure that was not seen exactly widens the range by as much', () => {
  const past = offlineAfter(2 * hour, hour, { isCutShort: true })
  const late = ongoing({ firstFrom: start - hour })
  const { offline } = forecastOffline(late, [past], at(start + minute))
  expect(offline?.from).toBeLessThanOrEqual(start + hour)
  expect(offline?.to).toBeGreaterThanOrEqual(start + 2 * hour)
})

test('the next retry follows the delays that were learned, the soonest of all accounts', () => {
  const delays = [
    { afterMs: 0, delayMs: 5_000 },
    { afterMs: 5_000, delayMs: minute },
    { afterMs: minute, delayMs: hour },
  ]
  const clock = { now: start, readEveryMs: 30_000 }
  const next = forecastRetry(
    [
      { failedAt: start - minute, retryMs: minute },
      { failedAt: start - 20_000, retryMs: 5_100 },
    ],
    delays,
    clock,
  )
  expect(next?.from).toBeLessThanOrEqual(start + 40_000)
  expect(next?.to).toBeGreaterThanOrEqual(start + 40_000)
  expect(next?.to).toBeLessThan(start + 50_000)
  expect(forecastRetry([{ failedAt: start, retryMs: null }], delays, clock)).toBeNull()
  expect(forecastRetry([{ failedAt: start, retryMs: 2 * hour }], delays, clock)).toBeNull()
})
