/** The shutdown of the app is limited by lack of progress, not by time. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isCompleted } from '../../../src-main/app/completion.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** @param msPerSecond processor time that the process uses in that second */
function close(msPerSecond: (second: number) => number) {
  const work = Promise.withResolvers<undefined>()
  const from = Date.now()
  let used = 0
  let second = 0
  const outcome: { result?: boolean; afterSeconds?: number; slowAfterSeconds?: number } = {}
  const seconds = () => Math.round((Date.now() - from) / 1000)
  const isDone = isCompleted(
    work.promise,
    () => (outcome.slowAfterSeconds = seconds()),
    () => (used += msPerSecond((second += 1))),
  ).then((result) => Object.assign(outcome, { result, afterSeconds: seconds() }))
  return { work, isDone, outcome }
}

test.each([10, 50, 300])(
  'a shutdown that takes %i s on a slow computer completes, and users are informed once that it continues',
  async (seconds) => {
    const { work, isDone, outcome } = close(() => 10)
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    expect(outcome.result).toBeUndefined()
    work.resolve(undefined)
    await isDone
    expect(outcome).toEqual({ result: true, afterSeconds: seconds, slowAfterSeconds: 5 })
  },
)

test('a shutdown without progress is abandoned after 30 s', async () => {
  const { isDone, outcome } = close(() => 1)
  await vi.advanceTimersByTimeAsync(60_000)
  await isDone
  expect(outcome).toMatchObject({ result: false, afterSeconds: 30 })
})

test('a shutdown with progress every 29 s is not abandoned', async () => {
  const { work, isDone, outcome } = close((second) => (second % 29 === 0 ? 10 : 0))
  await vi.advanceTimersByTimeAsync(200_000)
  work.resolve(undefined)
  await isDone
  expect(outcome).toMatchObject({ result: true, afterSeconds: 200 })
})

test('a shutdown that never ends is abandoned after ten minutes despite its progress', async () => {
  const { isDone, outcome } = close(() => 1000)
  await vi.advanceTimersByTimeAsync(700_000)
  await isDone
  expect(outcome).toMatchObject({ result: false, afterSeconds: 600 })
})

test('a failed shutdown reports its error, and a quick shutdown leaves no timer', async () => {
  await expect(isCompleted(Promise.reject(new Error('disk')))).rejects.toThrow('disk')
  expect(await isCompleted(Promise.resolve())).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})
