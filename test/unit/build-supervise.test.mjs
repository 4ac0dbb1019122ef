import { expect, test } from 'vitest'
import { isCrash, nextDelay } from '../../build/lib/supervise.mjs'

// Catches a supervisor that restarts what the user has ended, or a start that failed.
test('the supervisor restarts after a crash only', () => {
  const is = (code, signal = null, platform = 'linux') => isCrash({ code, signal }, platform)
  expect([is(70), is(null, 'SIGABRT'), is(null, 'SIGKILL')]).toEqual([true, true, true])
  expect([is(0), is(1), is(3), is(130), is(null, 'SIGTERM')]).not.toContain(true)
  expect([is(134, null, 'win32'), is(0xc0000409, null, 'win32'), is(1, null, 'win32')]).toEqual([
    true,
    true,
    false,
  ])
})

test('the supervisor restarts at once, then with growing delays, and gives up', () => {
  const crashes = (count) => Array.from({ length: count }, (_, index) => index * 1000)
  const delays = [1, 2, 3, 4, 5].map((count) => nextDelay(crashes(count), 10_000))
  expect(delays).toEqual([0, 2000, 10_000, 30_000, null])
  expect(nextDelay([...crashes(5), 11 * 60_000], 11 * 60_000)).toBe(0)
})
