import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { throttle } from '../../../src-renderer/ui/throttle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('runs at once, and makes up for calls in between exactly once', () => {
  const run = vi.fn()
  const { call } = throttle(run, 100)
  call()
  expect(run).toHaveBeenCalledTimes(1)
  call()
  call()
  expect(run).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(100)
  expect(run).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(500)
  expect(run).toHaveBeenCalledTimes(2)
})

it('never runs more often than asked under a steady stream, nor loses the last call', () => {
  const run = vi.fn()
  const { call } = throttle(run, 100)
  for (let at = 0; at < 1000; at += 1) {
    call()
    vi.advanceTimersByTime(1)
  }
  vi.advanceTimersByTime(200)
  expect(run).toHaveBeenCalledTimes(11)
})

it('runs nothing after it was called off', () => {
  const run = vi.fn()
  const { call, cancel } = throttle(run, 100)
  call()
  call()
  cancel()
  vi.advanceTimersByTime(500)
  expect(run).toHaveBeenCalledTimes(1)
})
