import { expect, test } from 'vitest'
import {
  type ReadyWindows,
  createWindowList,
  rowAt,
  windowSize,
} from '../../../src-renderer/components/list/windows.ts'

type Held = { readonly offset: number; answer(): Promise<void>; fail(): Promise<void> }

/** A list of numbers on another side that answers when it is let. */
function otherSide(total: () => number, version: () => number) {
  const held: Held[] = []
  const load = (offset: number, limit: number) =>
    new Promise<{ total: number; rows: string[]; extra: number }>((resolve, reject) => {
      const settle = async (work: () => void) => {
        held.splice(held.indexOf(entry), 1)
        work()
        for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
      }
      // Read when it is asked, as a database does: what changes meanwhile is not in it.
      const rows = Array.from(
        { length: Math.max(0, Math.min(limit, total() - offset)) },
        (_, index) => `${offset + index} v${version()}`,
      )
      const read = { total: total(), rows, extra: version() }
      const entry: Held = {
        offset,
        answer: () => settle(() => resolve(read)),
        fail: () => settle(() => reject(new Error('away'))),
      }
      held.push(entry)
    })
  return { held, load, offsets: () => held.map(({ offset }) => offset) }
}

function ready<T, X>(list: ReturnType<typeof createWindowList<T, X>>): ReadyWindows<T, X> {
  const state = list.store.getState()
  if (state.status !== 'ready') throw new Error(state.status)
  return state
}

test('who scrolls past many windows gets the one where he stops: not a queue of all between', async () => {
  const side = otherSide(
    () => 100_000,
    () => 1,
  )
  const list = createWindowList<string, number>()
  list.open(side.load)
  await side.held[0]?.answer()
  list.show(500, 520)
  for (let at = 600; at <= 90_000; at += 100) list.show(at, at + 20)
  expect(side.offsets()).toEqual([500])
  await side.held[0]?.answer()
  expect(side.offsets()).toEqual([90_000])
  await side.held[0]?.answer()
  expect(side.offsets()).toEqual([])
  expect(rowAt(ready(list), 90_007)).toBe('90007 v1')
  expect(rowAt(ready(list), 700)).toBeNull()
})

test('windows far away are let go, or 100,000 rows would all stay in memory', async () => {
  const side = otherSide(
    () => 100_000,
    () => 1,
  )
  const list = createWindowList<string, number>()
  list.open(side.load)
  await side.held[0]?.answer()
  for (let at = 0; at < 60; at += 1) {
    list.show(at * windowSize, at * windowSize + 10)
    await side.held[0]?.answer()
  }
  const { held } = ready(list)
  expect(held.size).toBeLessThanOrEqual(20)
  expect(held.has(59)).toBe(true)
  expect(held.has(0)).toBe(false)
})

test('a late answer to an earlier question is not shown under the newer one', async () => {
  const first = otherSide(
    () => 10,
    () => 1,
  )
  const second = otherSide(
    () => 3,
    () => 2,
  )
  const list = createWindowList<string, number>()
  list.open(first.load)
  list.open(second.load)
  await first.held[0]?.answer()
  expect(list.store.getState().status).toBe('loading')
  await second.held[0]?.answer()
  expect(ready(list)).toMatchObject({ total: 3, extra: 2 })
})

test('what changed while an answer was on its way is asked for again', async () => {
  let version = 1
  const side = otherSide(
    () => 50,
    () => version,
  )
  const list = createWindowList<string, number>()
  list.open(side.load)
  await side.held[0]?.answer()
  list.refresh()
  version = 2
  list.refresh()
  await side.held[0]?.answer()
  expect(rowAt(ready(list), 0)).toBe('0 v1')
  await side.held[0]?.answer()
  expect(rowAt(ready(list), 0)).toBe('0 v2')
  expect(side.offsets()).toEqual([])
})

test('a failure leaves the rows that are there and can be tried again; it is not tried forever', async () => {
  const side = otherSide(
    () => 1000,
    () => 1,
  )
  const list = createWindowList<string, number>()
  list.open(side.load)
  await side.held[0]?.answer()
  list.show(400, 420)
  await side.held[0]?.fail()
  expect(side.offsets()).toEqual([])
  expect(ready(list).problem).not.toBeNull()
  expect(rowAt(ready(list), 5)).toBe('5 v1')
  list.refresh()
  await side.held[0]?.answer()
  expect(ready(list).problem).toBeNull()
  expect(rowAt(ready(list), 400)).toBe('400 v1')
})

test('a list that became shorter under one’s eyes is read at its new end, not past it', async () => {
  let total = 1000
  const side = otherSide(
    () => total,
    () => 1,
  )
  const list = createWindowList<string, number>()
  list.open(side.load)
  await side.held[0]?.answer()
  list.show(980, 999)
  await side.held[0]?.answer()
  total = 120
  list.refresh()
  await side.held[0]?.answer()
  expect(ready(list).total).toBe(120)
  expect(side.offsets()).toEqual([100])
})

test('a row in a newer version takes the place of the older, wherever it is held, and nothing is asked for', async () => {
  const side = otherSide(
    () => 1000,
    () => 1,
  )
  const list = createWindowList<string, number>()
  list.open(side.load)
  await side.held[0]?.answer()
  list.show(400, 420)
  await side.held[0]?.answer()
  list.update((row) => (row === '401 v1' ? '401 v2' : row))
  expect([400, 401, 402].map((index) => rowAt(ready(list), index))).toEqual([
    '400 v1',
    '401 v2',
    '402 v1',
  ])
  expect(side.offsets()).toEqual([])
})
