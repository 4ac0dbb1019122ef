import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type EventHub, createEventHub } from '../../../src-main/bridge/events.ts'
import type { EventMessage } from '../../../src-preload/contract/routes.ts'

let hub: EventHub
let batches: (readonly EventMessage[])[]

beforeEach(() => {
  vi.useFakeTimers()
  hub = createEventHub()
  batches = []
})
afterEach(() => vi.useRealTimers())

const counts = (total: number) => ({
  total,
  others: 0,
  unread: 0,
  readTo: 0,
  pinned: 0,
  newestId: total,
})
const added = (total: number) => hub.emit('capture.added', { counts: counts(total) })
const changed = (id: number) => hub.emit('capture.changed', { ids: [id], counts: counts(9) })

function listen() {
  return hub.subscribe((messages) => batches.push(messages))
}

/** Runs only microtasks, so that no timer fires. */
async function turn(): Promise<void> {
  await Promise.resolve()
}

test('a single event after a quiet period is sent at once', async () => {
  listen()
  added(1)
  await turn()
  expect(batches).toEqual([[{ name: 'capture.added', payload: { counts: counts(1) } }]])
})

test('a thousand events in one second reach a listener in at most eleven batches', async () => {
  listen()
  for (let millisecond = 0; millisecond < 1000; millisecond += 1) {
    changed(millisecond)
    await vi.advanceTimersByTimeAsync(1)
  }
  // The first batch is sent at once, then one after each 100 ms.
  expect(batches.length).toBeLessThanOrEqual(11)
  await vi.advanceTimersByTimeAsync(100)
  expect(batches.flat()).toHaveLength(1000)
})

test('a batch contains only the newest of several events that carry the whole state', async () => {
  listen()
  added(1)
  await turn()
  for (const total of [2, 3, 4]) added(total)
  await vi.advanceTimersByTimeAsync(100)
  expect(batches[1]).toEqual([{ name: 'capture.added', payload: { counts: counts(4) } }])
})

test('an event that names ids is never replaced by a later event', async () => {
  listen()
  for (const id of [1, 2, 3]) changed(id)
  await turn()
  expect(batches.flat().map(({ payload }) => payload)).toMatchObject([
    { ids: [1] },
    { ids: [2] },
    { ids: [3] },
  ])
})

test('a replaced state event moves behind the events emitted after it, so that no view ends on an older state', async () => {
  listen()
  added(1)
  changed(1)
  added(2)
  await turn()
  expect(batches[0]?.map(({ name }) => name)).toEqual(['capture.changed', 'capture.added'])
})

test('an event after a second of silence is sent at once', async () => {
  listen()
  added(1)
  await vi.advanceTimersByTimeAsync(1000)
  added(2)
  await turn()
  expect(batches).toHaveLength(2)
})

test('no batch is empty', async () => {
  listen()
  added(1)
  await vi.advanceTimersByTimeAsync(1000)
  hub.flush()
  expect(batches.every((batch) => batch.length > 0)).toBe(true)
})

test('a listener that has stopped receives no more events, not even queued ones', async () => {
  const stop = listen()
  added(1)
  stop()
  await vi.advanceTimersByTimeAsync(1000)
  expect(batches).toEqual([])
})

test('a listener receives no event from before its subscription', async () => {
  added(1)
  await vi.advanceTimersByTimeAsync(1000)
  listen()
  hub.flush()
  expect(batches).toEqual([])
})

test('flush sends the queued events at once, so that none is lost when the app quits', async () => {
  listen()
  added(1)
  await turn()
  changed(5)
  hub.flush()
  expect(batches).toHaveLength(2)
})
