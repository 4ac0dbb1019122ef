/** Tests the request queue and the request rate of a gateway, on a clock that the test moves. */
import { setImmediate as settled } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  createFairQueue,
  type Queue,
  createQueue,
  PausedTooLong,
} from '../../../src-main/gateway/request-queue.ts'
import { type PacedResponse, createPace } from '../../../src-main/gateway/pace.ts'

function createTestClock() {
  let now = 0
  let timers: { at: number; run: () => void }[] = []
  return {
    now: () => now,
    after(ms: number, run: () => void) {
      const timer = { at: now + ms, run }
      timers.push(timer)
      return () => void (timers = timers.filter((other) => other !== timer))
    },
    /** Runs the earliest timer at its time; returns false if there is none. */
    async step(): Promise<boolean> {
      await settled()
      const next = timers.toSorted((a, b) => a.at - b.at)[0]
      if (next === undefined) return false
      timers = timers.filter((other) => other !== next)
      now = Math.max(now, next.at)
      next.run()
      await settled()
      return true
    },
  }
}

const good = { outcome: 'good', retryAfterMs: null, perSecond: null } as const
const refused = { outcome: 'refused', retryAfterMs: null, perSecond: null } as const
const pace = (perSecond: number | null, isKeyless = false) =>
  createPace({ perSecond, isKeyless, random: () => 1 })

/** Sends repeatedly, as soon as the rate allows. */
function press(of: ReturnType<typeof pace>, seconds: number, limit = Infinity, begin = 0): number {
  let now = begin
  let sent = 0
  while (now < begin + seconds * 1000) {
    now = Math.max(of.state().perSecond === null ? now + 1 : now, of.readyAt())
    of.sent(now)
    sent += 1
    const isRefused = (of.state().perSecond ?? Infinity) > limit
    of.answered({ ...(isRefused ? refused : good), sentAt: now }, now)
  }
  return sent
}

test('without a key the rate stays at one request in four seconds', () => {
  const keyless = pace(0.25, true)
  expect(press(keyless, 400)).toBe(101)
  expect(keyless.state()).toMatchObject({ perSecond: 0.25, learnedFrom: 'keyless' })
})

test('the rate rises until the gateway refuses a request, and then continues below the limit', () => {
  const fast = pace(1)
  press(fast, 120)
  expect(fast.state().perSecond).toBeGreaterThan(8)
  const limited = pace(1)
  const sent = press(limited, 600, 5)
  expect(limited.state().perSecond).toBeGreaterThan(3)
  expect(sent).toBeGreaterThan(600 * 3)
})

test('a queue that is hardly used does not raise its rate', () => {
  const idle = pace(1)
  for (let now = 0; now < 1e6; now += 5000) {
    idle.sent(now)
    idle.answered({ ...good, sentAt: now }, now)
  }
  expect(idle.state().perSecond).toBe(1)
})

test('refusals of requests sent before the first refusal arrived count as one', () => {
  const burst = pace(10)
  for (let now = 0; now < 500; now += 100) burst.sent(now)
  for (let sentAt = 0; sentAt < 500; sentAt += 100) burst.answered({ ...refused, sentAt }, 600)
  expect(burst.state()).toMatchObject({ perSecond: 7, pausedUntil: 1600 })
})

test('refusals in a row double the pause up to 30 s and lower the rate only once', () => {
  const stormy = pace(10)
  let now = 0
  const pauses = Array.from({ length: 7 }, () => {
    stormy.sent(now)
    stormy.answered({ ...refused, sentAt: now }, now)
    const pause = stormy.readyAt() - now
    now = stormy.readyAt()
    return pause
  })
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  expect(stormy.state().perSecond).toBe(7)
})

test('without a known limit, a refusal sets a limit from the recent requests, and a quiet period removes this limit', () => {
  const sandbox = pace(null)
  for (let now = 0; now < 1000; now += 10) sandbox.sent(now)
  sandbox.answered({ ...refused, sentAt: 990 }, 1000)
  expect(sandbox.state().perSecond).toBe(70)
  press(sandbox, 150, Infinity, 3000)
  expect(sandbox.state()).toMatchObject({ perSecond: null, learnedFrom: 'none' })
})

test('a limit that the gateway states is adopted and not exceeded', () => {
  const told = pace(1)
  told.sent(0)
  told.answered({ ...good, perSecond: 20, sentAt: 0 }, 10)
  expect(told.state()).toMatchObject({ perSecond: 20, learnedFrom: 'answers' })
  press(told, 60, Infinity, 2000)
  expect(told.state().perSecond).toBe(20)
})

test('Retry-After pauses for the stated time, but for at most 15 minutes', () => {
  const asked = pace(1)
  asked.answered({ ...refused, retryAfterMs: 7000, sentAt: 0 }, 0)
  expect(asked.readyAt()).toBe(7000)
  asked.answered({ ...refused, retryAfterMs: 86_400_000, sentAt: 7000 }, 7000)
  expect(asked.readyAt()).toBe(7000 + 900_000)
})

