/**
 * Tests the loop of one target with a replaced queue and replaced requests, on a clock that only
 * the test moves.
 */
import timers from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { retryPause } from '../../../src-main/delivery/forwarding/attempt.ts'
import { startTargetLoop } from '../../../src-main/delivery/forwarding/target-loop.ts'
import type { ForwardQueue, Waiting } from '../../../src-main/delivery/store/forward-queue.ts'
import type { ForwardedRequest } from '../../../src-main/delivery/store/forward-log.ts'
import type { StoredRule, StoredTarget } from '../../../src-main/delivery/store/forward-rules.ts'
import type { DeliveryResult, SendOptions } from '../../../src-main/delivery/targets/target-kind.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  // Vitest replaces the timers of the global object, but not those of this module.
  vi.spyOn(timers, 'setTimeout').mockImplementation((ms, value, { signal } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => resolve(value as never), ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new Error('aborted'))
    })
    return promise
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const id = 7
const noTarget: StoredTarget = {
  id,
  url: 'http://localhost/',
  waiting: 0,
  delivered: 0,
  dropped: 0,
  lastStatus: null,
  lastProblem: null,
  lastTriedAt: null,
  downSince: null,
}
const row = (number: number, lane = `account ${number}`): Waiting => ({
  id: number,
  capture: number * 10,
  lane,
  receivedAt: 0,
  attempts: 0,
})
const detail = {
  at: 5,
  durationUs: 100,
  status: 200,
  headers: [],
  body: new Uint8Array(),
  bodyBytes: 0,
  isCut: false,
  problem: null,
}
const delivered: DeliveryResult = {
  outcome: 'delivered',
  cause: null,
  hasResponded: true,
  problem: null,
  retryAfterMs: 0,
  detail,
}
const failed: DeliveryResult = { ...delivered, outcome: 'failed', problem: 'failed' }
const down: DeliveryResult = { ...failed, outcome: 'down', hasResponded: false, problem: 'down' }
const blocked: DeliveryResult = { ...down, cause: 'blocked', problem: 'a private address' }

type Due = Parameters<ForwardQueue['due']>[1]
type Attempt = PromiseWithResolvers<DeliveryResult> & {
  readonly row: Waiting
  readonly options: Pick<SendOptions, 'keepBytes' | 'signal'>
}

function start(target: Partial<StoredTarget> = {}) {
  const attempts: Attempt[] = []
  const reads: Due[] = []
  const calls: unknown[][] = []
  const note =
    (name: string) =>
    (...given: unknown[]) =>
      void calls.push([name, ...given])
  const state = {
    rows: [] as Waiting[],
    next: null as number | null,
    rule: { id: 3, enabled: true } as StoredRule | undefined,
    trouble: null as Error | null,
    gone: false,
    commit: Promise.resolve(),
  }
  const queue = {
    due(_target: number, options: Due) {
      reads.push(options)
      if (state.trouble !== null) throw state.trouble
      return state.rows.slice(0, options.limit)
    },
    nextAt: () => state.next,
    finish(key: { id: number }, change: { state: string }, ...rest: unknown[]) {
      if (change.state !== 'failed') state.rows = state.rows.filter((each) => each.id !== key.id)
      calls.push(['finish', key, change, ...rest])
    },
    hurry: note('hurry'),
    remove: note('remove'),
    setTarget: note('setTarget'),
  }
  const loop = startTargetLoop({ ...noTarget, ...target }, () => state.rule, {
    queue: queue as unknown as ForwardQueue,
    attempt: (delivery, _request, _rule, _target, options) => {
      const attempt = {
        ...Promise.withResolvers<DeliveryResult>(),
        row: delivery as Waiting,
        options,
      }
      attempts.push(attempt)
      return attempt.promise
    },
    async commit(write) {
      await state.commit
      write()
    },
    request: () => (state.gone ? null : ({} as ForwardedRequest)),
    horizon: () => 77,
    now: () => Date.now() * 1000,
    wallNow: () => Date.now(),
    random: () => 0.5,
    onChanged: note('changed'),
    onTrouble: note('trouble'),
    onFailed: (_rule, target) => void calls.push(['failed', target]),
  })
  const named = (name: string) =>
    calls.filter(([first]) => first === name).map(([, ...rest]) => rest)
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
  return { loop, state, attempts, reads, named, pass }
}

const wallUs = () => Date.now() * 1000

test.each([
  ['planned time', 5_000, 5_000],
  ['minimum', -1, 20],
  ['maximum', 60_000, 10_000],
])('the queue is read again at the %s', async (_name, inMs, sleepMs) => {
  const { loop, state, reads, pass } = start()
  state.next = wallUs() + inMs * 1000
  loop.wake()
  await pass(0)
  expect(reads).toHaveLength(1)
  await pass(sleepMs - 1)
  expect(reads).toHaveLength(1)
  await pass(1)
  expect(reads).toHaveLength(2)
})

