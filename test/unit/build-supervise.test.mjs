import process from 'node:process'
import { afterEach, expect, test, vi } from 'vitest'
import { isCrash, nextDelay, supervise } from '../../build/lib/supervise.mjs'

afterEach(() => vi.restoreAllMocks())

/** Runs a script under the supervisor without delays. */
async function run(script) {
  const said = []
  vi.spyOn(console, 'error').mockImplementation((line) => said.push(line))
  const { exitCode } = await supervise(process.execPath, ['-e', script], { delaysMs: [0, 0] })
  return { exitCode, said }
}
const serving = "process.send({ event: 'serving' }, () => process.exit("

// A faulty supervisor would restart forever, or give up without a message.
test('the supervisor of a program that keeps crashing gives up with a message and exit code 1', async () => {
  const { exitCode, said } = await run(`${serving}70))`)
  expect(exitCode).toBe(1)
  expect(said).toHaveLength(3)
  expect(said[0]).toBe('Tondesk ended unexpectedly (exit code 1). Restarting now.')
  expect(said[2]).toMatch(/^Tondesk ended unexpectedly 3 times .*Nothing is received now/)
})

test('a restarted program can read that it was restarted, and its own exit or a failed start is final', async () => {
  const second = await run(`${serving}process.env.TONDESK_RESTARTS === '0' ? 70 : 3))`)
  expect(second).toMatchObject({ exitCode: 3, said: [expect.stringMatching(/now/)] })
  expect(await run('process.exit(70)')).toEqual({ exitCode: 1, said: [] })
  expect(await run("process.kill(process.pid, 'SIGKILL')")).toMatchObject({ said: [] })
  expect(await run(`${serving}0))`)).toEqual({ exitCode: 0, said: [] })
})

// A faulty supervisor would restart a program that the user has ended, or that failed to start.
test('the supervisor restarts a program only after a crash', () => {
  const is = (code, signal = null, platform = 'linux') => isCrash({ code, signal }, platform)
  expect([is(70), is(null, 'SIGABRT'), is(null, 'SIGKILL')]).toEqual([true, true, true])
  expect([is(0), is(1), is(3), is(130), is(null, 'SIGTERM')]).not.toContain(true)
  expect([is(134, null, 'win32'), is(0xc0000409, null, 'win32'), is(1, null, 'win32')]).toEqual([
    true,
    true,
    false,
  ])
})

test('the supervisor restarts a program at once, then with growing delays, and gives up after five crashes', () => {
  const crashes = (count) => Array.from({ length: count }, (_, index) => index * 1000)
  const delays = [1, 2, 3, 4, 5].map((count) => nextDelay(crashes(count), 10_000))
  expect(delays).toEqual([0, 2000, 10_000, 30_000, null])
  expect(nextDelay([...crashes(5), 11 * 60_000], 11 * 60_000)).toBe(0)
})