test('interactive requests precede jobs, owners alternate, refused requests are first, and no job waits forever', () => {
  const queue = createFairQueue<{ priority: 'interactive' | 'job'; owner: string; n: number }>()
  const add = (priority: 'interactive' | 'job', owner: string, n: number) =>
    queue.add({ priority, owner, n })
  for (const n of [1, 2, 3]) add('job', 'a', n)
  for (const n of [4, 5]) add('job', 'b', n)
  add('interactive', '', 6)
  queue.addFirst({ priority: 'job', owner: 'b', n: 7 })
  const order = []
  for (let item = queue.take(true); item !== undefined; item = queue.take(true)) order.push(item.n)
  expect(order).toEqual([6, 7, 1, 4, 2, 5, 3])
  add('job', 'a', 0)
  for (let n = 1; n <= 20; n += 1) add('interactive', '', n)
  const taken = Array.from({ length: 12 }, () => queue.take(true)?.n)
  expect(taken.indexOf(0)).toBe(10)
})

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Sends random interactive and job requests, of which some are cancelled and some refused. */
async function live(seed: number) {
  const random = seeded(seed)
  const clock = createTestClock()
  const begin = [null, 0.25, 1, 20][seed % 4] ?? null
  const lane: Queue = createQueue(
    createPace({ perSecond: begin, isKeyless: begin === 0.25, random }),
    clock,
    () => undefined,
  )
  const sends: { at: number; id: number; perSecond: number | null; pausedUntil: number }[] = []
  const ends = new Map<number, string[]>()
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
  const stormFrom = random() * 50_000
  const inStorm = () => clock.now() > stormFrom && clock.now() < stormFrom + 60_000

  async function ask(id: number): Promise<void> {
    await wait(random() * 100_000)
    const isJob = random() < 0.7
    const leaver = new AbortController()
    if (random() < 0.2) void wait(random() * 20_000).then(() => leaver.abort(new Error('left')))
    const end = (how: string) => ends.set(id, [...(ends.get(id) ?? []), how])
    const turn = {
      priority: isJob ? ('job' as const) : ('interactive' as const),
      owner: String(id % 3),
      patienceMs: isJob ? null : 15_000,
      signal: leaver.signal,
    }
    for (let tried = 1; ; tried += 1) {
      try {
        await lane.enter({ ...turn, isRepeated: tried > 1 })
      } catch (error) {
        const isImpatience = error instanceof PausedTooLong && error.leftMs > 15_000 && !isJob
        end(leaver.signal.aborted ? 'left' : isImpatience ? 'paused' : 'lost')
        return
      }
      const { perSecond, pausedUntil } = lane.state().pace
      const sentAt = clock.now()
      sends.push({ at: sentAt, id, perSecond, pausedUntil })
      await wait(5 + random() * 300)
      const isRefused = inStorm() || random() < 0.05
      const retryAfterMs = isRefused && random() < 0.3 ? random() * 20_000 : null
      const answer: PacedResponse = { ...(isRefused ? refused : good), retryAfterMs, sentAt }
      lane.leave(turn.priority, answer)
      if (isRefused) continue
      end('answered')
      return
    }
  }

  const asked = Promise.all(Array.from({ length: 120 }, (_, id) => ask(id)))
  while (await clock.step());
  await asked
  return { lane, sends, ends }
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'every request ends exactly once and the rate limit is never exceeded (seed %i)',
  async (seed) => {
    const { lane, sends, ends } = await live(seed)
    expect(ends.size).toBe(120)
    for (const how of ends.values()) {
      expect(how).toHaveLength(1)
      expect(how[0]).not.toBe('lost')
    }
    expect(lane.state()).toMatchObject({ waiting: { interactive: 0, job: 0 }, underWay: 0 })
    for (const [index, { at, perSecond, pausedUntil }] of sends.entries()) {
      expect(at).toBeGreaterThanOrEqual(pausedUntil)
      const next = sends[index + 1]
      if (next === undefined || perSecond === null) continue
      // A late timer is compensated by at most this time.
      expect(next.at - at).toBeGreaterThanOrEqual(
        1000 / perSecond - (perSecond > 10 ? 10.001 : 0.001),
      )
    }
  },
)

test('no request waits in a closed queue', async () => {
  const clock = createTestClock()
  const lane = createQueue(pace(1), clock, () => undefined)
  const turn = { priority: 'job', owner: '', patienceMs: null, isRepeated: false } as const
  await lane.enter({ ...turn, signal: undefined })
  const waiting = lane.enter({ ...turn, signal: undefined })
  lane.close()
  await expect(waiting).rejects.toThrow()
  await expect(lane.enter({ ...turn, signal: undefined })).rejects.toThrow()
})