test('without a planned delivery the queue is not read until the loop is woken', async () => {
  const { loop, reads, pass } = start()
  loop.wake()
  loop.wake()
  await pass(60_000)
  expect(reads).toHaveLength(1)
  loop.wake()
  await pass(0)
  expect(reads).toHaveLength(2)
})

test('a loop that is woken early keeps one timer', async () => {
  const { loop, state, reads, pass } = start()
  state.next = wallUs() + 5_000_000
  loop.wake()
  await pass(1_000)
  loop.wake()
  await pass(3_999)
  expect(reads).toHaveLength(2)
  state.next = null
  await pass(1)
  expect(reads).toHaveLength(3)
})

test('a disabled or removed rule sends nothing', async () => {
  const { loop, state, reads, named, pass } = start()
  for (const rule of [undefined, { id: 3, enabled: false } as StoredRule]) {
    state.rule = rule
    loop.wake()
    await pass(0)
  }
  expect(reads).toEqual([])
  expect(named('trouble')).toEqual([])
})

test('at most 32 requests are pending, one for each account', async () => {
  const { loop, state, attempts, reads, pass } = start()
  state.rows = Array.from({ length: 40 }, (_, index) => row(index + 1))
  state.next = wallUs()
  loop.wake()
  await pass(10_000)
  expect(attempts).toHaveLength(32)
  expect(reads.map(({ limit }) => limit)).toEqual([32])
  expect([loop.isSending(1), loop.isSending(33)]).toEqual([true, false])
  attempts[0]?.resolve(delivered)
  await pass(0)
  expect(attempts.map((each) => each.row.id)).toEqual(Array.from({ length: 33 }, (_, at) => at + 1))
  // One more request may be sent, although two more deliveries are due.
  state.rows = [row(40), row(41)]
  attempts[1]?.resolve(delivered)
  await pass(0)
  expect(attempts.slice(33).map((each) => each.row.id)).toEqual([40])
  expect(reads.map(({ limit }) => limit)).toEqual([32, 32, 32])
})

test('an offline target is probed with one delivery at a time', async () => {
  const { loop, state, attempts, reads, pass } = start({ downSince: 1 })
  state.rows = [row(1), row(2)]
  loop.wake()
  await pass(0)
  loop.wake()
  await pass(0)
  expect(attempts).toHaveLength(1)
  expect(reads).toHaveLength(1)
  expect(reads[0]).toMatchObject({ isProbe: true, limit: 1, arrivedBy: 77 })
})

test('deliveries that were held for more than a minute are sent without waiting for the index', async () => {
  const { loop, reads, pass } = start()
  for (const ms of [0, 60_000, 1]) {
    await pass(ms)
    loop.wake()
    await pass(0)
  }
  expect(reads.map(({ heldSince }) => heldSince)).toEqual([0, 0, wallUs() - 60_000_000])
})

test('a queue that cannot be read is reported and read again after a second', async () => {
  const { loop, state, reads, named, pass } = start()
  state.trouble = new Error('unreadable')
  loop.wake()
  await pass(999)
  expect(named('trouble')).toEqual([[state.trouble]])
  expect(reads).toHaveLength(1)
  await pass(1)
  expect(reads).toHaveLength(2)
})

test('after an error the account waits for a second, and the error is reported', async () => {
  const { loop, state, attempts, named, pass } = start()
  state.rows = [row(1)]
  loop.wake()
  await pass(0)
  const error = new Error('no result')
  attempts[0]?.reject(error)
  await pass(0)
  await pass(999)
  loop.wake()
  await pass(0)
  expect(named('trouble')).toEqual([[error]])
  expect(attempts).toHaveLength(1)
  await pass(2)
  expect(attempts).toHaveLength(2)
})

test.each([
  [delivered, 'delivered', 0],
  [{ ...failed, outcome: 'refused' } as const, 'dropped', 0],
  [failed, 'failed', retryPause(1, 0.5)],
  [{ ...failed, retryAfterMs: 90_000 }, 'failed', 90_000],
])('a result is stored with the time of the next attempt: %#', async (result, state, waitMs) => {
  const { loop, state: given, attempts, named, pass } = start()
  given.rows = [row(1)]
  loop.wake()
  await pass(0)
  given.rows = []
  const nextAt = waitMs === 0 ? 0 : (Date.now() + waitMs) * 1000
  attempts[0]?.resolve(result)
  await pass(0)
  const targetNow = {
    at: 5,
    isAttempt: true,
    isDown: false,
    lastStatus: 200,
    lastProblem: result.problem,
  }
  const key = { id: 1, target: id }
  expect(named('finish')).toEqual([[key, { state, nextAt }, detail, targetNow, wallUs()]])
  expect(named('failed')).toEqual(state === 'failed' ? [[id]] : [])
  expect(named('changed')).toEqual([[10], [10]])
  expect(named('hurry')).toEqual([])
})

