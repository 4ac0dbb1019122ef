import { expect, test } from 'vitest'
import type { Subscription } from '../../../../src-preload/contract/subscription.ts'
import {
  nextSubscriptionSort,
  usualOrder,
  wouldMove,
} from '../../../../src-renderer/features/webhooks/accounts/subscription-order.ts'
import {
  printLag,
  printReading,
  saySpark,
  sparkHeights,
} from '../../../../src-renderer/features/webhooks/accounts/subscription-words.ts'

const lag = { transactions: 12, more: false, milliseconds: 180_000, readAt: 0 }

test('a lag says what is known of it, and never “none” where more may be behind', () => {
  expect(printLag(lag)).toBe('12 tx, 3 min')
  expect(printLag({ ...lag, transactions: 1000, more: true })).toBe('1\u202f000+ tx, 3 min')
  expect(printLag({ ...lag, transactions: 0, milliseconds: 0 })).toBe('none')
  expect(printLag({ ...lag, transactions: 0, more: true, milliseconds: null })).toBe('0+ tx')
  expect(printLag({ ...lag, transactions: null })).toBe('3 min')
  expect(printLag({ ...lag, transactions: null, milliseconds: null })).toBe('behind')
})

test('24 hours are told in words as they are drawn: how many, and when most', () => {
  const hours = (failed: Record<number, number>) =>
    Array.from({ length: 24 }, (_, hour) => failed[hour] ?? 0)
  expect(saySpark(hours({}))).toBe('No failed attempt in 24 hours')
  expect(saySpark([])).toBe('No failed attempt in 24 hours')
  expect(saySpark(hours({ 23: 1 }))).toBe('1 failed attempt in 24 hours, in the last hour')
  expect(saySpark(hours({ 3: 2, 20: 7 }))).toBe(
    '9 failed attempts in 24 hours, most 3 hours ago: 7',
  )
  const heights = sparkHeights(hours({ 0: 1, 1: 5000 }))
  expect(heights[0]).toBeGreaterThan(0.1)
  expect(heights.slice(1, 3)).toEqual([1, 0])
})

test('what is read names no end that it has passed', () => {
  expect(printReading({ rows: 12_000, expected: 100_000 })).toBe('12\u202f000 of 100\u202f000')
  expect(printReading({ rows: 1001, expected: 1000 })).toBe('1\u202f001')
  expect(printReading({ rows: 1000, expected: null })).toBe('1\u202f000')
})

test('newer rows are taken in place while every account stays where it is, else they wait', () => {
  const row = (account: string, failedAttempts = 0) => ({ account, failedAttempts }) as Subscription
  const shown = [row('a'), row('b')]
  expect(wouldMove(shown, [row('a', 5), row('b', 2)], [2, 2])).toBe(false)
  expect(wouldMove(shown, [row('b', 5), row('a')], [2, 2])).toBe(true)
  expect(wouldMove(shown, shown, [2, 3])).toBe(true)
  expect(wouldMove(shown, [row('a')], [2, 2])).toBe(true)
})

test('a heading sorts figures from their upper end, names from their first, and comes back', () => {
  const lt = nextSubscriptionSort(usualOrder, 'lastDeliveredLt')
  expect(lt).toEqual({ by: 'lastDeliveredLt', descending: true })
  const up = nextSubscriptionSort(lt, 'lastDeliveredLt')
  expect(up).toEqual({ by: 'lastDeliveredLt', descending: false })
  expect(nextSubscriptionSort(up, 'lastDeliveredLt')).toEqual(usualOrder)
  expect(nextSubscriptionSort(lt, 'label')).toEqual({ by: 'label', descending: false })
  expect(nextSubscriptionSort(usualOrder, 'failedAttempts').descending).toBe(false)
})
