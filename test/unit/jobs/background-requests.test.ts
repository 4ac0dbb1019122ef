/** Tests the queue of background requests that explanations and invoices share. */
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createBackgroundLoop } from '../../../src-main/jobs/background-loop.ts'
import {
  type RequestTask,
  createBackgroundRequests,
} from '../../../src-main/jobs/background-requests.ts'

function openQueue(next: (running: { has(key: string): boolean }) => RequestTask | null) {
  const clock = { now: 0 }
  const requests = createBackgroundRequests({
    next: (_network, running) => next(running),
    whyNot: () => null,
    onTick: () => undefined,
    onSettled: () => undefined,
    now: () => clock.now,
    wait: () => Promise.resolve(),
    onBug(error) {
      throw error
    },
  })
  return { requests, clock }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await setImmediate()
}

test('after a failure a single request probes the gateway, however often the queue is run', async () => {
  const began: string[] = []
  const { requests, clock } = openQueue((running) => {
    const key = ['a', 'b', 'c'].find((each) => !running.has(each))
    if (key === undefined) return null
    return {
      key,
      async run(signal, backoff) {
        began.push(key)
        if (began.length === 1) backoff.pause('Too many requests.', 0)
        else await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    }
  })
  requests.run('sandbox')
  await settled()
  clock.now = 60_000
  for (let woken = 0; woken < 5; woken += 1) requests.run('sandbox')
  expect(began).toEqual(['a', 'a'])
  requests.retryNow()
  expect(began).toEqual(['a', 'a', 'b', 'c'])
  await requests.stop()
})

test('a request that is started again during its run runs once more for all callers, and never while its network is removed', async () => {
  const runs: PromiseWithResolvers<undefined>[] = []
  const { requests } = openQueue(() => null)
  const start = () =>
    requests.start('sandbox', {
      key: 'list',
      async run(signal) {
        const run = Promise.withResolvers<undefined>()
        runs.push(run)
        signal.addEventListener('abort', () => run.resolve(undefined))
        await run.promise
      },
    })
  const first = start()
  const [second, third] = [start(), start()]
  expect(runs).toHaveLength(1)
  runs[0]?.resolve(undefined)
  await first
  await settled()
  expect(runs).toHaveLength(2)
  const forgotten = requests.forget('sandbox', async () => {
    await start()
    await setImmediate()
  })
  await Promise.all([second, third, forgotten])
  expect(runs).toHaveLength(2)
  expect(requests.isRunning('sandbox', 'list')).toBe(false)
})

// Work requested at the end of a run must not wait for the next request, and a failure must not end the loop.
test('the background loop runs again after a request during a run and after a failure, but not after its stop', async () => {
  const runs: (() => void)[] = []
  const failures: unknown[] = []
  const loop = createBackgroundLoop(
    () => new Promise<void>((resolve, reject) => runs.push(runs.length === 1 ? reject : resolve)),
    (error) => failures.push(error),
  )
  loop.run()
  loop.run()
  loop.run()
  expect(runs).toHaveLength(1)
  runs[0]?.()
  await expect.poll(() => runs.length).toBe(2)
  runs[1]?.()
  await expect.poll(() => failures.length).toBe(1)
  loop.run()
  expect(runs).toHaveLength(3)
  loop.run()
  const stopped = loop.stop()
  runs[2]?.()
  await stopped
  loop.run()
  expect(runs).toHaveLength(3)
})
