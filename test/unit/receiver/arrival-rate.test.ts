import { expect, test } from 'vitest'
import { createArrivalRate } from '../../../src-main/captures/store/arrival-rate.ts'

test('the arrival rate covers the last second: it rises in a burst and falls to zero soon after', () => {
  let now = 0
  const rate = createArrivalRate(() => now)
  rate.add(1000)
  now = 50
  expect(rate.perSecond(), 'too soon to tell').toBe(0)
  now = 100
  expect(rate.perSecond()).toBe(10_000)
  rate.add(5)
  now = 150
  expect(rate.perSecond(), 'as it was').toBe(10_000)
  now = 1100
  expect(rate.perSecond()).toBe(5)
  now = 1200
  expect(rate.perSecond()).toBe(0)
})
