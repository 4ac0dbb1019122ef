import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isCompleted } from '../../src-main/app/closing.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** @param msPerSecond processor time that the process uses in the given second */
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
  'closing that takes %i s on a slow computer is complete, and users are told once that it continues',
  async (seconds) => {
    const { work, isDone, outcome } = close(() => 10)
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    expect(outcome.result).toBeUndefined()
    work.resolve(undefined)
    await isDone
    expect(outcome).toEqual({ result: true, afterSeconds: seconds, slowAfterSeconds: 5 })
  },
)

test('closing that does nothing for 30 s is given up', async () => {
  const { isDone, outcome } = close(() => 1)
  await vi.advanceTimersByTimeAsync(60_000)
  await isDone
  expect(outcome).toMatchObject({ result: false, afterSeconds: 30 })
})

test('closing that does something every 29 s is not given up', async () => {
  const { work, isDone, outcome } = close((second) => (second % 29 === 0 ? 10 : 0))
  await vi.advanceTimersByTimeAsync(200_000)
  work.resolve(undefined)
  await isDone
  expect(outcome).toMatchObject({ result: true, afterSeconds: 200 })
})

test('closing that works on and never ends is given up after ten minutes', async () => {
  const { isDone, outcome } = close(() => 1000)
  await vi.advanceTimersByTimeAsync(700_000)
  await isDone
  expect(outcome).toMatchObject({ result: false, afterSeconds: 600 })
})

test('closing that fails is reported with its error, and a quick one leaves no timer', async () => {
  await expect(isCompleted(Promise.reject(new Error('disk')))).rejects.toThrow('disk')
  expect(await isCompleted(Promise.resolve())).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})
