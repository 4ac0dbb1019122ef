import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { throttle } from '../../../src-renderer/ui/throttle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('a throttled function runs at once, and once more for calls in between', () => {
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

it('a throttled function runs once per interval in a steady stream of calls, and runs for the last call', () => {
  const run = vi.fn()
  const { call } = throttle(run, 100)
  for (let at = 0; at < 1000; at += 1) {
    call()
    vi.advanceTimersByTime(1)
  }
  vi.advanceTimersByTime(200)
  expect(run).toHaveBeenCalledTimes(11)
})

it('a cancelled throttle runs nothing more', () => {
  const run = vi.fn()
  const { call, cancel } = throttle(run, 100)
  call()
  call()
  cancel()
  vi.advanceTimersByTime(500)
  expect(run).toHaveBeenCalledTimes(1)
})
