import { expect, test } from 'vitest'
import { type DueSource, createSandboxClock, Scheduler } from '../../../src-main/sandbox/clock.ts'

function memory() {
  const values = new Map<string, unknown>()
  return { get: (name: string) => values.get(name), set: values.set.bind(values) }
}

function virtualClock() {
  return createSandboxClock({ store: memory(), first: 'virtual' })
}

/** Creates a source that is due once at each of `moments`. */
function sourceAt(moments: number[], clock: { now(): number }, done: number[]): DueSource {
  return {
    nextDue: () => moments[0] ?? null,
    async runDue() {
      while (moments[0] !== undefined && moments[0] <= clock.now()) {
        moments.shift()
        await Promise.resolve()
        done.push(clock.now())
      }
    },
  }
}

test('advancing the clock stops at each due time, in order across all sources', async () => {
  const clock = virtualClock()
  const start = clock.now()
  const done: number[] = []
  const scheduler = new Scheduler({
    clock,
    sources: [
      sourceAt([start + 10, start + 30], clock, done),
      sourceAt([start + 20, start + 50], clock, done),
    ],
  })
  expect(await scheduler.advance({ ms: 40 })).toMatchObject({ stops: 3 })
  expect(done.map((moment) => moment - start)).toEqual([10, 20, 30])
  expect(clock.now() - start).toBe(40)
  expect(await scheduler.advance('next')).toMatchObject({ stops: 1 })
  expect(clock.now() - start).toBe(50)
  // Without a planned event there is no next time to advance to.
  expect(await scheduler.advance('next')).toMatchObject({ stops: 0 })
  expect(clock.now() - start).toBe(50)
})

test('work that becomes due during an advance runs at its own time', async () => {
  const clock = virtualClock()
  const start = clock.now()
  const done: number[] = []
  const moments = [start + 10]
  const retries: DueSource = {
    nextDue: () => moments[0] ?? null,
    runDue() {
      moments.shift()
      done.push(clock.now())
      // Each run fails and is due again after 10 ms.
      moments.push(clock.now() + 10)
      return Promise.resolve()
    },
  }
  const scheduler = new Scheduler({ clock, sources: [retries] })
  await scheduler.advance({ ms: 45 })
  expect(done.map((moment) => moment - start)).toEqual([10, 20, 30, 40])
})

test('a source that is always due does not stop the clock', async () => {
  const clock = virtualClock()
  const start = clock.now()
  const stuck: DueSource = { nextDue: () => start, runDue: () => Promise.resolve() }
  const scheduler = new Scheduler({ clock, sources: [stuck] })
  await scheduler.advance({ ms: 3 })
  expect(clock.now() - start).toBe(3)
})

test('an advance does not wait for a source of a state that is being replaced', async () => {
  const clock = virtualClock()
  const start = clock.now()
  const hanging: DueSource = {
    nextDue: () => start + 1,
    runDue: () => new Promise(() => undefined),
  }
  const scheduler = new Scheduler({ clock, sources: [hanging] })
  const advancing = scheduler.advance({ ms: 1000 })
  await Promise.resolve()
  scheduler.interrupt()
  expect((await advancing).stops).toBeLessThanOrEqual(1)
  expect(clock.now() - start).toBeLessThanOrEqual(1)
})

test('two simultaneous advances run one after the other', async () => {
  const clock = virtualClock()
  const start = clock.now()
  const scheduler = new Scheduler({ clock, sources: [] })
  await Promise.all([scheduler.advance({ ms: 5 }), scheduler.advance({ ms: 7 })])
  expect(clock.now() - start).toBe(12)
})

test('switching the clock mode never moves the time backwards', () => {
  let world = Date.UTC(2026, 5, 1)
  const store = memory()
  const clock = createSandboxClock({ store, first: 'real', world: () => world })
  expect(clock.now()).toBe(world)
  clock.setMode('virtual')
  world += 5000
  expect(clock.now()).toBe(world - 5000)
  clock.moveTo(world + 60_000)
  clock.setMode('real')
  expect(clock.now()).toBe(world + 60_000)
  world += 1000
  expect(clock.now()).toBe(world + 60_000)
  // The computer's clock is set back by an hour.
  world -= 3_600_000
  const before = clock.now()
  expect(before).toBeGreaterThanOrEqual(world + 3_600_000)
  // A restart continues from the stored time.
  const again = createSandboxClock({ store, first: 'virtual', world: () => world })
  expect(again.mode).toBe('real')
})

test('a virtual clock continues after a restart, and returns to the time of a snapshot', () => {
  const store = memory()
  const clock = createSandboxClock({ store, first: 'virtual' })
  const first = clock.now()
  clock.moveTo(first + 12_345)
  const again = createSandboxClock({ store, first: 'real' })
  expect([again.mode, again.now()]).toEqual(['virtual', first + 12_345])
  again.returnTo(first)
  expect(again.now()).toBe(first)
})

test('a virtual clock starts at the present time or at the configured time', () => {
  const world = () => Date.UTC(2031, 4, 6)
  const first = createSandboxClock({ store: memory(), first: 'virtual', world })
  expect(first.now()).toBe(world())
  const start = Date.UTC(2026, 0, 1)
  const told = createSandboxClock({ store: memory(), first: 'virtual', start, world })
  expect(told.now()).toBe(start)
})