test('a failed delivery without an account does not block the others, unless the target is offline', async () => {
  for (const [result, lane] of [
    [failed, '#10'],
    [down, undefined],
  ] as const) {
    const { loop, state, attempts, named, pass } = start()
    state.rows = [row(1, '')]
    loop.wake()
    await pass(0)
    attempts[0]?.resolve(result)
    await pass(0)
    expect(named('finish')[0]?.[1]).toHaveProperty('state', 'failed')
    expect((named('finish')[0]?.[1] as { lane?: string }).lane).toBe(lane)
  }
})

test('the queue of a target that responds again is sent at once', async () => {
  const { loop, state, attempts, named, pass } = start({ downSince: 1 })
  state.rows = [row(1)]
  loop.wake()
  await pass(0)
  attempts[0]?.resolve(delivered)
  await pass(0)
  expect(named('hurry')).toEqual([[id]])
  expect(loop.health()).toMatchObject({ isDown: false, medianUs: 100, lastProblem: null })
})

test('a target that the guard refuses is stored once, and is tried when the guard changes', async () => {
  const { loop, state, attempts, reads, named, pass } = start()
  state.rows = [row(1)]
  loop.guardChanged()
  await pass(0)
  expect(reads).toEqual([])
  for (const tries of [1, 2]) {
    loop.wake()
    if (tries === 2) loop.guardChanged()
    await pass(0)
    expect(attempts).toHaveLength(tries)
    attempts.at(-1)?.resolve(blocked)
    await pass(0)
  }
  const refused = {
    at: 5,
    isAttempt: false,
    isDown: true,
    lastStatus: null,
    lastProblem: 'a private address',
  }
  expect(named('setTarget')).toEqual([[id, refused]])
  expect(named('failed')).toEqual([[id], [id]])
  expect(named('finish')).toEqual([])
  state.next = 1
  expect(loop.health()).toMatchObject({ isDown: true, nextTryAt: null })
})

test('a delivery whose capture was deleted leaves the queue', async () => {
  const { loop, state, attempts, named, pass } = start()
  state.gone = true
  state.rows = [row(1)]
  loop.wake()
  await pass(0)
  expect(named('remove')[0]).toEqual([1, wallUs()])
  expect(attempts).toEqual([])
  state.rows = []
})

test('the next attempt that is shown is never in the past', async () => {
  const { loop, state, named, pass } = start()
  expect(loop.health().nextTryAt).toBeNull()
  state.next = wallUs() - 1_000
  expect(loop.health().nextTryAt).toBe(wallUs())
  state.next = wallUs() + 5_000
  expect(loop.health().nextTryAt).toBe(wallUs() + 5_000)
  state.rows = [row(1)]
  loop.hurry()
  await pass(0)
  expect(named('hurry')).toEqual([[id]])
  expect(loop.isSending(1)).toBe(true)
})

test('an attempt keeps 16 KiB of the response, and the end of the app aborts it after 700 ms', async () => {
  const { loop, state, attempts, reads, named, pass } = start()
  state.rows = [row(1)]
  state.next = wallUs() + 5_000_000
  loop.wake()
  await pass(0)
  const { keepBytes, signal } = attempts[0]?.options ?? {}
  expect(keepBytes).toBe(16_384)
  const end = vi.fn()
  void loop.stop().then(end)
  await pass(699)
  expect([signal?.aborted, end.mock.calls.length]).toEqual([false, 0])
  await pass(1)
  expect(signal?.aborted).toBe(true)
  attempts[0]?.resolve({ ...down, cause: 'aborted' })
  await pass(0)
  expect(end).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
  await pass(60_000)
  expect(reads).toHaveLength(1)
  // The request may have arrived, so the next start sends it again.
  expect(named('finish')).toEqual([])
})

test('the end of the app waits for each pending result, but at most 2.1 seconds for a full disk', async () => {
  const { loop, state, attempts, pass } = start()
  state.rows = [row(1), row(2)]
  loop.wake()
  await pass(0)
  const end = vi.fn()
  void loop.stop().then(end)
  attempts[0]?.resolve(delivered)
  await pass(0)
  expect(end).not.toHaveBeenCalled()
  state.commit = new Promise(() => undefined)
  attempts[1]?.resolve(delivered)
  await pass(2_099)
  expect(end).not.toHaveBeenCalled()
  await pass(1)
  expect(end).toHaveBeenCalledOnce()
})

test('without pending requests the loop ends at once, and its timer with it', async () => {
  const { loop, state, reads, pass } = start()
  state.next = wallUs() + 5_000_000
  loop.wake()
  await pass(0)
  await loop.stop()
  expect(vi.getTimerCount()).toBe(0)
  loop.wake()
  await pass(10_000)
  expect(reads).toHaveLength(1)
})

test('the end of the app does not wait out the pause after an error', async () => {
  const { loop, state, attempts, pass } = start()
  state.rows = [row(1)]
  loop.wake()
  await pass(0)
  attempts[0]?.reject(new Error('no result'))
  await pass(0)
  const end = vi.fn()
  void loop.stop().then(end)
  await pass(700)
  expect(end).toHaveBeenCalledOnce()
})
