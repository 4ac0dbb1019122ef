import { expect, test } from 'vitest'
import { barHeights } from '../../../../src-renderer/components/charts/sparkline.tsx'
import {
  describeSpark,
  formatLag,
  formatLoading,
} from '../../../../src-renderer/features/webhooks/accounts/subscriptions.ts'
import { type Sort, nextSort } from '../../../../src-renderer/ui/data-list.tsx'

const lag = { transactions: 12, more: false, milliseconds: 180_000, readAt: 0 }

test('a lag is described by its known parts, and as none only if nothing more can be behind', () => {
  expect(formatLag(lag)).toBe('12 tx, 3 min')
  expect(formatLag({ ...lag, transactions: 1000, more: true })).toBe('1\u202f000+ tx, 3 min')
  expect(formatLag({ ...lag, transactions: 0, milliseconds: 0 })).toBe('none')
  expect(formatLag({ ...lag, transactions: 0, more: true, milliseconds: null })).toBe('0+ tx')
  expect(formatLag({ ...lag, transactions: null })).toBe('3 min')
  expect(formatLag({ ...lag, transactions: null, milliseconds: null })).toBe('behind')
})

test('the text of a sparkline states the number of failed attempts and the hour with the most', () => {
  const hours = (failed: Record<number, number>) =>
    Array.from({ length: 24 }, (_, hour) => failed[hour] ?? 0)
  expect(describeSpark(hours({}))).toBe('No failed attempts in 24 hours')
  expect(describeSpark([])).toBe('No failed attempts in 24 hours')
  expect(describeSpark(hours({ 23: 1 }))).toBe('1 failed attempt in 24 hours, in the last hour')
  expect(describeSpark(hours({ 3: 2, 20: 7 }))).toBe(
    '9 failed attempts in 24 hours, most 3 hours ago: 7',
  )
  const heights = barHeights(hours({ 0: 1, 1: 5000 }))
  expect(heights[0]).toBeGreaterThan(0.1)
  expect(heights.slice(1, 3)).toEqual([1, 0])
})

test('the progress of loading omits a total that it has exceeded', () => {
  expect(formatLoading({ rows: 12_000, expected: 100_000 })).toBe('12\u202f000 of 100\u202f000')
  expect(formatLoading({ rows: 1001, expected: 1000 })).toBe('1\u202f001')
  expect(formatLoading({ rows: 1000, expected: null })).toBe('1\u202f000')
})

test('a click on a heading sorts numbers largest first and texts ascending, and a third click restores the order', () => {
  type By = 'failedAttempts' | 'label' | 'lastDeliveredLt'
  const usual: Sort<By> = { by: 'failedAttempts', descending: true }
  const largeFirst = new Set<By>(['failedAttempts', 'lastDeliveredLt'])
  const next = (sort: Sort<By>, by: By) => nextSort(sort, by, { usual, largeFirst })
  const lt = next(usual, 'lastDeliveredLt')
  expect(lt).toEqual({ by: 'lastDeliveredLt', descending: true })
  const up = next(lt, 'lastDeliveredLt')
  expect(up).toEqual({ by: 'lastDeliveredLt', descending: false })
  expect(next(up, 'lastDeliveredLt')).toEqual(usual)
  expect(next(lt, 'label')).toEqual({ by: 'label', descending: false })
  expect(next(usual, 'failedAttempts').descending).toBe(false)
})
